import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

@Suite struct HydrationTests {
    static let sizes = [1, 4096, 131_072, 131_073, 4 << 20, (4 << 20) + 1, 11 << 20]

    // S3, S5
    @Test("Looking at a placeholder fetches nothing, reading it brings its bytes", arguments: sizes)
    func whole(_ size: Int) async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(size)
        try fixture.addPlaceholder("doc", bytes)
        #expect(try fixture.attributes("doc").size == UInt64(size))
        #expect(try fixture.attributes("doc").blocks == UInt64(size + 511) / 512)
        let file = try fixture.open("doc")
        #expect(fixture.bodies.asked.isEmpty)
        #expect(try await fixture.readAll(file) == bytes)
        fixture.scope.close(file)
        try await eventually("current") { try fixture.row("doc").state == .current }
        #expect(try await fixture.readAll("doc") == bytes)
        let asked = RangeSet(fixture.bodies.asked)
        #expect(asked.ranges == [0..<UInt64(size)])
        #expect(fixture.bodies.asked.reduce(0) { $0 + $1.count } == size, "nothing twice")
        if size <= 4 << 20 { #expect(fixture.bodies.asked.count == 1) }
    }

    // S5
    @Test("A read waits for its own range only, and a second opener joins the download")
    func range() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(20 << 20)
        try fixture.addPlaceholder("doc", bytes)
        let file = try fixture.open("doc")
        let other = try fixture.open("doc")
        #expect(file.content === other.content)
        let part = try await fixture.read(file, at: 15_000_000, length: 1000)
        #expect(part == Array(bytes[15_000_000..<15_001_000]))
        let first = try #require(fixture.bodies.asked.first)
        #expect(first.lowerBound % 8192 == 0 && first.contains(15_000_000))
        #expect(first.count <= 16_384)
        #expect(try await fixture.readAll(other) == bytes)
        #expect(fixture.bodies.asked.reduce(0) { $0 + $1.count } == bytes.count)
        fixture.scope.close(file)
        fixture.scope.close(other)
    }

    // S10
    @Test("A look brings its own range; reading on brings more and more, and at last all")
    func looks() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(3 << 20)
        let row = try fixture.addPlaceholder("doc", bytes)
        let file = try fixture.open("doc")
        func look(at offset: Int) async throws -> [Range<UInt64>] {
            let asked = fixture.bodies.asked.count
            let part = try await fixture.read(file, at: UInt64(offset), length: 4096)
            #expect(part == Array(bytes[offset..<offset + 4096]))
            return Array(fixture.bodies.asked[asked...])
        }
        #expect(try await look(at: 0) == [0..<8192])
        #expect(try await look(at: 4096) == [])
        #expect(try await look(at: 2 << 20) == [2 << 20..<(2 << 20) + 8192])
        #expect(try await look(at: 8192) == [8192..<16_384])
        #expect(try await look(at: 16_384) == [16_384..<32_768])
        #expect(try await look(at: 32_768) == [32_768..<65_536])
        #expect(try await look(at: 65_536) == [65_536..<131_072])
        #expect(fixture.contents.percent(of: row) < 10)
        _ = try await look(at: 131_072)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        fixture.scope.close(file)
        #expect(fixture.bodies.asked.reduce(0) { $0 + $1.count } == bytes.count)
    }

    // S10
    @Test("Who is known for long looks has its ranges fetched and no more, and another reader all")
    func longLooks() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(5 << 20)
        let row = try fixture.addPlaceholder("doc", bytes)
        let content = try fixture.contents.open(row.ino, forWriting: false).0
        defer { fixture.contents.close(content, forWriting: false) }
        func look(at offset: Int, length: Int) async {
            await withCheckedContinuation { ended in
                content.wait(at: UInt64(offset), length: length, isLook: true) { _ in ended.resume()
                }
            }
        }
        for offset in stride(from: 0, to: 1 << 20, by: 128 << 10) {
            await look(at: offset, length: 128 << 10)
        }
        await look(at: 4 << 20, length: 1 << 20)
        // Where it reads on, what comes next is fetched ahead of it, 128 KiB at most.
        #expect(fixture.bodies.asked.reduce(0) { $0 + $1.count } <= (2 << 20) + (256 << 10))
        #expect(fixture.contents.percent(of: row) < 50)
        let file = try fixture.open("doc")
        _ = try await fixture.read(file, at: 2 << 20, length: 4096)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        fixture.scope.close(file)
        #expect(try await fixture.readAll("doc") == bytes)
    }

    // S10
    @Test("What was looked at in one place and another is the whole in the end")
    func scatteredLooks() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(2 << 20)
        let row = try fixture.addPlaceholder("doc", bytes)
        let file = try fixture.open("doc")
        // Every second page, so that nothing looks like reading on.
        for offset in stride(from: 0, to: 2 << 20, by: 16_384) {
            let part = try await fixture.read(file, at: UInt64(offset), length: 100)
            #expect(part == Array(bytes[offset..<offset + 100]))
        }
        #expect(fixture.bodies.asked.allSatisfy { $0.count == 8192 })
        _ = try await fixture.read(file, at: 8192, length: 100)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        fixture.scope.close(file)
        #expect(try await fixture.readAll("doc") == bytes)
    }

    @Test("Reads at and after the end are empty, at once")
    func end() async throws {
        let fixture = try CloudFixture()
        try fixture.addPlaceholder("doc", CloudFixture.bytes(100))
        let file = try fixture.open("doc")
        #expect(try await fixture.read(file, at: 100, length: 10) == [])
        #expect(try await fixture.read(file, at: 1 << 40, length: 10) == [])
        #expect(fixture.bodies.asked.isEmpty)
        #expect(try await fixture.read(file, at: 90, length: 100).count == 10)
        fixture.scope.close(file)
    }

    // S6
    @Test("Bytes that are not those announced are never read", arguments: [5000, 9 << 20])
    func wrongDigest(_ size: Int) async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(size)
        let row = try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.isWrong = true }
        let file = try fixture.open("doc")
        if size <= 4 << 20 {
            await #expect(throws: DocFSError.self) { try await fixture.readAll(file) }
        } else {
            // Single pieces of a large document are read as they come.
            _ = try? await fixture.readAll(file)
        }
        try await eventually("error") { try fixture.row(row.ino)?.error != nil }
        #expect(try fixture.row(row.ino)?.state == ContentState.none)
        fixture.scope.close(file)
        try await eventually("let go") {
            fixture.contents.openContent(row.ino) == nil
                && access(fixture.contentPath(row), F_OK) != 0
        }
        fixture.bodies.change { $0.isWrong = false }
        #expect(try await fixture.readAll("doc") == bytes)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        #expect(try fixture.row(row.ino)?.error == nil)
    }

    // S5, S6
    @Test("Who reads a small document has its bytes, also when they cannot be kept")
    func unkept() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(5000)
        let row = try fixture.addPlaceholder("doc", bytes)
        // The first document that is kept makes the directories.
        try fixture.addPlaceholder("beside", [1])
        _ = try await fixture.readAll("beside")
        try await eventually("kept") { try fixture.row("beside").state == .current }
        // Nothing can be made where something else lies that cannot be removed.
        let inTheWay = fixture.contentPath(row)
        try #require(mkdir(inTheWay, 0o700) == 0 && mkdir(inTheWay + "/full", 0o700) == 0)
        #expect(try await fixture.readAll("doc") == bytes)
        try await eventually("words") { try fixture.row(row.ino)?.error != nil }
        #expect(try fixture.row(row.ino)?.state == ContentState.none)
        try #require(rmdir(inTheWay + "/full") == 0 && rmdir(inTheWay) == 0)
        try await eventually("let go") { fixture.contents.openContent(row.ino) == nil }
        #expect(try await fixture.readAll("doc") == bytes)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        #expect(try fixture.row(row.ino)?.error == nil)
    }

    // S5, S13
    @Test("What is written while a small document comes stays, and the rest is the store's")
    func writtenMeanwhile() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(5000)
        let row = try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.isHeldHalfway = true }
        let file = try fixture.open("doc", O_RDWR)
        async let read = fixture.read(file, at: 0, length: 5000)
        try await eventually("asked for") { !fixture.bodies.asked.isEmpty }
        _ = try fixture.write(file, [1, 2, 3], at: 1000)
        fixture.bodies.change { $0.isHeldHalfway = false }
        var expected = bytes
        expected.replaceSubrange(1000..<1003, with: [1, 2, 3])
        #expect(try await read == expected)
        fixture.scope.close(file)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        #expect(try await fixture.readAll("doc") == expected)
    }

    // S6
    @Test("A fetch that ends early, or with an error after some bytes, leaves nothing to read")
    func short() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(300_000)
        let row = try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.missing = 7 }
        await #expect(throws: DocFSError.corrupt("the store sent fewer bytes")) {
            try await fixture.readAll("doc")
        }
        fixture.bodies.change {
            $0.missing = 0
            $0.error = .credentialsRefused("no")
            $0.bytesBeforeError = 299_999
        }
        await #expect(throws: DocFSError.credentialsRefused("no")) {
            try await fixture.readAll("doc")
        }
        // No fault of the document's: its row does not learn of it.
        #expect(
            fixture.contents.refusal(of: row) == DocFSError.credentialsRefused("no").sentence)
        fixture.bodies.change { $0.error = nil }
        #expect(try await fixture.readAll("doc") == bytes)
        #expect(fixture.contents.refusal(of: row) == nil)
    }

    // S7, S12
    @Test("Offline a read fails at once, without a fetch")
    func offline() async throws {
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(100))
        fixture.bodies.change { $0.offline = .offline("the cable") }
        await #expect(throws: DocFSError.offline("the cable")) {
            try await fixture.readAll("doc")
        }
        #expect(fixture.bodies.asked.isEmpty)
        #expect(
            fixture.contents.refusal(of: row) == DocFSError.offline("the cable").sentence)
        #expect(try fixture.row(row.ino)?.error == nil)
        fixture.bodies.change { $0.offline = nil }
        #expect(try await fixture.readAll("doc").count == 100)
    }

    // S7
    @Test("A cancelled read ends at once; the download goes on for the others")
    func cancel() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(100_000)
        let row = try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.isHeld = true }
        let file = try fixture.open("doc")
        guard case .waiting(let read) = try fixture.scope.read(file, at: 0, length: 10) else {
            Issue.record("a held fetch has brought bytes")
            return
        }
        read.cancel()
        let outcome = await withCheckedContinuation { continuation in
            read.whenEnded { continuation.resume(returning: $0) }
        }
        guard case .failed(.interrupted) = outcome else {
            Issue.record("ended as \(outcome)")
            return
        }
        fixture.bodies.change { $0.isHeld = false }
        fixture.scope.close(file)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        #expect(try await fixture.readAll("doc") == bytes)
    }

    @Test("An empty document becomes current without a fetch")
    func empty() async throws {
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", [])
        #expect(try await fixture.readAll("doc") == [])
        try fixture.contents.hydrate(row.ino)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        #expect(fixture.bodies.asked.isEmpty)
    }

    // S8
    @Test("When the same bytes are kept under a new revision, the download follows")
    func revisionGone() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(50_000)
        let row = try fixture.addPlaceholder("doc", bytes)
        let file = try fixture.open("doc")
        fixture.bodies.change { $0.bodies = [Revision("moved"): bytes] }
        try fixture.catalog.write { (writer) throws(DocFSError) in
            guard var changed = try writer.read.local(row.ino) else { throw .notFound }
            changed.basis = Revision("moved")
            changed.sourceRevision = Revision("moved")
            try writer.update(changed)
        }
        #expect(try await fixture.readAll(file) == bytes)
        fixture.bodies.change { $0.bodies = [:] }
        fixture.scope.close(file)
        let gone = try fixture.addPlaceholder("gone", bytes)
        fixture.bodies.change { $0.bodies = [:] }
        await #expect(throws: DocFSError.revisionGone) { try await fixture.readAll("gone") }
        try await eventually("error") { try fixture.row(gone.ino)?.error != nil }
    }

    // S8
    @Test("When another body has the place, the download does not go over to it")
    func otherRevision() async throws {
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(50_000))
        let file = try fixture.open("doc")
        let other = CloudFixture.bytes(60_000, seed: 2)
        fixture.bodies.change { $0.bodies = [Revision("other"): other] }
        try fixture.catalog.write { (writer) throws(DocFSError) in
            guard var changed = try writer.read.local(row.ino) else { throw .notFound }
            changed.basis = Revision("other")
            changed.sourceRevision = Revision("other")
            changed.sourceDigest = nil
            try writer.update(changed)
        }
        await #expect(throws: DocFSError.revisionGone) { try await fixture.readAll(file) }
        fixture.scope.close(file)
    }

    // S11
    @Test("Evicting drops the bytes and keeps the placeholder, and is refused when it would lose")
    func evict() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(10_000)
        let row = try fixture.addPlaceholder("doc", bytes)
        #expect(try await fixture.readAll("doc") == bytes)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        let file = try fixture.open("doc")
        #expect(throws: DocFSError.busy) { try fixture.contents.evict(row.ino) }
        fixture.scope.close(file)
        try await eventually("evicted") {
            (try? fixture.contents.evict(row.ino)) != nil
        }
        #expect(try fixture.row(row.ino)?.state == ContentState.none)
        #expect(access(fixture.contentPath(row), F_OK) != 0)
        #expect(try await fixture.readAll("doc") == bytes)
        let writer = try fixture.open("doc", O_WRONLY)
        try fixture.write(writer, [1])
        try fixture.close(writer)
        try await eventually("idle") { fixture.contents.openContent(row.ino) == nil }
        #expect(throws: DocFSError.busy) { try fixture.contents.evict(row.ino) }
    }

    // S9
    @Test("A download that ends after its row got another body does not count for that one")
    func otherBody() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(1000)
        let row = try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.isHeld = true }
        let file = try fixture.open("doc", O_RDWR)
        guard case .waiting(let read) = try fixture.scope.read(file, at: 0, length: 1000) else {
            Issue.record("a held fetch has brought bytes")
            return
        }
        let other = CloudFixture.bytes(1000, seed: 2)
        try fixture.catalog.write { (writer) throws(DocFSError) in
            guard var changed = try writer.read.local(row.ino) else { throw .notFound }
            changed.basis = Revision("other")
            changed.sourceRevision = Revision("other")
            changed.sourceDigest = CloudFixture.digest(other)
            try writer.update(changed)
        }
        fixture.bodies.change {
            $0.bodies[Revision("other")] = other
            $0.isHeld = false
        }
        let outcome = await withCheckedContinuation { continuation in
            read.whenEnded { continuation.resume(returning: $0) }
        }
        if case .failed(let error) = outcome { Issue.record("failed: \(error)") }
        // The reader has the version that it opened; an edit of that one is no edit of the other.
        #expect(try await fixture.readAll(file) == bytes)
        #expect(throws: DocFSError.stale) { try fixture.write(file, [1]) }
        fixture.scope.close(file)
        try await eventually("let go") { fixture.contents.openContent(row.ino) == nil }
        #expect(try fixture.row(row.ino)?.state == ContentState.none)
        #expect(try await fixture.readAll("doc") == other)
    }

    @Test("Who closes as soon as the last byte came leaves a document that is here")
    func closedByItsReader() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(10)
        let row = try fixture.addPlaceholder("doc", bytes)
        try fixture.catalog.write { (writer) throws(DocFSError) in
            var undigested = row
            undigested.sourceDigest = nil
            try writer.update(undigested)
        }
        let file = try fixture.open("doc")
        guard case .waiting(let pending) = try fixture.scope.read(file, at: 0, length: 10) else {
            Issue.record("the bytes are here already")
            return
        }
        pending.whenEnded { _ in fixture.scope.close(file) }
        try await eventually("here") { try fixture.row(row.ino)?.state == .current }
        #expect(access(fixture.contentPath(row), F_OK) == 0)
        #expect(try await fixture.readAll("doc") == bytes)
    }

    // S11
    @Test("What is pinned, or lies below a pinned directory, is not evicted")
    func pinned() async throws {
        let fixture = try CloudFixture()
        let made = try fixture.scope.makeDirectory(
            "d", in: fixture.scope.root, mode: 0o755, caller: fixture.me)
        let directory = try #require(made.attributes?.number)
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(10), in: directory)
        func pin(_ ino: Int64, _ pin: PinState) throws {
            try fixture.catalog.write { (writer) throws(DocFSError) in
                guard var changed = try writer.read.local(ino) else { throw .notFound }
                changed.pin = pin
                try writer.update(changed)
            }
        }
        try pin(directory.row, .pinned)
        #expect(throws: DocFSError.busy) { try fixture.contents.evict(row.ino) }
        try pin(row.ino, .unpinned)
        try fixture.contents.evict(row.ino)
        try pin(row.ino, .pinned)
        #expect(throws: DocFSError.busy) { try fixture.contents.evict(row.ino) }
    }

    @Test("Downloads and their failures are told")
    func events() async throws {
        let fixture = try CloudFixture()
        fixture.catalog.bulletin.watch()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(10))
        fixture.bodies.change { $0.error = .storeFull }
        await #expect(throws: DocFSError.storeFull) { try await fixture.readAll("doc") }
        try await eventually("error") { try fixture.row(row.ino)?.error != nil }
        fixture.bodies.change { $0.error = nil }
        _ = try await fixture.readAll("doc")
        try await eventually("both told") {
            let events = fixture.catalog.bulletin.events(from: 0).events
            return events.map(\.kind) == [.downloadError, .downloaded]
                && events.allSatisfy { $0.item == row.item && $0.path == "doc" }
        }
    }
}
