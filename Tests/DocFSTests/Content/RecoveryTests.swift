import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// What a process that dies leaves, taken over by the next one on the same state directory.
@Suite struct RecoveryTests {
    // S13
    @Test("Bytes that were flushed, and the size that a write had reached, survive")
    func unflushed() async throws {
        let first = try CloudFixture()
        try first.put("doc", "one")
        try first.acknowledge("doc")
        let file = try first.open("doc", O_RDWR)
        try first.write(file, Array("longer than before".utf8))
        // No flush, no close: the process is gone.
        let second = try CloudFixture(reopening: first)
        let row = try second.row("doc")
        #expect(row.size == 18 && !row.isUnflushed && row.divergence == .written)
        #expect(try second.isPending(row.item))
        #expect(try await second.text("doc") == "longer than before")
        first.scope.close(file)
    }

    // S13
    @Test("A document that was just made, and not written, is an empty document")
    func created() async throws {
        let first = try CloudFixture()
        let (_, file, _) = try first.scope.create(
            "doc", in: first.scope.root, mode: 0o600, flags: O_CREAT | O_WRONLY, caller: first.me)
        // The row is committed before its file is made.
        unlink(first.contentPath(try first.row("doc")))
        let second = try CloudFixture(reopening: first)
        #expect(try await second.readAll("doc") == [])
        first.scope.close(file)
    }

    // S8, S13
    @Test("What was written into a placeholder survives, and the rest is fetched again")
    func partial() async throws {
        let first = try CloudFixture()
        let bytes = CloudFixture.bytes(2_000_000)
        try first.addPlaceholder("doc", bytes)
        first.bodies.change { $0.isHeld = true }
        let file = try first.open("doc", O_RDWR)
        _ = try await CloudFixture.blocking {
            try first.write(file, [1, 2, 3], at: 1_000_000)
            try file.content?.setSize(1_500_000)
            try file.content?.setSize(1_600_000)
        }
        let bodies = FakeBodies(first.bodies.behaviour.withLock { $0 })
        bodies.change { $0.isHeld = false }
        let second = try CloudFixture(reopening: first, bodies: bodies)
        var expected = Array(bytes.prefix(1_500_000)) + [UInt8](repeating: 0, count: 100_000)
        expected.replaceSubrange(1_000_000..<1_000_003, with: [1, 2, 3])
        #expect(try second.attributes("doc").size == 1_600_000)
        #expect(try await second.readAll("doc") == expected)
        try await eventually("current") { try second.row("doc").state == .current }
        // What was cut off is fetched for the digest alone.
        #expect(bodies.asked.filter { $0.upperBound > 1_500_000 } == [1_500_000..<2_000_000])
        first.bodies.change { $0.isHeld = false }
        first.scope.close(file)
    }

    // S6
    @Test("A content file that was cut short is fetched again, never read")
    func damaged() async throws {
        let first = try CloudFixture()
        let bytes = CloudFixture.bytes(100_000)
        let row = try first.addPlaceholder("doc", bytes)
        #expect(try await first.readAll("doc") == bytes)
        try await eventually("current") { try first.row("doc").state == .current }
        truncate(first.contentPath(row), 99_999)
        let second = try CloudFixture(reopening: first, bodies: first.bodies)
        #expect(try await second.readAll("doc") == bytes)
        try await eventually("current") { try second.row("doc").state == .current }
        unlink(second.contentPath(row))
        let third = try CloudFixture(reopening: first, bodies: first.bodies)
        try await CloudFixture.blocking { try third.contents.sweepRows() }
        #expect(try third.row("doc").state == ContentState.none)
        #expect(try await third.readAll("doc") == bytes)
    }

