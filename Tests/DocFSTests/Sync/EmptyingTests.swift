import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// The trash is emptied when the user asks for it (S19): real engines on a store in memory.
@Suite struct EmptyingTests {
    private let stories = TwoDeviceTests()

    /// `dir/deep`, `dir` and `doc`, which had an earlier version, are in the trash.
    private func fill(_ alice: TestDevice, _ bob: TestDevice) async throws {
        try alice.write("doc", "one")
        try alice.write("kept", "kept")
        try alice.makeDirectory("dir")
        try alice.write("dir/deep", "deep")
        try await stories.settle(alice, bob)
        try alice.write("doc", "two")
        try await stories.settle(alice, bob)
        for path in ["doc", "dir/deep", "dir"] { try bob.remove(path) }
        try await stories.settle(alice, bob)
        #expect(try alice.trash.count == 3)
    }

    @Test(arguments: [true, false])
    func allThatWasDeletedGoes(fromFolder isFolder: Bool) async throws {
        let store = MemoryStore(capabilities: isFolder ? .whole : .objects)
        let alice = try await stories.keepingDevice("alice", store)
        let bob = try await stories.keepingDevice("bob", store)
        try await fill(alice, bob)
        #expect(try await store.kept(".docfs/versions").count == 1)
        try alice.engine.emptyTrash(below: .root)
        try await stories.eventually("it goes") {
            let bodies = try await store.kept(".docfs/trash") + store.kept(".docfs/versions")
            return bodies.isEmpty
        }
        #expect(try await stories.settle(alice, bob) == ["kept": "kept"])
        for device in [alice, bob] {
            try await stories.eventually("\(device.name) knows") { try device.trash.isEmpty }
        }
        await stories.stop(alice, bob)
    }

    @Test func theStoreGoesAwayWhileItIsAsked() async throws {
        let way = FaultyStore(MemoryStore())
        let alice = try await stories.keepingDevice("alice", way)
        let bob = try await stories.keepingDevice("bob", way.store)
        try await fill(alice, bob)
        let (isSent, isAsked, isHeld) = (Monitor(false), Monitor(false), Monitor(true))
        way.setFaults { verb, path in
            let isAway = verb == .write && path == "new" && isAsked.withLock { $0 }
            return isAway ? .refused(.offline("away")) : nil
        }
        way.setPause { verb, path in
            let isUpload = verb == .write && path == "new"
            guard isUpload || verb == .head && ContainerLayout.path(ofTrash: path) != nil else {
                return
            }
            (isUpload ? isSent : isAsked).withLock { $0 = true }
            while isUpload ? !isAsked.withLock({ $0 }) : isHeld.withLock({ $0 }) {
                // Cancelled, it is not held any longer.
                guard (try? await Task.sleep(nanoseconds: 1_000_000)) != nil else { return }
            }
        }
        try alice.write("new", "new")
        try await stories.eventually("it is being sent") { isSent.withLock { $0 } }
        try alice.engine.emptyTrash(below: .root)
        // The upload finds out, and what was asked for is given up.
        try await stories.eventually("it is away") {
            !alice.catalog.bulletin.health(of: alice.scope.id).isOnline
        }
        isHeld.withLock { $0 = false }
        way.setFaults { _, _ in nil }
        #expect(try await stories.settle(alice, bob) == ["kept": "kept", "new": "new"])
        #expect(try alice.trash.count == 3)
        await stories.stop(alice, bob)
    }

    @Test func whatIsElsewhereOrDeletedSinceStays() async throws {
        let store = MemoryStore()
        let alice = try await stories.keepingDevice("alice", store)
        let bob = try await stories.keepingDevice("bob", store)
        try await fill(alice, bob)
        try alice.engine.emptyTrash(below: "dir")
        try await stories.eventually("it is announced") { try bob.trash.count == 1 }
        try bob.remove("kept")
        try await stories.eventually("it goes") {
            try await !store.kept(".docfs/trash").contains { $0.name == "deep" }
        }
        try await stories.settle(alice, bob)
        for device in [alice, bob] {
            #expect(Set(try device.trash.map(\.path)) == ["doc", "kept"], "\(device.name)")
        }
        #expect(try await store.kept(".docfs/trash").count == 2)
        #expect(try await store.kept(".docfs/versions").count == 1)
        await stories.stop(alice, bob)
    }

    /// What `docfs restore` does.
    private func bringBack(_ record: TrashRecord, _ device: TestDevice) throws(DocFSError) {
        try device.catalog.write { (write) throws(DocFSError) in
            var restoring = Restoring(
                write: write, scope: device.scope,
                tree: TrashTree(
                    scope: device.scope.id, read: write.read,
                    owner: Ownership(user: 0, group: 0, mode: 0o7777)),
                requester: Requester(user: 0, groups: []), now: .zero, isReplacing: false)
            try restoring.restore(
                .deleted(
                    scope: device.scope.id, operation: record.operation, item: record.item),
                from: record.path.parent, as: record.path.name!, in: device.scope.root)
        }
    }

