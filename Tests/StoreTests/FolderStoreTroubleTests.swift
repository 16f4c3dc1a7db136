import CFuse
import Foundation
import TestSupport
import Testing

@testable import DocFS

/// Filesystems that fill up, turn read-only, go away or refuse.
@Suite struct FolderStoreTroubleTests {
    @Test(.enabled(if: Machine.isRoot)) func aFullFilesystemIsAFullStore() async throws {
        try await withMemoryFileSystem(size: "4m") { (directory) async throws in
            let bench = try await FolderBench(in: directory)
            let store = bench.store
            let base = try await store.create("a", "base")
            let filler = [UInt8](repeating: 7, count: 3_000_000)
            let filled = try await store.write(
                "filler", .document(filler), condition: .absent, keeping: nil)
            await #expect(throws: DocFSError.storeFull) {
                _ = try await store.write(
                    "b", .document(filler), condition: .absent, keeping: nil)
            }
            await #expect(throws: DocFSError.storeFull) {
                _ = try await store.write(
                    "a", .document(filler), condition: .revision(base.revision!),
                    keeping: ".docfs/versions/a/base")
            }
            await #expect(throws: DocFSError.storeFull) {
                _ = try await store.copy(
                    "filler", expecting: filled.revision!, to: "c", metadata: .of(nil),
                    condition: .absent, keeping: nil)
            }
            #expect(try await store.head("a") == base)
            #expect(try await store.head("b") == nil)
            #expect(try await store.text("a") == "base")
            #expect(try bench.staged() == 0)
            let space = try #require(await store.space())
            #expect(space.total == 4 << 20)
            #expect(space.free < 1_500_000)
            try await store.remove("filler", expecting: filled.revision!)
            _ = try await store.write("b", .document(filler), condition: .absent, keeping: nil)
        }
    }

    @Test(.enabled(if: Machine.isRoot)) func aReadOnlyFilesystemIsReadAndRefusesWrites()
        async throws
    {
        try await withMemoryFileSystem(size: "4m") { (directory) async throws in
            let bench = try await FolderBench(in: directory)
            let one = try await bench.store.create("a", "one")
            try await bench.store.makeDirectory("d", metadata: .of(nil))
            try run("/bin/mount", "-o", "remount,ro", directory)
            // The one that was attached before, and one that finds it read-only.
            for store in [bench.store, try await bench.another()] {
                #expect(try await store.text("a") == "one")
                #expect(try await store.list(.root).count == 2)
                try await expectCredentialsRefused { try await store.create("b", "x") }
                try await expectCredentialsRefused {
                    _ = try await store.write(
                        "a", .document("two"), condition: .revision(one.revision!), keeping: nil)
                }
                try await expectCredentialsRefused {
                    try await store.remove("a", expecting: one.revision!)
                }
                try await expectCredentialsRefused {
                    _ = try await store.move(
                        "a", expecting: one.revision, to: "b", condition: .absent)
                }
                try await expectCredentialsRefused {
                    _ = try await store.setMetadata("a", expecting: one.revision, .of(nil))
                }
                try await expectCredentialsRefused {
                    try await store.makeDirectory("e", metadata: .of(nil))
                }
                try await expectCredentialsRefused { try await store.removeDirectory("d") }
                #expect(try await store.head("a") == one)
            }
            try run("/bin/mount", "-o", "remount,rw", directory)
            try await bench.store.create("b", "two")
        }
    }

    @Test(.enabled(if: Machine.isRoot)) func anUnmountedFolderIsOfflineAndNeverEmpty()
        async throws
    {
        try await withMemoryFileSystem(size: "4m") { (directory) async throws in
            let store = FolderStore(path: directory)
            try await store.attach(create: true)
            let one = try await store.create("a", "one")
            try run("/bin/umount", "-l", directory)
            for call in 0..<5 {
                let error = await #expect(throws: DocFSError.self) {
                    switch call {
                    case 0: _ = try await store.list(.root)
                    case 1: _ = try await store.head("a")
                    case 2: try await store.remove("a", expecting: one.revision!)
                    case 3: try await store.create("b", "x")
                    default: try await store.attach(create: true)
                    }
                }
                switch (call, error) {
                case (0..<4, .offline), (4, .noContainer): break
                default: Issue.record("not offline but \(String(describing: error))")
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
            try run("/bin/mount", "-t", "tmpfs", "tmpfs", directory)
        }
    }

    @Test(.enabled(if: Machine.isRoot)) func whatAnOrdinaryUserMayNotIsCredentialsRefused()
        async throws
    {
        let bench = try await FolderBench()
        defer { bench.end() }
        #expect(chmod(bench.directory, 0o755) == 0)
        try await bench.store.create("a", "one")
        try bench.writeFromOutside("secret", Array("secret".utf8))
        #expect(chmod(bench.disk("secret"), 0o600) == 0)
        try await bench.store.makeDirectory("closed", metadata: .of(nil, mode: 0o700))
        try await bench.store.create("closed/b", "b")

        let secret = try #require(try await bench.store.head("secret")).revision!
        try await asNobody {
            let folder = try AttachedFolder.attach(path: bench.directory, control: .required)
            let found = try folder.head("secret")
            #expect(found?.revision == secret)
            #expect(found?.metadata == nil)
            #expect(try folder.list(.root, Cancellation()).count == 3)
            expectRefusedCredentials { () throws(DocFSError) in
                try folder.read(
                    "secret", range: 0..<6, expecting: secret, into: CollectingSink(size: 6),
                    Cancellation())
            }
            expectRefusedCredentials { () throws(DocFSError) in
                _ = try folder.head("closed/b")
            }
            expectRefusedCredentials { () throws(DocFSError) in
                _ = try folder.list("closed", Cancellation())
            }
            expectRefusedCredentials { () throws(DocFSError) in
                _ = try folder.write(
                    "new", .document("x"), condition: .absent, keeping: nil, Cancellation())
            }
            expectRefusedCredentials { () throws(DocFSError) in
                try folder.remove("a", expecting: secret, Cancellation())
            }
        }
        #expect(try await bench.store.list(.root).count == 3)
    }

    // S32: what is refused in a folder that may be used is one document's trouble.
    @Test(.enabled(if: Machine.isRoot)) func whatAnOrdinaryUserMayNotReadIsRefusedAlone()
        async throws
    {
        let bench = try await FolderBench()
        defer { bench.end() }
        try bench.writeFromOutside("secret", Array("secret".utf8))
        for directory in [.root, ".docfs", ".docfs/log", ".docfs/tmp"].map(bench.disk) {
            // Some come with the first record.
            #expect(chmod(directory, 0o777) == 0 || errno == ENOENT)
        }
        #expect(chmod(bench.disk("secret"), 0o600) == 0)
        try await bench.store.makeDirectory("closed", metadata: .of(nil, mode: 0o700))
        let secret = try #require(try await bench.store.head("secret")).revision!
        try await asNobody {
            let folder = try AttachedFolder.attach(path: bench.directory, control: .required)
            let words = "permission denied in the container's folder"
            #expect(throws: DocFSError.documentRefused(words)) {
                try folder.read(
                    "secret", range: 0..<6, expecting: secret, into: CollectingSink(size: 6),
                    Cancellation())
            }
            #expect(throws: DocFSError.documentRefused(words)) {
                _ = try folder.list("closed", Cancellation())
            }
            #expect(try folder.list(.root, Cancellation()).count == 2)
        }
    }

    @Test(.enabled(if: Machine.isRoot)) func whatMayNotBeWrittenIsOnlyRead() async throws {  // S12
        let directory = NSTemporaryDirectory() + "/docfs-user-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try Data("text".utf8).write(to: URL(fileURLWithPath: directory + "/doc"))
        #expect(chmod(directory, 0o555) == 0)
        try await asNobody {
            for control in [.made, .required, .optional] as [AttachedFolder.Control] {
                let folder = try AttachedFolder.attach(
                    path: directory, control: control, mayBeReadOnly: true)
                #expect(folder.writesRefused == "permission denied")
                #expect(!folder.hasControl)
                #expect(try folder.head("doc")?.size == 4)
            }
            // Where it could be written before, that will pass.
            #expect(throws: DocFSError.credentialsRefused("the folder's permissions")) {
                _ = try AttachedFolder.attach(path: directory, control: .made)
            }
        }
        // Who may is asked for nothing there, and makes nothing.
        let found = try AttachedFolder.attach(
            path: directory, control: .optional, mayBeReadOnly: true)
        #expect(found.writesRefused == nil && !found.hasControl)
        #expect(try found.list(.root, Cancellation()).map(\.path) == ["doc"])
        let store = FolderStore(path: directory)
        try await store.attachAsFound()
        #expect(try await !store.isEmpty())
        #expect(!FileManager.default.fileExists(atPath: directory + "/.docfs"))
        try await store.makeControl()
        try await store.attach(create: false)
        #expect(store.capabilities.writesRefused == nil)
    }

    @Test func whatLiesInItsPlaceByNowBecomesNoContainer() async throws {  // S23
        let directory = NSTemporaryDirectory() + "/docfs-place-" + UUID().uuidString
        let manager = FileManager.default
        try manager.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let away = directory + "-away"
        defer { for path in [directory, away] { try? manager.removeItem(atPath: path) } }
        let store = FolderStore(path: directory)
        try await store.attachAsFound()
        try manager.moveItem(atPath: directory, toPath: away)
        try manager.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let error = await #expect(throws: DocFSError.self) { try await store.makeControl() }
        guard case .offline = error else {
            Issue.record("not offline but \(String(describing: error))")
            return
        }
        #expect(try manager.contentsOfDirectory(atPath: directory).isEmpty)
    }

    /// The daemon of an ordinary user must be able to go on with documents of any mode.
    @Test(.enabled(if: Machine.isRoot)) func anOrdinaryUsersStoreHandlesEveryMode() async throws {
        let directory = NSTemporaryDirectory() + "/docfs-user-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect(chown(directory, 65534, 65534) == 0)
        try await asNobody {
            let folder = try AttachedFolder.attach(path: directory, control: .made)
            let cancellation = Cancellation()
            for mode in [0o000, 0o200, 0o444, 0o555, 0o644] as [UInt16] {
                let path = ItemPath("f\(mode)")
                let one = try folder.write(
                    path, .document("one", mode: mode), condition: .absent, keeping: nil,
                    cancellation)
                #expect(one.mode == mode)
                let changed = try folder.setMetadata(
                    path, expecting: one.revision,
                    .of(Array("one".utf8), modified: Timestamp(seconds: 3), mode: mode),
                    cancellation)
                #expect(changed.mode == mode)
                let sink = CollectingSink(size: 3)
                try folder.read(
                    path, range: 0..<3, expecting: changed.revision!, into: sink, cancellation)
                #expect(sink.bytes == Array("one".utf8))
                let two = try folder.write(
                    path, .document("two", mode: mode), condition: .revision(changed.revision!),
                    keeping: ItemPath(".docfs/versions/f/\(mode)"), cancellation)
                #expect(try folder.head(path) == two)

                let inside = ItemPath("d\(mode)")
                try folder.makeDirectory(inside, metadata: .of(nil, mode: mode), cancellation)
                #expect(try folder.head(inside)?.mode == mode)
                _ = try folder.write(
                    ItemPath("d\(mode)/a"), .document("x"), condition: .absent, keeping: nil,
                    cancellation)
                #expect(try folder.list(inside, cancellation).count == 1)
            }
        }
    }

    @Test func cancellingEndsALongWriteBetweenTwoPieces() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let bytes = [UInt8](repeating: 1, count: 20 << 20)
        let (started, gate) = (Once(), Gate())
        let source = HookedSource(bytes: bytes) { (offset) throws(DocFSError) in
            guard offset == 2 << 20 else { return }
            _ = started.first()
            gate.wait()
        }
        let store = bench.folder
        let task = Task {
            try await store.write(
                "a", ObjectWrite(payload: .bytes(source, size: 20 << 20), metadata: .of(bytes)),
                condition: .absent, keeping: nil)
        }
        try await eventually("started") { started.isDone }
        task.cancel()
        gate.open()
        await #expect(throws: DocFSError.interrupted) { _ = try await task.value }
        #expect(try await store.head("a") == nil)
        #expect(try bench.staged() == 0)
    }

    @Test func cancellingEndsALongReadBetweenTwoPieces() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let store = bench.folder
        let info = try await store.write(
            "a", .document([UInt8](repeating: 1, count: 20 << 20)), condition: .absent,
            keeping: nil)
        let (started, gate) = (Once(), Gate())
        let sink = CollectingSink(size: 20 << 20) {
            if started.first() { gate.wait() }
        }
        let task = Task {
            try await store.read(
                "a", range: 0..<info.size, expecting: info.revision!, into: sink)
        }
        try await eventually("started") { started.isDone }
        task.cancel()
        gate.open()
        await #expect(throws: DocFSError.interrupted) { try await task.value }
        #expect(sink.count < 20 << 20)
    }

    // MARK: Helpers

    private func expectCredentialsRefused(_ call: () async throws -> Void) async throws {
        let error = await #expect(throws: DocFSError.self) { try await call() }
        guard case .credentialsRefused = error else {
            Issue.record("not credentialsRefused but \(String(describing: error))")
            return
        }
    }
}

private func expectRefusedCredentials(_ call: () throws(DocFSError) -> Void) {
    do throws(DocFSError) {
        try call()
        Issue.record("nothing was refused")
    } catch .credentialsRefused {
    } catch {
        Issue.record("not credentialsRefused but \(error)")
    }
}

/// Runs `body` on a thread that has the rights of an ordinary user on files.
private func asNobody(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        OwnThread.start(name: "nobody") {
            guard docfs_set_fs_ids(65534, 65534) == 0 else {
                return continuation.resume(throwing: DocFSError.notPermitted)
            }
            continuation.resume(with: Result { try body() })
        }
    }
}
