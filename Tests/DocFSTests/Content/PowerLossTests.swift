import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// What a device makes of what a loss of power has left it.
@Suite struct PowerLossTests {
    // S13
    @Test("An edit that was not on the disk falls back to what the store has, and is put aside")
    func fallsBack() async throws {
        let first = try CloudFixture()
        try first.put("doc", "from the store")
        try first.acknowledge("doc")
        try write(first, "doc", "edited here, and longer")
        try tear(first, "doc", "edited here\0\0\0\0\0\0\0\0\0\0\0\0")
        let second = try restart(first)
        #expect(try await second.text("doc") == "from the store")
        let row = try second.row("doc")
        #expect(row.divergence == .none && row.unsynced == .none)
        #expect(try torn(second) == ["edited here\0\0\0\0\0\0\0\0\0\0\0\0"])
        // Once, whoever starts it again.
        let third = try CloudFixture(reopening: second, bodies: first.bodies, boot: "second")
        #expect(try await third.text("doc") == "from the store")
        #expect(try torn(third).count == 1)
    }

    // S5, S6
    @Test("What was fetched and is not on the disk is fetched again", arguments: [5000, 200_000])
    func fetched(_ size: Int) async throws {
        let first = try CloudFixture()
        let bytes = CloudFixture.bytes(size)
        let row = try first.addPlaceholder("doc", bytes)
        #expect(try await first.readAll("doc") == bytes)
        try await eventually("current") { try first.row("doc").state == .current }
        // The disk has the file's size and time, and not its bytes.
        let file = try Posix.open(path: first.contentPath(row), flags: O_RDWR)
        let time = try Posix.status(of: file.number).modified
        try Posix.setContents(of: file, to: [UInt8](repeating: 0, count: size))
        try Posix.setTimes(of: file.number, accessed: .keep, modified: .set(time))
        let asked = first.bodies.asked.count
        let second = try restart(first)
        #expect(try await second.readAll("doc") == bytes)
        #expect(second.bodies.asked.count == 2 * asked)
        #expect(try torn(second).isEmpty)
    }

    // S13
    @Test("The document says where its bytes are until it is fetched anew")
    func told() async throws {
        let first = try CloudFixture()
        try first.put("doc", "from the store")
        try first.acknowledge("doc")
        try write(first, "doc", "edited")
        let told = Mutex<[Aside]>([])
        let second = try restart(first)
        second.contents.whenPutAside { aside in told.withLock { $0.append(aside) } }
        let asides = told.withLock { $0 }
        let aside = try #require(asides.first)
        #expect(aside.isTorn && aside.document == "Cloud/doc")
        #expect(aside.path.hasPrefix(first.path + "/torn-"))
        #expect(access(aside.path, F_OK) == 0)
        #expect(try second.row("doc").error?.contains(aside.path) == true)
        #expect(try await second.text("doc") == "from the store")
        try await eventually("fetched") { try second.row("doc").error == nil }
    }

    // S13
    @Test("A new document that was not on the disk goes, and its bytes are put aside")
    func new() async throws {
        let first = try CloudFixture()
        try first.put("new", "never synced")
        try first.put("empty", "")
        let second = try restart(first)
        #expect(throws: DocFSError.notFound) { try second.open("new") }
        #expect(try await second.text("empty") == "")
        #expect(try torn(second) == ["never synced"])
    }

    // S13
    @Test("What fsync has acknowledged is there; so is all when just the process died")
    func acknowledged() async throws {
        let first = try CloudFixture()
        try first.put("new", "synced")
        try first.contents.bringToDisk(try first.row("new").ino)
        try first.put("doc", "from the store")
        try first.acknowledge("doc")
        let file = try first.open("doc", O_RDWR)
        try first.write(file, Array("synced, then closed".utf8))
        try first.scope.sync(file, dataOnly: false)
        try first.close(file)
        try first.put("closed", "not synced")
        let killed = try CloudFixture(reopening: first, bodies: first.bodies)
        #expect(try await killed.text("closed") == "not synced")
        let second = try restart(first)
        #expect(try await second.text("new") == "synced")
        #expect(try await second.text("doc") == "synced, then closed")
        #expect(try second.row("doc").divergence == .written)
    }

