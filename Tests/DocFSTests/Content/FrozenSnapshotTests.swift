import CFuse
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

// S14
@Suite("A copy of what programs go on writing into")
struct FrozenSnapshotTests {
    /// Someone who writes a number at the beginning of a document and then at its end, and then the
    /// next number, until told to stop.
    private final class Counter: Sendable {
        private let isStopped = Atomic(false)
        private let isDone = Monitor(false)
        let failure = Mutex<String?>(nil)

        init(_ count: UInt64, _ write: @escaping @Sendable ([UInt8], UInt64) throws -> Void) {
            OwnThread.start(name: "counter") { [self] in
                do {
                    var number: UInt64 = 1
                    while !isStopped.load(ordering: .relaxed) {
                        let bytes = withUnsafeBytes(of: number) { Array($0) }
                        try write(bytes, 0)
                        try write(bytes, count - 8)
                        number += 1
                    }
                } catch {
                    failure.withLock { $0 = "\(error)" }
                }
                isDone.withLock { $0 = true }
            }
        }

        func stop() {
            isStopped.store(true, ordering: .relaxed)
            _ = isDone.wait(nanoseconds: 60_000_000_000) { $0 ? () : nil }
            #expect(failure.withLock { $0 } == nil)
        }
    }

    private static func number(in source: any ByteSource, at offset: UInt64) throws -> UInt64 {
        var number: UInt64 = 0
        let count = try withUnsafeMutableBytes(of: &number) {
            try source.read(into: $0, at: offset)
        }
        #expect(count == 8)
        return number
    }

    /// The document as it was at one moment has the same number twice, or the next at its
    /// beginning.
    private static func expectWhole(_ snapshot: Snapshot, _ size: UInt64) throws {
        #expect(snapshot.isCopy && snapshot.size == size)
        let first = try number(in: snapshot.source, at: 0)
        let last = try number(in: snapshot.source, at: size - 8)
        #expect(first == last || first == last + 1, "\(first), \(last)")
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = try bytes.withUnsafeMutableBytes { try snapshot.source.read(into: $0, at: 0) }
        #expect(count == Int(size) && SHA256.digest(of: bytes) == snapshot.digest)
    }

    @Test("It is the document as it was at one moment, and later writes have a later generation")
    func requests() async throws {
        let fixture = try CloudFixture()
        let size: UInt64 = 3 << 20
        try fixture.put("doc", [UInt8](repeating: 0, count: Int(size)))
        let file = try fixture.open("doc", O_RDWR)
        let counter = Counter(size) { (bytes, offset) in
            try fixture.write(file, bytes, at: offset)
        }
        for _ in 0..<20 {
            let snapshot = try await CloudFixture.blocking {
                try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
            }
            try Self.expectWhole(snapshot, size)
        }
        counter.stop()
        let last = try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
        try Self.expectWhole(last, size)
        #expect(try fixture.row("doc").generation == last.generation)
        try fixture.write(file, [1], at: 100)
        #expect(try fixture.row("doc").generation == last.generation + 1)
        try fixture.close(file)
    }

