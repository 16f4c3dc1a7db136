import CFuse
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// S2: what the kernel may keep of a file's bytes, and when it is told to let go.
@Suite struct LocalContentTests {
    private func open(_ fixture: LocalFixture, _ path: String, _ flags: Int32 = O_RDWR) throws
        -> (OpenFile, Caching)
    {
        let number = try fixture.number(path)
        return try fixture.scope.open(number, flags: flags, caller: fixture.me)
    }

    @Test("Pages are kept from one open to the next while nobody changed the file")
    func keeps() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "text")
        fixture.scope.retain(try fixture.number("f"))
        let (first, one) = try open(fixture, "f")
        #expect(one == .drop)
        let (second, two) = try open(fixture, "f")
        #expect(two == .keep)
        try fixture.write(first, "own")
        fixture.scope.close(first)
        fixture.scope.close(second)
        let (third, three) = try open(fixture, "f")
        #expect(three == .keep)
        fixture.scope.close(third)
        // A rename and a change of mode of our own do not touch the bytes.
        try fixture.scope.rename(
            "f", in: fixture.scope.root, to: "g", in: fixture.scope.root, mode: .replace)
        var change = AttributeChange()
        change.mode = 0o600
        change.modified = .set(Timestamp(seconds: 5))
        _ = try fixture.scope.setAttributes(
            of: try fixture.number("g"), change, caller: fixture.me)
        let (fourth, four) = try open(fixture, "g")
        #expect(four == .keep)
        fixture.scope.close(fourth)
    }

    enum Foreign: CaseIterable {
        case append, rewrite, truncate, touch, rewriteAndSetTimeBack
    }

    private func change(_ foreign: Foreign, _ fixture: LocalFixture) throws {
        let before = try fixture.bare("f")
        let file = try Posix.open(
            at: fixture.directory.number, Array("f".utf8), flags: O_WRONLY)
        switch foreign {
        case .append:
            try Array("more".utf8).withUnsafeBytes { try Posix.write(file.number, $0, at: 4) }
        case .rewrite, .rewriteAndSetTimeBack:
            try Array("TEXT".utf8).withUnsafeBytes { try Posix.write(file.number, $0, at: 0) }
        case .truncate: try Posix.truncate(file.number, to: 1)
        case .touch: try Posix.setTimes(of: file.number, accessed: .keep, modified: .set(.zero))
        }
        if foreign == .rewriteAndSetTimeBack {
            try Posix.setTimes(of: file.number, accessed: .keep, modified: .set(before.modified))
        }
    }

    @Test(
        "Pages are dropped by the next open after others changed the file",
        arguments: Foreign.allCases)
    func drops(_ foreign: Foreign) throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "text")
        let number = try fixture.number("f")
        fixture.scope.retain(number)
        fixture.scope.close(try open(fixture, "f").0)
        try change(foreign, fixture)
        let (file, caching) = try open(fixture, "f")
        #expect(caching == .drop)
        fixture.scope.close(file)
        let (again, second) = try open(fixture, "f")
        #expect(second == .keep)
        fixture.scope.close(again)
    }

    @Test(
        "The kernel is told once when others change a file that is open",
        arguments: [Foreign.append, .rewrite, .truncate, .touch], [true, false])
    func tells(_ foreign: Foreign, byAttributes: Bool) throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "text")
        let number = try fixture.number("f")
        fixture.scope.retain(number)
        let (file, _) = try open(fixture, "f")
        defer { fixture.scope.close(file) }
        func look() throws {
            if byAttributes {
                _ = try fixture.scope.attributes(of: number)
            } else {
                fixture.scope.checkOpenFiles()
            }
        }
        try look()
        #expect(fixture.kernel.contentChanges() == [])
        try change(foreign, fixture)
        try look()
        #expect(fixture.kernel.contentChanges() == [number])
        try look()
        #expect(fixture.kernel.contentChanges() == [])
    }

    @Test("A change by others is told although a write of our own came after it")
    func foreignThenOwn() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "text")
        let number = try fixture.number("f")
        fixture.scope.retain(number)
        let (file, _) = try open(fixture, "f")
        defer { fixture.scope.close(file) }
        try change(.rewrite, fixture)
        try fixture.write(file, "o", at: 3)
        #expect(fixture.kernel.contentChanges() == [number])
        // Half a second later, say.
        fixture.scope.checkOpenFiles()
        var own = AttributeChange()
        own.modified = .set(Timestamp(seconds: 9))
        try change(.rewrite, fixture)
        _ = try fixture.scope.setAttributes(of: number, own, caller: fixture.me)
        #expect(fixture.kernel.contentChanges() == [number])
        #expect(try fixture.read(file) == "TEXT")
    }

    @Test("What others append between two writes of our own is told")
    func foreignBetweenOwn() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "text")
        let number = try fixture.number("f")
        fixture.scope.retain(number)
        let (file, _) = try open(fixture, "f")
        defer { fixture.scope.close(file) }
        try fixture.write(file, "o", at: 0)
        let other = try Posix.open(
            at: fixture.directory.number, Array("f".utf8), flags: O_WRONLY | O_APPEND)
        #expect(Glibc.write(other.number, "more", 4) == 4)
        try fixture.write(file, "o", at: 1)
        fixture.scope.checkOpenFiles()
        #expect(fixture.kernel.contentChanges() == [number])
        // Later than a tick of the kernel's clock after our own write, the time alone tells.
        try fixture.write(file, "o", at: 2)
        usleep(20_000)
        try change(.rewrite, fixture)
        fixture.scope.checkOpenFiles()
        #expect(fixture.kernel.contentChanges() == [number])
    }

    @Test("Nothing that is done through the scope is taken for a change by others")
    func ownChanges() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let (made, file, _) = try scope.create(
            "f", in: scope.root, mode: 0o644, flags: O_RDWR, caller: fixture.me)
        let number = try #require(made.attributes).number
        scope.retain(number)
        let (other, _) = try open(fixture, "f")
        func look() throws {
            scope.checkOpenFiles()
            _ = try scope.attributes(of: number)
            _ = try scope.lookup("f", in: scope.root)
        }
        for count in 0..<50 {
            try fixture.write(file, "line \(count)\n", at: UInt64(count * 8))
            try look()
        }
        try scope.allocate(file, mode: 0, offset: 0, length: 10000)
        try look()
        #expect(try scope.copyRange(from: file, at: 0, to: other, at: 8192, length: 100) == 100)
        try look()
        var change = AttributeChange()
        change.size = 10
        change.modified = .set(Timestamp(seconds: 1))
        _ = try scope.setAttributes(of: number, change, through: file, caller: fixture.me)
        try look()
        scope.close(try scope.open(number, flags: O_WRONLY | O_TRUNC, caller: fixture.me).0)
        try look()
        try scope.flush(file)
        try scope.sync(file, dataOnly: false)
        scope.close(file)
        scope.close(other)
        try look()
        #expect(fixture.kernel.contentChanges() == [])
    }

    @Test("A status from before a write of our own is not held against what it wrote")
    func outdatedStatus() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "text")
        let number = try fixture.number("f")
        fixture.scope.retain(number)
        let (file, _) = try open(fixture, "f")
        defer { fixture.scope.close(file) }
        let table = fixture.scope.table
        let status = try fixture.bare("f")
        let epoch = table.epoch(of: number)
        try fixture.write(file, "longer text")
        #expect(!table.observe(number, status, epoch: epoch))
        // Nor is one from within a change.
        _ = table.beginChange(number)
        #expect(!table.observe(number, status, epoch: table.epoch(of: number)))
        #expect(!table.endWrite(number, before: nil, upTo: 0))
        #expect(table.observe(number, status, epoch: table.epoch(of: number)))
    }

    @Test("Many writers and many who look at once cause no invalidation")
    func manyWriters() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fixture.put("f", "")
        let number = try fixture.number("f")
        scope.retain(number)
        let failures = Mutex(0)
        onThreads(6) { index in
            do {
                let (file, _) = try self.open(fixture, "f")
                for round in 0..<300 {
                    if index < 3 {
                        try fixture.write(file, "x", at: UInt64(round * 3 + index))
                    } else {
                        _ = try scope.attributes(of: number)
                        scope.checkOpenFiles()
                    }
                }
                scope.close(file)
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(fixture.kernel.contentChanges() == [])
        #expect(try fixture.attributes("f").size == 900)
    }

    @Test("An appending handle appends where the file ends, also after others appended")
    func appends() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "text")
        fixture.scope.retain(try fixture.number("f"))
        let (file, _) = try open(fixture, "f", O_WRONLY | O_APPEND)
        try change(.append, fixture)
        try fixture.append(file, "!")
        fixture.scope.close(file)
        let (reader, _) = try open(fixture, "f", O_RDONLY)
        #expect(try fixture.read(reader) == "textmore!")
        fixture.scope.close(reader)
        #expect(fixture.kernel.contentChanges().count == 1)
    }

    @Test("Holes and data are where the disk has them")
    func seeks() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "")
        let (file, _) = try open(fixture, "f")
        defer { fixture.scope.close(file) }
        try fixture.write(file, "data", at: 1 << 20)
        #expect(try fixture.scope.seek(file, offset: 0, whence: docfs_seek_data) == 1 << 20)
        #expect(try fixture.scope.seek(file, offset: 0, whence: docfs_seek_hole) == 0)
        #expect(throws: DocFSError.noMoreData) {
            try fixture.scope.seek(file, offset: 2 << 20, whence: docfs_seek_data)
        }
        try fixture.scope.allocate(
            file, mode: docfs_falloc_keep_size | docfs_falloc_punch_hole, offset: 1 << 20,
            length: 4096)
        #expect(throws: DocFSError.noMoreData) {
            try fixture.scope.seek(file, offset: 0, whence: docfs_seek_data)
        }
    }
}

/// Does `body` on `count` threads of its own, and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Work: Sendable {
        let index: Int
        let body: @Sendable (Int) -> Void
        init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.index = index
            self.body = body
        }
    }
    var threads: [pthread_t] = []
    for index in 0..<count {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(index, body)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { raw in
                let work = Unmanaged<Work>.fromOpaque(raw!).takeRetainedValue()
                work.body(work.index)
                return nil
            }, work)
        precondition(result == 0, "a thread can be made")
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}