    // S13
    @Test("What was written past us is on the disk after fsync too, and not what is written then")
    func unseen() async throws {
        let first = try CloudFixture()
        try first.put("doc", "from the store")
        try first.acknowledge("doc")
        let file = try first.open("doc", O_RDWR)
        try first.scope.passed(file)
        let path = first.contentPath(try first.row("doc"))
        try overwrite(path, "mapped, synced")
        try first.scope.sync(file, dataOnly: false)
        #expect(try first.row("doc").divergence == .written)
        #expect(try first.row("doc").unsynced == .none)
        let moment = try #require(file.content).writingMoment
        try overwrite(path, "mapped, not synced")
        try file.content?.flush(syncedAt: moment)
        #expect(try first.row("doc").unsynced == .furtherEdit)
        try overwrite(path, "mapped, synced")
        try first.scope.sync(file, dataOnly: false)
        let second = try restart(first)
        #expect(try await second.text("doc") == "mapped, synced")
    }

    /// As a mapping of the file does.
    private func overwrite(_ path: String, _ text: String) throws {
        let file = try Posix.open(path: path, flags: O_RDWR)
        try Posix.truncate(file.number, to: 0)
        #expect(pwrite(file.number, text, text.utf8.count, 0) == text.utf8.count)
    }

    // S13
    @Test("An edit of an edit that fsync has acknowledged is kept as the disk has it")
    func furtherEdit() async throws {
        let first = try CloudFixture()
        try first.put("doc", "from the store")
        try first.acknowledge("doc")
        try write(first, "doc", "synced")
        try first.contents.bringToDisk(try first.row("doc").ino)
        try write(first, "doc", "not synced, longer")
        #expect(try first.row("doc").unsynced == .furtherEdit)
        try tear(first, "doc", "syncedsynced")
        let second = try restart(first)
        #expect(try await second.text("doc") == "syncedsynced")
        #expect(try second.row("doc").divergence == .written)
        #expect(try torn(second) == [])
    }

    // S13
    @Test("What is written without fsync is brought to the disk, unless it is written on")
    func background() async throws {
        let first = try CloudFixture()
        try first.put("closed", "closed")
        let (_, file, _) = try first.scope.create(
            "open", in: first.scope.root, mode: 0o600, flags: O_CREAT | O_RDWR, caller: first.me)
        try first.write(file, Array("open".utf8))
        #expect(try first.row("closed").unsynced == .edit)
        #expect(try first.row("open").unsynced == .edit)
        #expect(try first.contents.syncEverything())
        #expect(try first.row("closed").unsynced == .none)
        #expect(try first.row("open").unsynced == .none)
        try first.write(file, Array("more".utf8), at: 4)
        #expect(try first.row("open").unsynced == .furtherEdit)
        try first.close(file)
        let second = try restart(first)
        #expect(try await second.text("closed") == "closed")
        #expect(try await second.text("open") == "openmore")
    }

    @Test("Who left in order has lost nothing")
    func inOrder() async throws {
        let first = try CloudFixture()
        try first.put("doc", "closed")
        try first.contents.leave()
        let second = try restart(first)
        #expect(try await second.text("doc") == "closed")
        #expect(!second.contents.isUnswept)
    }

    // S6, S13
    @Test("Edits that the catalog has lost are neither shown nor brought back")
    func lostTail() async throws {
        let first = try CloudFixture()
        try first.put("edited", "from the store")
        try first.acknowledge("edited")
        try first.put("same size", "from the store")
        try first.acknowledge("same size")
        first.contents.settle(try first.row("same size").ino)
        let kept = try Kept(first)
        try first.put("new", "made here")
        try write(first, "edited", "edited here")
        try kept.bringBack()
        // The write reached the disk, the time that would tell of it did not.
        let path = first.contentPath(try first.row("same size"))
        let sealed = try Posix.status(path: path).modified
        try tear(first, "same size", "from the torn!")
        let file = try Posix.open(path: path, flags: O_RDWR)
        try Posix.setTimes(of: file.number, accessed: .keep, modified: .set(sealed))
        let second = try restart(first)
        try await CloudFixture.blocking {
            try second.contents.sweepFiles()
            try second.contents.sweepRows()
            try second.contents.setSwept()
        }
        #expect(try torn(second) == ["edited here", "made here"])
        #expect(try await second.text("edited") == "from the store")
        #expect(try await second.text("same size") == "from the store")
        #expect(!second.contents.isUnswept)
    }

