internal import Synchronization
import TestSupport
internal import Testing

@testable import DocFS

/// `versions`: earlier bodies, as the catalog knows them.
struct VersionsTests {
    private let fixture: ControlFixture
    private let directory: LocalItem
    private let document: LocalItem

    init() throws { try self.init(deadline: .seconds(60)) }

    private init(deadline: Duration) throws {
        fixture = try ControlFixture(deadline: deadline)
        directory = try fixture.addDirectory("dir")
        document = try fixture.add("doc.txt", to: directory, mode: LocalItem.typeFile | 0o604)
    }

    @Test("Directories mirror the documents' tree; each document is a directory of its versions")
    func tree() throws {
        try fixture.add("link", mode: LocalItem.typeSymlink | 0o777) { $0.target = [0x61] }
        #expect(try fixture.list("versions") == ["Cloud"])
        #expect(try fixture.list("versions/Cloud") == ["dir"])
        #expect(try fixture.list("versions/Cloud/dir") == ["doc.txt"])
        #expect(try fixture.list("versions/Cloud/dir/doc.txt") == [])
        #expect(try fixture.find("versions/Cloud/link") == nil)
        #expect(try fixture.find("versions/Local") == nil)
        let shown = try fixture.stat("versions/Cloud/dir/doc.txt")
        #expect(shown.mode == LocalItem.typeDirectory | 0o705)
        #expect(shown.owner == 1 && shown.group == 2 && shown.modified == document.modified)
    }

    @Test("A large directory is listed whole, whatever is left out of it")
    func largeDirectory() throws {
        for index in 0..<300 {
            try fixture.add(
                Name("entry \(index)"), to: directory,
                mode: (index % 3 == 0 ? LocalItem.typeSymlink : LocalItem.typeFile) | 0o644)
        }
        #expect(try fixture.list("versions/Cloud/dir").count == 201)
    }