    // S24
    @Test("A content file that is not what the store has is not handed over to Local")
    func damagedHandover() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(100_000)
        try fixture.addPlaceholder("doc", bytes)
        #expect(try await fixture.readAll("doc") == bytes)
        try await eventually("current") { try fixture.row("doc").state == .current }
        let row = try fixture.row("doc")
        #expect(try fixture.contents.isWhole(row))
        let file = try Posix.open(path: fixture.contentPath(row), flags: O_RDWR)
        _ = pwrite(file.number, [bytes[7] ^ 1], 1, 7)
        #expect(try !fixture.contents.isWhole(row))
        _ = pwrite(file.number, bytes, bytes.count, 0)
        #expect(try fixture.contents.isWhole(row))
        truncate(fixture.contentPath(row), 50_000)
        #expect(try !fixture.contents.isWhole(row))
    }

    // S6
    @Test("A damaged content file is not sealed when its document was sent without being read")
    func damagedAndMoved() async throws {
        let first = try CloudFixture()
        let bytes = CloudFixture.bytes(100_000)
        let row = try first.addPlaceholder("doc", bytes)
        #expect(try await first.readAll("doc") == bytes)
        try await eventually("current") { try first.row("doc").state == .current }
        let file = try Posix.open(path: first.contentPath(row), flags: O_RDWR)
        _ = pwrite(file.number, [bytes[7] ^ 1], 1, 7)
        // The store has its new name.
        first.contents.applied([.sent(ino: row.ino)])
        let second = try CloudFixture(reopening: first, bodies: first.bodies)
        #expect(try await second.readAll("doc") == bytes)
    }

    @Test("A damaged file that holds an edit is kept, and never read")
    func damagedEdit() async throws {
        let first = try CloudFixture()
        try first.put("doc", CloudFixture.bytes(1000))
        let row = try first.row("doc")
        truncate(first.contentPath(row), 10)
        let second = try CloudFixture(reopening: first)
        #expect(throws: DocFSError.self) { try second.open("doc") }
        #expect(try second.row("doc").error != nil)
        #expect(access(second.contentPath(row), F_OK) == 0)
    }

    // S13
    @Test("Dying between the row and the file of a cut to nothing leaves an empty document")
    func cut() async throws {
        let first = try CloudFixture()
        let bytes = CloudFixture.bytes(5000)
        let row = try first.addPlaceholder("doc", bytes)
        let file = try first.open("doc", O_WRONLY)
        try file.content?.setSize(0)
        let old = try Posix.open(path: first.contentPath(row), flags: O_RDWR)
        _ = pwrite(old.number, bytes, bytes.count, 0)
        let second = try CloudFixture(reopening: first)
        #expect(try await second.readAll("doc") == [])
        first.scope.close(file)
    }

    @Test("Unlinked documents go when nobody needs them, at the latest with the next start")
    func orphans() async throws {
        let first = try CloudFixture()
        try first.put("doc", "bytes")
        let row = try first.row("doc")
        first.contents.retain(row.ino)
        let file = try first.open("doc")
        try first.scope.unlink("doc", in: first.scope.root, caller: first.me)
        #expect(try await first.readAll(file) == Array("bytes".utf8))
        #expect(try first.scope.attributes(of: file.number).attributes?.links == 0)
        let second = try CloudFixture(reopening: first)
        #expect(try second.row(row.ino) == nil)
        #expect(access(first.contentPath(row), F_OK) != 0)
        first.scope.close(file)

        try first.put("two", "bytes")
        let two = try first.row("two")
        first.contents.retain(two.ino)
        let other = try first.open("two")
        try first.scope.unlink("two", in: first.scope.root, caller: first.me)
        first.scope.close(other)
        // Time enough to go too early.
        try await Task.sleep(nanoseconds: 50_000_000)
        #expect(try first.row(two.ino) != nil, "the kernel still knows it")
        first.contents.forget(two.ino)
        try await eventually("gone") {
            try first.row(two.ino) == nil && access(first.contentPath(two), F_OK) != 0
        }
    }

    @Test("Files that no row tells of go")
    func strays() async throws {
        let first = try CloudFixture()
        try first.put("doc", "kept")
        mkdir(first.path + "/contents/7f", 0o700)
        let stray = first.path + "/contents/7f/9999999"
        _ = try Posix.open(path: stray, flags: O_CREAT | O_WRONLY, mode: 0o600)
        try await CloudFixture.blocking { try first.contents.sweepFiles() }
        #expect(access(stray, F_OK) != 0)
        #expect(try await first.text("doc") == "kept")
    }
}