    /// A document that the disk has, and that is being sent.
    private func sendingOne() throws -> (CloudFixture, LocalItem) {
        let first = try CloudFixture()
        try first.put("doc", "synced, sent")
        let row = try first.row("doc")
        try first.contents.bringToDisk(row.ino)
        try first.catalog.write { (write) throws(DocFSError) in
            try write.addJournal(
                JournalEntry(
                    operation: OperationID(high: 0, low: 1), scope: row.scope, item: row.item,
                    effect: []))
        }
        return (first, row)
    }

    // S13
    @Test("What fsync has acknowledged since the sending began is not taken for what was sent")
    func syncedWhileSending() async throws {
        let (first, row) = try sendingOne()
        try write(first, "doc", "synced since, longer")
        try first.contents.bringToDisk(row.ino)
        let second = try restart(first)
        #expect(try !second.contents.isSuspect(second.row("doc")))
        #expect(try await second.text("doc") == "synced since, longer")
        #expect(try torn(second).isEmpty)
    }

    // S13
    @Test("What was sent is not taken for the edit that the catalog has lost since")
    func sending() async throws {
        let (first, row) = try sendingOne()
        let kept = try Kept(first)
        try write(first, "doc", "edited since, longer")
        try kept.bringBack()
        let second = try restart(first)
        #expect(second.contents.isSuspect(try second.row("doc")))
        // The engine finds that the store has it.
        try second.agree("doc", "synced, sent")
        second.contents.applied([.sent(ino: row.ino)])
        #expect(try second.row("doc").state == ContentState.none)
        #expect(try torn(second) == ["edited since, longer"])
        #expect(try await second.text("doc") == "synced, sent")
    }

    // S14
    @Test("What is renamed over an edit that the disk has is on the disk before")
    func replaced() async throws {
        let first = try CloudFixture()
        try first.put("doc", "synced")
        try first.contents.bringToDisk(try first.row("doc").ino)
        try first.put("temporary", "saved")
        try first.scope.rename(
            "temporary", in: first.scope.root, to: "doc", in: first.scope.root, mode: .replace,
            caller: first.me)
        #expect(try first.row("doc").unsynced == .none)
        let second = try restart(first)
        #expect(try await second.text("doc") == "saved")
    }

    /// The computer has started again.
    private func restart(_ fixture: CloudFixture) throws -> CloudFixture {
        try CloudFixture(reopening: fixture, bodies: fixture.bodies, boot: "second")
    }

    /// Cuts a document to nothing and writes it.
    private func write(_ fixture: CloudFixture, _ path: String, _ text: String) throws {
        let file = try fixture.open(path, O_WRONLY | O_TRUNC)
        try fixture.write(file, Array(text.utf8))
        try fixture.close(file)
    }

    /// The disk has something else of a content than was written.
    private func tear(_ fixture: CloudFixture, _ path: String, _ text: String) throws {
        let file = try Posix.open(
            path: fixture.contentPath(try fixture.row(path)), flags: O_RDWR)
        try Posix.setContents(of: file, to: Array(text.utf8))
    }

    /// What was put aside for people.
    private func torn(_ fixture: CloudFixture) throws -> [String] {
        let state = try Posix.open(path: fixture.path, flags: O_RDONLY | O_DIRECTORY)
        var found: [String] = []
        for folder in try DirectoryStream.names(at: state.number) {
            #expect(!folder.bytes.starts(with: "lost-".utf8))
            guard folder.bytes.starts(with: "torn-".utf8) else { continue }
            let contents = folder.bytes + Array("/contents".utf8)
            for part in try DirectoryStream.names(at: state.number, contents) {
                let inner = contents + [0x2F] + part.bytes
                for name in try DirectoryStream.names(at: state.number, inner) {
                    let file = try Posix.open(
                        at: state.number, inner + [0x2F] + name.bytes, flags: O_RDONLY)
                    #expect(try Contents.label(of: file) == nil)
                    found.append(String(decoding: try Posix.contents(of: file), as: UTF8.self))
                }
            }
        }
        return found.sorted()
    }
}