    @Test(arguments: [true, false])
    func whatIsBroughtBackWhileItIsAnnouncedIsNotDestroyed(fromFolder isFolder: Bool) async throws {
        let store = MemoryStore(capabilities: isFolder ? .whole : .objects)
        let way = FaultyStore(store)
        let alice = try await stories.keepingDevice("alice", way)
        try await fill(alice, alice)
        let record = try #require(try alice.trash.first { $0.path == "doc" })
        let isBack = Mutex(false)
        way.setPause { verb, path in
            // What makes it a document again takes longer than what was announced stays.
            if verb == .copy || verb == .move { try? await Task.sleep(for: .seconds(3)) }
            guard verb == .write, path.isAtOrBelow(".docfs/log") else { return }
            isBack.withLock { isBack in
                if !isBack { isBack = (try? bringBack(record, alice)) != nil }
            }
        }
        try alice.engine.emptyTrash(below: "doc")
        try await stories.eventually("it is back") {
            guard isBack.withLock({ $0 }), try alice.isAtRest else { return false }
            return try await alice.tree()["doc"] == "two"
        }
        #expect(try await store.text("doc") == "two")
        await stories.stop(alice)
    }

    @Test func whatThisDevicesOwnIsStillMadeOfStays() async throws {  // S15
        let store = MemoryStore()
        let alice = try await stories.keepingDevice("alice", store)
        try await fill(alice, alice)
        let record = try #require(try alice.trash.first { $0.path == "doc" })
        guard case .file(let body) = record.content else { throw DocFSError.isDirectory }
        try alice.catalog.write { (write) throws(DocFSError) in
            var random = SystemRandomNumberGenerator()
            var row = LocalItem(
                scope: alice.scope.id, item: ItemID(using: &random), parent: alice.scope.root,
                name: "own", mode: LocalItem.typeFile | 0o644, owner: 0, group: 0,
                modified: .zero, changed: .zero)
            (row.size, row.isExcluded, row.divergence) = (body.size, true, .stored)
            (row.sourceItem, row.sourceRevision) = (record.item, body.revision)
            row.state = .none
            _ = try write.insert(row)
        }
        try alice.engine.emptyTrash(below: .root)
        try await stories.eventually("the other goes") {
            try await store.kept(".docfs/trash").map(\.name) == ["doc"]
        }
        #expect(try alice.trash.map(\.path) == ["doc"])
        await stories.stop(alice)
    }

    @Test func aStoreThatFailsInBetweenIsAskedAgain() async throws {
        let store = MemoryStore(capabilities: .objects)
        let way = FaultyStore(store)
        let alice = try await stories.keepingDevice("alice", way)
        try await fill(alice, alice)
        let fails = Mutex(2)
        way.setFaults { verb, path in
            guard verb == .remove, path.isAtOrBelow(".docfs/trash") else { return nil }
            let isCut = fails.withLock { left in
                left -= 1
                return left >= 0
            }
            return isCut ? .refused(.offline("cut off")) : nil
        }
        try alice.engine.emptyTrash(below: .root)
        try await stories.eventually("it goes") { try await store.kept(".docfs/trash").isEmpty }
        #expect(fails.withLock { $0 } < 0)
        await stories.stop(alice)
    }

    @Test func aBodyThatMayNotGoStopsNothing() async throws {
        let store = MemoryStore(capabilities: .objects)
        let way = FaultyStore(store)
        let alice = try await stories.keepingDevice("alice", way)
        try await fill(alice, alice)
        way.setFaults { verb, path in
            guard verb == .remove, path.name == "deep" else { return nil }
            return .refused(.credentialsRefused("not yours"))
        }
        try alice.engine.emptyTrash(below: .root)
        try await stories.eventually("the others go") {
            try await store.kept(".docfs/trash").map(\.name) == ["deep"]
        }
        try alice.write("new", "new")
        #expect(try await stories.settle(alice) == ["kept": "kept", "new": "new"])
        await stories.stop(alice)
    }

    @Test func offlineNothingIsBegun() async throws {
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try await stories.keepingDevice("alice", way)
        try await fill(alice, alice)
        way.setFaults { _, _ in .refused(.offline("cut off")) }
        try await stories.eventually("she is offline") {
            do throws(DocFSError) {
                try alice.engine.emptyTrash(below: .root)
                return false
            } catch {
                return error == .offline("cut off")
            }
        }
        #expect(try alice.trash.count == 3)
        await stories.stop(alice)
    }
}
