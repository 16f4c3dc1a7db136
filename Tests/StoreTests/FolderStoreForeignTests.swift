import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// Programs that know nothing of the store work in its folder at the same time.
@Suite struct FolderStoreForeignTests {
    @Test(arguments: [false, true])
    func aBodyThatCameDuringAWriteIsNotReplaced(inPlace: Bool) async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let base = try await bench.store.create("a", "base")
        let bytes = Array("ours".utf8)
        let source = HookedSource(bytes: bytes) { (offset) throws(DocFSError) in
            guard offset == 0 else { return }
            if inPlace {
                try? bench.writeFromOutside("a", Array("theirs".utf8))
            } else {
                try? bench.renameFromOutside("a", Array("theirs".utf8))
            }
        }
        await #expect(throws: DocFSError.refused) {
            _ = try await bench.store.write(
                "a", ObjectWrite(payload: .bytes(source, size: 4), metadata: .of(bytes)),
                condition: .revision(base.revision!), keeping: ".docfs/versions/a/base")
        }
        #expect(try await bench.store.text("a") == "theirs")
        #expect(try bench.staged() == 0)
    }

    /// Another program replaces a document without pause, keeping what it replaced, while the store
    /// replaces it too.
    ///
    /// Every body that ever stood there is somewhere in the end: current, kept, found, or with the
    /// program that replaced it.
    @Test func noBodyIsEverLostInARaceOfReplacements() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try await bench.store.create("a", "start")
        let theirs = bench.directory + "-theirs"
        try FileManager.default.createDirectory(
            atPath: theirs, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: theirs) }
        let stopped = Once()
        defer { _ = stopped.first() }
        let ended = Shared(0)
        OwnThread.start(name: "foreign") {
            var count = 0
            while !stopped.isDone {
                let file = theirs + "/\(count)"
                try? Data("theirs \(count)".utf8).write(to: URL(fileURLWithPath: file))
                try? Posix.rename(
                    at: AT_FDCWD, Array(file.utf8), to: AT_FDCWD,
                    Array(bench.disk("a").utf8), mode: .exchange)
                count += 1
                // Now and then it leaves the store a moment.
                if count % 3 == 0 { usleep(200) }
            }
            ended.value.withLock { $0 = count }
        }
        var written: Set<String> = ["start"]
        var refusals = 0
        for index in 0..<1000 {
            guard let now = try await bench.store.head("a") else { continue }
            let isRefused = try await isRefused { () async throws in
                _ = try await bench.store.write(
                    "a", .document("ours \(index)"), condition: .revision(now.revision!),
                    keeping: ItemPath(".docfs/versions/a/\(now.revision!)"))
            }
            if isRefused { refusals += 1 } else { written.insert("ours \(index)") }
        }
        _ = stopped.first()
        try await eventually("it ends") { ended.value.withLock { $0 } > 0 }
        let count = ended.value.withLock { $0 }
        written.formUnion((0..<count).map { "theirs \($0)" })

        var present: Set<String> = [try await bench.store.text("a")]
        let control = bench.directory + "/.docfs"
        for directory in [control + "/versions/a", control + "/found", theirs] {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
                present.insert(try String(contentsOfFile: directory + "/" + name, encoding: .utf8))
            }
        }
        #expect(written.subtracting(present).isEmpty)
        #expect(try bench.staged() == 0)
        // What is kept as a revision is that revision and no other program's body.
        for kept in try await bench.store.list(".docfs/versions/a") {
            #expect(kept.path.name?.description == kept.revision?.token)
        }
        // Otherwise nothing was tried.
        #expect(refusals > 0)
        #expect(count > 0)
    }

    @Test func removingAndMovingRaceWithAnotherProgramToo() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let stopped = Once()
        defer { _ = stopped.first() }
        let ended = Once()
        OwnThread.start(name: "foreign") {
            var count = 0
            while !stopped.isDone {
                try? bench.renameFromOutside("a", Array("theirs \(count)".utf8))
                count += 1
            }
            _ = ended.first()
        }
        var removed = 0
        for index in 0..<2000 {
            guard let now = try await bench.store.head("a") else { continue }
            let isRefused = try await isRefused { () async throws in
                guard index % 2 == 0 else {
                    return try await bench.store.remove("a", expecting: now.revision!)
                }
                let place = ItemPath(".docfs/trash/\(index)")
                _ = try await bench.store.move(
                    "a", expecting: now.revision, to: place, condition: .absent)
                #expect(try await bench.store.head(place)?.revision == now.revision)
            }
            if !isRefused { removed += 1 }
        }
        _ = stopped.first()
        try await eventually("it ends") { ended.isDone }
        #expect(removed > 0)
        #expect(try bench.staged() == 0)
    }

    @Test func aFileThatIsStillWrittenAfterItsReplacementIsKeptWithWhatFollows() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try bench.writeFromOutside("a", Array("begun".utf8))
        let writer = open(bench.disk("a"), O_WRONLY | O_APPEND)
        defer { close(writer) }
        let now = try #require(try await bench.store.head("a"))
        _ = try await bench.store.write(
            "a", .document("ours"), condition: .revision(now.revision!),
            keeping: ".docfs/versions/a/1")
        #expect(write(writer, " and ended", 10) == 10)
        #expect(try await bench.store.text(".docfs/versions/a/1") == "begun and ended")
        #expect(try await bench.store.text("a") == "ours")
    }

    @Test func aCopyWithAttributesIsNotTakenForOurs() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let info = try await bench.store.create("a", "one")
        try run("/bin/cp", "-a", bench.disk("a"), bench.disk("b"))
        let copy = try #require(try await bench.store.head("b"))
        #expect(copy.modified == info.modified)
        #expect(copy.metadata == nil)
        #expect(copy.formerItem == info.metadata?.item)
        #expect(try await bench.store.head("a") == info)
    }

    @Test func changingModeOrNameKeepsTheRevision() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let info = try await bench.store.create("a", "one")
        #expect(chmod(bench.disk("a"), 0o600) == 0)
        #expect(rename(bench.disk("a"), bench.disk("b")) == 0)
        let now = try #require(try await bench.store.head("b"))
        #expect(now.revision == info.revision)
        #expect(now.metadata == info.metadata)
        #expect(now.mode == 0o600)
    }

    @Test func pipesSocketsAndDevicesAreIgnored() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        #expect(mkfifo(bench.disk("pipe"), 0o600) == 0)
        try await bench.store.create("a", "one")
        #expect(try await bench.store.list(.root).map(\.path) == ["a"])
        #expect(try await bench.store.head("pipe") == nil)
        await #expect(throws: DocFSError.refused) { try await bench.store.create("pipe", "x") }
        await #expect(throws: DocFSError.refused) {
            try await bench.store.read(
                "pipe", range: 0..<0, expecting: Revision("x"), into: CollectingSink(size: 0))
        }
    }

    @Test func aDirectoryThatIsALinkIsNotEntered() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try FileManager.default.createSymbolicLink(
            atPath: bench.disk("link"), withDestinationPath: "/etc")
        #expect(try await bench.store.head("link/passwd") == nil)
        #expect(try await bench.store.head("link")?.kind == .symlink)
        await #expect(throws: DocFSError.notFound) { _ = try await bench.store.list("link") }
        await #expect(throws: DocFSError.notFound) {
            try await bench.store.create("link/new", "x")
        }
    }

    @Test func removingDocfsTakesTheStoreOffline() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try await bench.store.create("a", "one")
        try FileManager.default.removeItem(atPath: bench.directory + "/.docfs")
        for _ in 0..<2 {
            let error = await #expect(throws: DocFSError.self) {
                try await bench.store.create("b", "two")
            }
            guard case .offline = error else {
                Issue.record("not offline but \(String(describing: error))")
                return
            }
        }
        let error = await #expect(throws: DocFSError.self) {
            try await bench.store.attach(create: false)
        }
        guard case .noContainer = error else {
            Issue.record("not told of but \(String(describing: error))")
            return
        }
        #expect(try await bench.store.text("a") == "one")
        #expect(!FileManager.default.fileExists(atPath: bench.directory + "/.docfs"))
    }

    @Test func removingTheStagingDirectoryIsMended() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try await bench.store.create("a", "one")
        try FileManager.default.removeItem(atPath: bench.directory + "/.docfs/tmp")
        try await bench.store.create("b", "two")
        #expect(try await bench.store.text("b") == "two")
    }

    @Test func aReplacedRootIsOffline() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try await bench.store.create("a", "one")
        try bench.hide()
        try FileManager.default.createDirectory(
            atPath: bench.directory, withIntermediateDirectories: false)
        for call in 0..<3 {
            let error = await #expect(throws: DocFSError.self) {
                switch call {
                case 0: _ = try await bench.store.list(.root)
                case 1: _ = try await bench.store.head("a")
                // An empty directory where the folder was is not the container.
                default: try await bench.store.attach(create: true)
                }
            }
            switch (call, error) {
            case (0..<2, .offline), (2, .noContainer): break
            default: Issue.record("not offline but \(String(describing: error))")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory).isEmpty)
    }

    @Test func theLockOfAnotherDeviceIsWaitedFor() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let one = try await bench.store.create("a", "one")
        var lock: FileLock? = try FileLock(
            try Posix.open(
                path: bench.directory + "/.docfs/lock", flags: O_RDWR | O_CREAT, mode: 0o600))
        let store = bench.folder
        let write = Task {
            try await store.write(
                "a", .document("two"), condition: .revision(one.revision!), keeping: nil)
        }
        let cancelled = Task {
            try await store.write(
                "a", .document("three"), condition: .revision(one.revision!), keeping: nil)
        }
        // Time enough to do what they may not.
        try await Task.sleep(for: .milliseconds(100))
        #expect(try await store.text("a") == "one")
        cancelled.cancel()
        await #expect(throws: DocFSError.interrupted) { _ = try await cancelled.value }
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try await write.value
        #expect(try await store.text("a") == "two")
        #expect(try bench.staged() == 0)
    }
}

/// Whether the store refuses `call`, or finds nothing any more.
private func isRefused(_ call: () async throws -> Void) async throws -> Bool {
    do {
        try await call()
        return false
    } catch let error as DocFSError where error == .refused || error == .notFound {
        return true
    }
}
