import DocFS
import Synchronization
import TestSupport
import Testing

/// The computer that keeps the container loses its power, and what its disk did not have yet.
extension TwoDeviceTests {
    @Test func whatTheStoreForgotBeforeItWasRecordedIsSentAgain() async throws {  // S13
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.write("doc", "there")
        try await eventually("alice rests") { try alice.isAtRest }
        way.cut { $0 == .write && $1 == "new" }
        try alice.write("new", "sent, and not recorded")
        try await eventually("it is there, and not recorded") {
            !alice.catalog.bulletin.health(of: alice.scope.id).isOnline
        }
        let revision = try #require(try await store.head("new")?.revision)
        try await store.remove("new", expecting: revision)
        way.setFaults { _, _ in nil }
        let bob = try TestDevice("bob", store: store)
        await bob.engine.start()
        #expect(
            try await settle(alice, bob) == ["doc": "there", "new": "sent, and not recorded"])
        await stop(alice, bob)
    }

    @Test func aLogThatEndsBeforeWhatWasSeenIsToldOf() async throws {  // S23
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.write("one", "1")
        try await eventually("alice rests") { try alice.isAtRest }
        let scope = alice.scope.id
        let known = try alice.catalog.read { (read) throws(DocFSError) in try read.scope(scope) }
        let number = try #require(known?.anchor)
        // Its folder is put back to an earlier state while it is out of reach.
        way.setFaults { _, _ in .refused(.offline("cut off")) }
        try await eventually("offline") { !alice.catalog.bulletin.health(of: scope).isOnline }
        let path = ItemPath(".docfs/log/\(String(repeating: "0", count: 15))\(number).json")
        let revision = try #require(try await store.head(path)?.revision)
        try await store.remove(path, expecting: revision)
        way.setFaults { _, _ in nil }
        try await eventually("told") {
            alice.catalog.bulletin.health(of: scope).problem?.contains("no record \(number)")
                == true
        }
        await alice.engine.stop()
    }

    @Test func aRecordCountsOnceTheStoreHasItForGood() async throws {  // S13
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: store)
        let bob = try TestDevice("bob", store: way)
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("one", "1")
        try await settle(alice, bob)
        let refusals = Atomic(0)
        way.setFaults { verb, _ in
            guard verb == .makeDurable else { return nil }
            refusals.add(1, ordering: .relaxed)
            return .refused(.offline("cut off"))
        }
        try alice.write("two", "2")
        try await eventually("bob has asked") { refusals.load(ordering: .relaxed) > 0 }
        let name = Name("two")
        let shown = try bob.catalog.read { (read) throws(DocFSError) in
            try read.child(name, of: bob.scope.root)
        }
        #expect(shown == nil)
        way.setFaults { _, _ in nil }
        try await eventually("bob is back") {
            bob.catalog.bulletin.health(of: bob.scope.id).isOnline
        }
        #expect(try await settle(alice, bob) == ["one": "1", "two": "2"])
        await stop(alice, bob)
    }
}
