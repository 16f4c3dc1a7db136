import DocFS
import TestSupport
import Testing

/// One device that exists twice (S34).
extension TwoDeviceTests {
    // S34
    @Test func twoOfOneDeviceBecomeTwo() async throws {
        let (alice, bob) = try await pair()
        for number in 1...4 { try alice.write("doc\(number)", "first") }
        try await settle(alice, bob)
        await alice.engine.stop()
        try alice.write("unsent", "before the copy")
        let twin = try alice.copy()
        let original = try alice.restarted()
        let identity = original.device
        #expect(twin.device == identity)
        await original.engine.start()
        await twin.engine.start()
        for round in 1...4 {
            try original.write("doc1", "original \(round)")
            try twin.write("doc1", "twin \(round)")
            try original.write("doc2", "original \(round)")
            try twin.write("doc3", "twin \(round)")
            try twin.write("of the twin \(round)", "\(round)")
            // They meet at every stage of what they do.
            try await Task.sleep(nanoseconds: 150_000_000)
        }
        let tree = try await settle(original, twin, bob)
        #expect(tree["unsent"] == "before the copy")
        #expect(tree["doc2"] == "original 4" && tree["doc3"] == "twin 4")
        let texts = Set(tree.values)
        #expect(texts.isSuperset(of: ["original 4", "twin 4"]))
        #expect(original.device != twin.device)
        await stop(original, twin, bob)
    }

    // S34
    @Test func anOlderStateThatWasRestoredIsAnotherDevice() async throws {
        let (alice, bob) = try await pair()
        try alice.write("doc", "one")
        try alice.write("same", "one")
        try await settle(alice, bob)
        await alice.engine.stop()
        try alice.write("edit", "not sent when the state was saved")
        let older = try alice.copy()
        let later = try alice.restarted()
        await later.engine.start()
        try later.write("doc", "two")
        try await settle(later, bob)
        let identity = later.device
        await later.engine.stop()
        try older.write("doc", "edited where it was restored")
        await older.engine.start()
        let tree = try await settle(older, bob)
        #expect(older.device != identity)
        #expect(tree["edit"] == "not sent when the state was saved")
        #expect(tree["doc"] == "two" && tree["same"] == "one")
        #expect(tree.values.contains("edited where it was restored"))
        #expect(tree.count == 4)
        await stop(older, bob)
    }

    // S34, S13
    @Test func whoWasKilledKnowsItsOwnRecords() async throws {
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        let identity = alice.device
        await alice.engine.start()
        try alice.write("doc", "one")
        try await eventually("alice rests") { try alice.isAtRest }
        // The record arrives; its answer does not, and nothing after it.
        way.cut { verb, path in verb == .write && path.description.hasPrefix(".docfs/log/") }
        try store.writeFromOutside("found", Array("another program's".utf8))
        try alice.write("doc", "two")
        try await eventually("offline") {
            !alice.catalog.bulletin.health(of: alice.scope.id).isOnline
        }
        await alice.engine.stop()
        way.setFaults { _, _ in nil }
        let again = try alice.restarted()
        await again.engine.start()
        try await eventually("all is there") {
            try await again.tree() == ["doc": "two", "found": "another program's"]
        }
        try await eventually("it rests") { try again.isAtRest }
        #expect(again.device == identity)
        await again.engine.stop()
    }
}
