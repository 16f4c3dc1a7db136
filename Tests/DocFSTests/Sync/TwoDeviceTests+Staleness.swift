import DocFS
import Synchronization
import TestSupport
import Testing

/// A store that answers with what was there before, as a cache in front of it does.
extension TwoDeviceTests {
    private func pairOfStale(_ staleness: UInt64) async throws
        -> (TestDevice, FaultyStore, TestDevice, MemoryStore)
    {
        var capabilities = StoreCapabilities.objects
        (capabilities.events, capabilities.cheapListing) = (false, false)
        let store = MemoryStore(capabilities: capabilities)
        let way = FaultyStore(store)
        let alice = try TestDevice(
            "alice", store: way, poll: 50_000_000, staleness: staleness)
        let bob = try TestDevice("bob", store: store, poll: 50_000_000)
        await alice.engine.start()
        await bob.engine.start()
        return (alice, way, bob, store)
    }

    /// From now on `doc` is what it was before; returns how often that was told.
    private func makeStale(_ way: FaultyStore, _ former: ObjectInfo?) -> @Sendable () -> Int {
        let count = Counter()
        way.setFaults { verb, path in
            guard verb == .head, path == "doc" else { return nil }
            count.value.add(1, ordering: .relaxed)
            return .stale(former)
        }
        return { count.value.load(ordering: .relaxed) }
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    private func records(_ store: MemoryStore) async throws -> Int {
        try await store.list(".docfs/log").count
    }

    @Test func whatTheStoreHasNotYetIsNotTakenForDeleted() async throws {  // S23
        let (alice, way, bob, store) = try await pairOfStale(600_000_000_000)
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let known = try await records(store)
        let count = makeStale(way, nil)
        try await eventually("it is looked for several times") {
            alice.engine.noteVisit(to: .root)
            return count() > 6
        }
        #expect(try await alice.tree() == ["doc": "one"])
        #expect(try await records(store) == known)
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["doc": "one"])
        await stop(alice, bob)
    }

    @Test func whatTheStoreHadBeforeIsNotTakenForAnEdit() async throws {  // S23
        let (alice, way, bob, store) = try await pairOfStale(600_000_000_000)
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let former = try #require(try await store.head("doc"))
        try alice.write("doc", "two")
        try await settle(alice, bob)
        let known = try await records(store)
        let count = makeStale(way, former)
        try await eventually("it is looked at several times") {
            alice.engine.noteVisit(to: .root)
            return count() > 6
        }
        #expect(try await alice.tree() == ["doc": "two"])
        #expect(try await records(store) == known)
        way.setFaults { _, _ in nil }
        // What another program writes is an edit all the same.
        try store.writeFromOutside("doc", Array("three".utf8))
        try await eventually("it is seen") {
            alice.engine.noteVisit(to: .root)
            return try await alice.tree() == ["doc": "three"]
        }
        await stop(alice, bob)
    }

    @Test func whatStaysAwayIsDeletedInTheEnd() async throws {  // S23
        let (alice, _, bob, store) = try await pairOfStale(1_000_000_000)
        try alice.write("doc", "one")
        try await settle(alice, bob)
        try store.removeFromOutside("doc")
        try await eventually("it is taken for deleted") {
            alice.engine.noteVisit(to: .root)
            return try await bob.tree().isEmpty
        }
        try await settle(alice, bob)
        await stop(alice, bob)
    }

    @Test func whatABackupBringsBackIsRecordedUnderItsOperationOnce() async throws {
        let store = MemoryStore(capabilities: .objects)
        let alice = try TestDevice("alice", store: store)
        await alice.engine.start()
        try alice.write("doc", "one")
        try await settle(alice)
        let former = try #require(try await store.head("doc")?.metadata)
        try alice.write("doc", "two")
        try await settle(alice)
        await stop(alice)
        let again = try alice.restarted()
        await again.engine.start()
        // A body that was replaced, and then one that was deleted.
        let body = ObjectWrite(
            payload: .bytes(Array("one".utf8), size: 3), metadata: former)
        let now = try #require(try await store.head("doc")?.revision)
        _ = try await store.write("doc", body, condition: .revision(now), keeping: nil)
        try await eventually("it is back") { try await again.tree() == ["doc": "one"] }
        try again.remove("doc")
        try await settle(again)
        await stop(again)
        let third = try again.restarted()
        await third.engine.start()
        _ = try await store.write("doc", body, condition: .absent, keeping: nil)
        try await eventually("it is back again") { try await third.tree() == ["doc": "one"] }
        await stop(third)
        var operations: [Substring] = []
        for record in try await store.list(".docfs/log") {
            let text = try await store.text(record.path)
            let parts = text.split(separator: "\"op\":\"")
            operations += parts.dropFirst().map { $0.prefix(32) }
        }
        #expect(operations.count > 4)
        #expect(Set(operations).count == operations.count)
    }
}