    @Test("Versions are named by moment and device, with the document's extension, each unique")
    func names() throws {
        try fixture.addVersion(of: document, "c", device: "b/o")
        try fixture.addVersion(of: document, "b")
        try fixture.addVersion(of: document, "a", size: 4)
        try fixture.addVersion(of: document, "d", recorded: 1_650_000_001)
        // Who saved it and when, where that is known, not who replaced it.
        try fixture.addVersion(
            of: document, "e", saver: Saver(device: "carol", time: 1_649_999_999))
        #expect(
            try fixture.list("versions/Cloud/dir/doc.txt") == [
                "2022-04-15 05.19.59 carol.txt", "2022-04-15 05.20.00 b-o.txt",
                "2022-04-15 05.20.00 bob 2.txt",
                "2022-04-15 05.20.00 bob.txt", "2022-04-15 05.20.01 bob.txt",
            ])
        // The same on every device: counted by revision, not by the order of arrival.
        let first = try fixture.stat("versions/Cloud/dir/doc.txt/2022-04-15 05.20.00 bob.txt")
        #expect(first.size == 4)
        #expect(first.mode == LocalItem.typeFile | 0o404)
        #expect(first.modified == Timestamp(seconds: 1_400_000_000))
        #expect(first.changed == Timestamp(seconds: 1_650_000_000))
        #expect(first.blocks == 1)
    }

    @Test("S19: who owns a document removes its versions; no name changes by that")
    func removes() throws {
        let owner = Ownership(user: 1, group: 2, mode: 0o644)
        for revision in ["a", "b", "c"] {
            try fixture.addVersion(of: document, revision, ownership: owner)
        }
        let versions: ItemPath = "versions/Cloud/dir/doc.txt"
        try fixture.unlink(versions.appending(Name("2022-04-15 05.20.00 bob.txt")))
        #expect(fixture.documents.calls == ["remove \(fixture.scope.id) a"])
        // What the engine does first.
        try fixture.catalog.write { (write) throws(DocFSError) in
            try write.addUnwanted("v/a", scope: fixture.scope.id)
        }
        #expect(
            try fixture.list(versions) == [
                "2022-04-15 05.20.00 bob 2.txt", "2022-04-15 05.20.00 bob 3.txt",
            ])
        #expect(throws: DocFSError.notFound) {
            try fixture.unlink(versions.appending(Name("2022-04-15 05.20.00 bob.txt")))
        }
    }

    @Test("S19, S31: nobody else removes one, nor anything else that is shown there")
    func refusesToRemove() throws {
        for (revision, user) in [("a", 1), ("b", 9)] as [(String, UInt32)] {
            try fixture.addVersion(
                of: document, revision, ownership: Ownership(user: user, group: 9, mode: 0o644))
        }
        // Nobody knows whose: it is shown as the mount owner's.
        try fixture.addVersion(of: document, "c")
        let versions: ItemPath = "versions/Cloud/dir/doc.txt"
        let (first, second) = (
            versions.appending(Name("2022-04-15 05.20.00 bob.txt")),
            versions.appending(Name("2022-04-15 05.20.00 bob 2.txt"))
        )
        let third = versions.appending(Name("2022-04-15 05.20.00 bob 3.txt"))
        let owner = Caller(user: 1, group: 2, thread: 0)
        let other = Caller(user: 9, group: 2, thread: 0)
        for (path, caller) in [
            (first, other), (second, owner), (second, other), (third, owner), (versions, owner),
            ("versions/Cloud/dir", owner), ("versions/Cloud", owner), ("versions", owner),
            ("status", owner),
        ] as [(ItemPath, Caller)] {
            #expect(throws: DocFSError.notPermitted, "\(path)") {
                try fixture.unlink(path, by: caller)
            }
        }
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isReadOnly = true }
        #expect(throws: DocFSError.readOnly) { try fixture.unlink(first, by: owner) }
        #expect(fixture.documents.calls.isEmpty)
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isReadOnly = false }
        let root = Caller(user: 0, group: 0, thread: 0)
        for path in [first, second, third] { try fixture.unlink(path, by: root) }
        #expect(fixture.documents.calls.count == 3)
    }

    @Test("A version is read as it was, in any piece")
    func reads() async throws {
        let size: UInt64 = 5 << 20 | 77
        try fixture.addVersion(of: document, "a", size: size)
        let file = try fixture.open("versions/Cloud/dir/doc.txt/2022-04-15 05.20.00 bob.txt")
        for (offset, length) in [
            (0, 10), (1 << 20 - 5, 10), (4 << 20, 1 << 20), (size - 3, 100), (size, 1),
            (0, 1 << 20), (.max, 5),
        ] as [(UInt64, Int)] {
            let bytes = try await all(file, offset, length)
            let end = offset > size ? offset : min(size, offset + UInt64(length))
            let wanted = (min(offset, end)..<end).map(ControlBodies.byte)
            #expect(bytes == wanted, "\(length) bytes from \(offset)")
        }
        fixture.control.close(file)
    }

    /// The bytes of a read, waited for.
    private func all(_ file: any ControlRequests.Handle, _ offset: UInt64, _ length: Int)
        async throws -> [UInt8]
    {
        switch try fixture.control.read(
            file, at: offset, length: length, isNonBlocking: false)
        {
        case .bytes(let bytes): return bytes
        case .range: throw DocFSError.badHandle
        case .waiting(let read):
            let outcome = await withCheckedContinuation { continuation in
                read.whenEnded { continuation.resume(returning: $0) }
            }
            switch outcome {
            case .bytes(let bytes): return bytes
            case .failed(let error): throw error
            case .range: throw DocFSError.badHandle
            }
        }
    }

    @Test("Readers of the same bytes share one fetch; bytes that are here are not fetched again")
    func shares() async throws {
        try fixture.addVersion(of: document, "a", size: 3 << 20)
        let file = try fixture.open("versions/Cloud/dir/doc.txt/2022-04-15 05.20.00 bob.txt")
        async let first = all(file, 0, 100)
        async let second = all(file, 50, 100)
        _ = try await (first, second)
        for offset in stride(from: 0, to: 3 << 20, by: 1 << 17) {
            _ = try await all(file, UInt64(offset), 1 << 17)
        }
        let ranges = fixture.bodies.state.withLock { $0.ranges }
        #expect(ranges.map(\.lowerBound).sorted() == [0, 1 << 20, 2 << 20])
    }

    @Test("S32: what the store refuses is told to who reads, and tried anew by the next read")
    func fails() async throws {
        try fixture.addVersion(of: document, "a", size: 100)
        let file = try fixture.open("versions/Cloud/dir/doc.txt/2022-04-15 05.20.00 bob.txt")
        fixture.bodies.state.withLock { $0.failure = .revisionGone }
        await #expect(throws: DocFSError.revisionGone) { try await all(file, 0, 10) }
        fixture.bodies.state.withLock { $0.failure = nil }
        #expect(try await all(file, 0, 10).count == 10)
    }

    @Test("S7: without one byte for the deadline a read ends, and its fetch with it")
    func deadline() async throws {
        try await VersionsTests(deadline: .seconds(1)).readFromSilence()
    }

    private func readFromSilence() async throws {
        try fixture.addVersion(of: document, "a", size: 100)
        let file = try fixture.open("versions/Cloud/dir/doc.txt/2022-04-15 05.20.00 bob.txt")
        fixture.bodies.state.withLock { $0.isSilent = true }
        await #expect(throws: DocFSError.deadline) { try await all(file, 0, 10) }
        fixture.bodies.state.withLock { $0.isSilent = false }
        #expect(try await all(file, 0, 10).count == 10)
        try await cancelled(1)
    }

    @Test("S7: a fetch ends with its last reader, interrupted or closed")
    func interrupted() async throws {
        try fixture.addVersion(of: document, "a", size: 100)
        let path: ItemPath = "versions/Cloud/dir/doc.txt/2022-04-15 05.20.00 bob.txt"
        fixture.bodies.state.withLock { $0.isSilent = true }
        let file = try fixture.open(path)
        let answer = try fixture.control.read(file, at: 0, length: 10, isNonBlocking: false)
        guard case .waiting(let read) = answer else { throw DocFSError.invalidArgument }
        read.cancel()
        try await cancelled(1)
        let other = try fixture.open(path)
        _ = try fixture.control.read(other, at: 0, length: 10, isNonBlocking: false)
        fixture.control.close(other)
        try await cancelled(2)
    }

    private func cancelled(_ count: Int) async throws {
        try await eventually("cancelled") {
            fixture.bodies.state.withLock { $0.cancelled } >= count
        }
        #expect(fixture.bodies.state.withLock { $0.cancelled } == count)
    }

    @Test("A version is not written, and does not move out")
    func readOnly() throws {
        try fixture.addVersion(of: document, "a")
        let path: ItemPath = "versions/Cloud/dir/doc.txt/2022-04-15 05.20.00 bob.txt"
        let number = try fixture.stat(path).number
        #expect(throws: DocFSError.notPermitted) {
            try fixture.control.open(number, forWriting: true, caller: fixture.me)
        }
        #expect(throws: DocFSError.notPermitted) { try fixture.restore(path, as: "out") }
        #expect(throws: DocFSError.notPermitted) {
            try fixture.restore("versions/Cloud/dir", as: "out")
        }
    }

    @Test("S4: numbers are the same for lookup and listing, and given back when forgotten")
    func numbers() throws {
        try fixture.addVersion(of: document, "a")
        let path: ItemPath = "versions/Cloud/dir/doc.txt/2022-04-15 05.20.00 bob.txt"
        let number = try fixture.stat(path).number
        #expect(fixture.control.places.count == 1)
        #expect(try fixture.stat(path).number == number)
        var listed: [FileNumber] = []
        let listing = try fixture.control.openDirectory(try fixture.stat(path.parent).number)
        try fixture.control.list(listing, from: 0, withAttributes: false) { entry in
            listed.append(entry.number)
            return true
        }
        #expect(listed == [number])
        fixture.control.forget(number)
        #expect(fixture.control.places.count == 0)
        #expect(throws: DocFSError.stale) { try fixture.control.attributes(of: number) }
    }
}