    /// Makes a document of so many bytes, and opens it as one whose writes do not come to us.
    private static func passThrough(_ fixture: CloudFixture, _ size: UInt64) throws
        -> (OpenFile, Descriptor)
    {
        try fixture.put("doc", [UInt8](repeating: 0, count: Int(size)))
        let file = try fixture.open("doc", O_RDWR)
        let content = try #require(file.content)
        try fixture.contents.hold(content)
        return (file, try #require(content.wholeFile))
    }

    @Test("What is written past us is in it as it was at one moment, or there is none")
    func unseen() async throws {
        let fixture = try CloudFixture()
        let size: UInt64 = 1 << 20
        let (file, whole) = try Self.passThrough(fixture, size)
        let counter = Counter(size) { (bytes, offset) in
            try Posix.write(
                whole.number, bytes.withUnsafeBytes { $0 }, at: offset)
        }
        for _ in 0..<20 {
            do {
                let snapshot = try await CloudFixture.blocking {
                    try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
                }
                try Self.expectWhole(snapshot, size)
            } catch DocFSError.bodyChanged {}
        }
        counter.stop()
        let last = try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
        try Self.expectWhole(last, size)
        #expect(try fixture.row("doc").generation == last.generation)
        try fixture.close(file)
        _ = fixture.contents.endHold(file.number.row)
    }

    @Test("What is appended past us is in it with what points to it, or neither is")
    func unseenAppends() async throws {
        let fixture = try CloudFixture()
        let begin = Mutex(UInt64(1 << 20))
        let (file, whole) = try Self.passThrough(fixture, 1 << 20)
        // First a record behind the end, then, at the beginning, where the end is.
        let counter = Counter(16) { (bytes, offset) in
            let end = begin.withLock { end in
                if offset > 0 { end += 8 }
                return end
            }
            let value = offset > 0 ? withUnsafeBytes(of: end) { Array($0) } : bytes
            try Posix.write(whole.number, value.withUnsafeBytes { $0 }, at: offset > 0 ? 0 : end)
        }
        for _ in 0..<20 {
            do {
                let snapshot = try await CloudFixture.blocking {
                    try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
                }
                #expect(try Self.number(in: snapshot.source, at: 0) <= snapshot.size)
            } catch DocFSError.bodyChanged {}
        }
        counter.stop()
        try fixture.close(file)
        _ = fixture.contents.endHold(file.number.row)
    }

    @Test("A large one that only grows is copied as far as it goes, whoever writes")
    func growing() async throws {
        let fixture = try CloudFixture()
        let begin = CloudFixture.bytes(40 << 20)
        try fixture.put("doc", begin)
        let file = try fixture.open("doc", O_RDWR)
        let end = Mutex(UInt64(begin.count))
        // Only the end is written to.
        let counter = Counter(8) { (bytes, _) in
            let offset = end.withLock { end in
                defer { end += UInt64(bytes.count) }
                return end
            }
            try fixture.write(file, bytes, at: offset)
        }
        for _ in 0..<3 {
            let snapshot = try await CloudFixture.blocking {
                try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
            }
            #expect(snapshot.size >= UInt64(begin.count))
            var bytes = [UInt8](repeating: 0, count: Int(snapshot.size))
            _ = try bytes.withUnsafeMutableBytes { try snapshot.source.read(into: $0, at: 0) }
            #expect(SHA256.digest(of: bytes) == snapshot.digest)
            #expect(bytes.starts(with: begin))
            // Each number stands there twice, as it was written.
            let words = bytes[begin.count...].count / 8
            if words > 0 {
                let last = try Self.number(in: snapshot.source, at: snapshot.size - 8)
                #expect(last == UInt64(words + 1) / 2)
            }
        }
        counter.stop()
        try fixture.close(file)
    }

    @Test("A large one that is written into all the time is not copied, as long as it is")
    func large() async throws {
        let fixture = try CloudFixture()
        let size: UInt64 = 40 << 20
        try fixture.put("doc", [UInt8](repeating: 0, count: Int(size)))
        let file = try fixture.open("doc", O_RDWR)
        let counter = Counter(size) { (bytes, offset) in
            try fixture.write(file, bytes, at: offset)
        }
        for _ in 0..<3 {
            do {
                let snapshot = try await CloudFixture.blocking {
                    try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
                }
                // It is where the filesystem shares extents.
                try Self.expectWhole(snapshot, size)
            } catch DocFSError.bodyChanged {}
        }
        counter.stop()
        let last = try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
        try Self.expectWhole(last, size)
        try fixture.close(file)
    }

    @Test("What is being written is not taken as it is")
    func takenWithinWrite() throws {
        let fixture = try CloudFixture()
        try fixture.put("doc", CloudFixture.bytes(1000))
        let file = try fixture.open("doc", O_RDWR)
        let content = try #require(file.content)
        _ = try fixture.scope.write(file, at: 0, length: 4) { (descriptor) throws(DocFSError) in
            #expect(throws: DocFSError.bodyChanged) { try content.snapshot() }
            return pwrite(descriptor, "some", 4, 0)
        }
        #expect(try content.snapshot().size == 1000)
        try fixture.close(file)
    }
}
