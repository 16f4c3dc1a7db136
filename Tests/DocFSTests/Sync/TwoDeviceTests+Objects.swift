import DocFS
import Synchronization
import TestSupport
import Testing

/// On a store of objects, none of which can be moved: a move is a record, and the objects follow.
extension TwoDeviceTests {
    /// A store of objects that has directories all the same.
    var objects: MemoryStore {
        var capabilities = StoreCapabilities.objects
        capabilities.directories = true
        return MemoryStore(capabilities: capabilities)
    }

    @Test func aDirectoryOfObjectsIsRenamedByOneRecord() async throws {  // S25
        let store = objects
        let (alice, way, bob) = try await faultyPair(on: store)
        try alice.makeDirectory("old")
        try alice.makeDirectory("old/inner")
        try alice.write("old/doc", "one")
        try alice.write("old/inner/doc", "two")
        try await settle(alice, bob)
        // One record gets there, and then nothing of hers does for a while.
        let isCut = way.cut { verb, path in
            verb == .write && path.isAtOrBelow(".docfs/log")
        }
        try alice.rename("old", "new")
        try await eventually("it is recorded") { isCut() }
        let renamed = ["new/": "", "new/doc": "one", "new/inner/": "", "new/inner/doc": "two"]
        try await eventually("bob sees and reads it") { try await bob.tree() == renamed }
        #expect(try await store.head("old/inner/doc") != nil)
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == renamed)
        try await eventually("the objects have followed") {
            let old = try await store.head("old")
            return try await store.head("new/inner/doc") != nil && old == nil
        }
        await stop(alice, bob)
    }

    @Test(arguments: [false, true])
    func whatADirectoryLeavesBehindIsRemovedAtOnce(_ areDirectories: Bool) async throws {  // S25
        let store = objects
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.makeDirectory("old")
        for number in 0..<20 {
            let path = "old/\(number)"
            if areDirectories {
                try alice.makeDirectory(path)
            } else {
                try alice.write(path, "text")
            }
        }
        try await settle(alice)
        // One waits for another, within reason.
        let (isBegun, isTogether) = (Flag(), Flag())
        way.setPause { verb, path in
            guard verb == .remove, path.parent == "old" else { return }
            if isBegun.isSet { return isTogether.set(true) }
            isBegun.set(true)
            for _ in 0..<1_000 where !isTogether.isSet {
                // Until the other one comes.
                try? await Task.sleep(nanoseconds: 2_000_000)
            }
            isBegun.set(false)
        }
        try alice.rename("old", "new")
        try await eventually("the objects have followed") {
            let old = try await store.head("old")
            return try await store.head("new/19") != nil && old == nil
        }
        #expect(isTogether.isSet)
        #expect(try await settle(alice).count == 21)
        await alice.engine.stop()
    }

    @Test func aNameWhoseObjectIsStillThereIsTakenAnew() async throws {  // S14, S25
        let store = objects
        let alice = try TestDevice("alice", store: store)
        let bob = try TestDevice("bob", store: store)
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        try alice.rename("doc", "former")
        try await settle(alice)
        try alice.write("doc", "two")
        #expect(try await settle(alice, bob) == ["former": "one", "doc": "two"])
        try await eventually("each is where it belongs") {
            let former = try await store.head("former")
            return try await store.head("doc")?.size == 3 && former?.size == 3
        }
        await stop(alice, bob)
    }

    @Test func anEditReachesAnObjectThatIsStillAtItsFormerPath() async throws {  // S25
        let store = objects
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        let bob = try TestDevice("bob", store: store)
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let isCut = way.cut { verb, path in
            verb == .write && path.isAtOrBelow(".docfs/log")
        }
        try alice.rename("doc", "renamed")
        try await eventually("it is recorded") { isCut() }
        try await eventually("bob sees it") { try await bob.tree() == ["renamed": "one"] }
        try bob.write("renamed", "two")
        let sent = SHA256.digest(of: Array("two".utf8))
        try await eventually("it is sent to where its object is") {
            try await store.head("doc")?.metadata?.digest == sent
        }
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["renamed": "two"])
        try await eventually("it is where it belongs") {
            let doc = try await store.head("doc")
            return try await store.head("renamed") != nil && doc == nil
        }
        await stop(alice, bob)
    }

    @Test func whatAnotherProgramWritesBeforeAnObjectFollowsIsFound() async throws {  // S25
        let store = objects
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.makeDirectory("old")
        try alice.write("old/doc", "one")
        try await settle(alice)
        // The directory follows at once, and the document cannot yet.
        way.setFaults { verb, path in
            verb == .copy && path == "new/doc" ? .refused(.offline("cut off")) : nil
        }
        try alice.rename("old", "new")
        try await eventually("the directory has moved") { try await store.head("new") != nil }
        try store.writeFromOutside("old/doc", Array("theirs".utf8))
        way.setFaults { _, _ in nil }
        try await eventually("it is told of") {
            try await alice.tree() == ["new/": "", "new/doc": "theirs"]
        }
        try await eventually("it is where it belongs") {
            let doc = try await store.head("old/doc")
            return try await store.head("new/doc") != nil && doc == nil
        }
        await stop(alice)
    }

    /// Another program gives the directory's name to a document, on a store without room for both.
    @Test func aDirectoryThatNothingCanComeIntoGivesWay() async throws {  // S25
        let store = MemoryStore(capabilities: .objects)
        let (alice, way, bob) = try await faultyPair(on: store)
        try alice.makeDirectory("old")
        try alice.write("old/doc", "one")
        try await settle(alice, bob)
        way.setFaults { verb, path in
            verb == .copy && path == "new/doc" ? .refused(.refused) : nil
        }
        try alice.rename("old", "new")
        let scope = alice.scope.id
        try await eventually("the directory is where it belongs, and its document is not") {
            let lodgers = try alice.catalog.read { (read) throws(DocFSError) in
                try read.lodgers(scope: scope).map(\.place)
            }
            return lodgers == ["old/doc"]
        }
        try store.removeFromOutside("new")
        try store.writeFromOutside("new", Array("theirs".utf8))
        way.setFaults { _, _ in nil }
        try await eventually("both are there, on either device") {
            let (hers, his) = (try await alice.tree(), try await bob.tree())
            let directory = hers.keys.first {
                $0.hasPrefix("new (conflict from ") && $0.hasSuffix("/")
            }
            guard let directory else { return false }
            return hers == ["new": "theirs", directory: "", directory + "doc": "one"]
                && his == hers
        }
        await stop(alice, bob)
    }

    /// Alice's document is in the store and not recorded yet when another program writes over it,
    /// and Bob takes that for a document of its own just before her record comes.
    @Test func whatAnotherProgramWroteIsNotTakenForWhatWasLeft() async throws {  // S16
        let store = objects
        let (hers, his) = (FaultyStore(store), FaultyStore(store))
        let alice = try TestDevice("alice", store: hers)
        let bob = try TestDevice("bob", store: his)
        await alice.engine.start()
        await bob.engine.start()
        try await settle(alice, bob)
        let isAliceFree = Mutex(false)
        let isBobFree = Mutex(false)
        let isBobAboutToRecord = Mutex(false)
        hers.setPause { verb, path in
            guard verb == .write, path.isAtOrBelow(".docfs/log") else { return }
            // Her record is held until the test lets it go.
            while !isAliceFree.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
        }
        his.setPause { verb, path in
            guard verb == .write, path.isAtOrBelow(".docfs/log") else { return }
            isBobAboutToRecord.withLock { $0 = true }
            // The same with his.
            while !isBobFree.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
        }
        try alice.write("doc", "by alice")
        try await eventually("it is in the store") { try await store.head("doc") != nil }
        try store.writeFromOutside("doc", Array("by a stranger".utf8))
        try await eventually("Bob has seen it") { isBobAboutToRecord.withLock { $0 } }
        isAliceFree.withLock { $0 = true }
        try await eventually("Alice has recorded hers") {
            try await store.head(ContainerLayout.record(1)) != nil
        }
        isBobFree.withLock { $0 = true }
        try await eventually("both have what the stranger wrote") {
            let trees = [try await alice.tree(), try await bob.tree()]
            return trees.allSatisfy { $0.values.contains("by a stranger") }
        }
        await stop(alice, bob)
    }

    @Test func aDeletedObjectIsReadFromTheTrash() async throws {  // S8, S19
        let store = objects
        let alice = try TestDevice("alice", store: store)
        let bob = try TestDevice("bob", store: store)
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("doc", "one")
        try alice.write("other", "two")
        try await settle(alice, bob)
        try bob.renameOver("doc", "other")
        #expect(try await settle(alice, bob) == ["other": "one"])
        #expect(try await store.head("doc") == nil)
        await stop(alice, bob)
    }
}
