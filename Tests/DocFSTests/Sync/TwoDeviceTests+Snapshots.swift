import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// Bob was away for so long that the log has forgotten what he missed: he reads the snapshot.
extension TwoDeviceTests {
    /// Alice, who shortens the log whenever she can, and Bob, whose way to the store has faults.
    private func shorteningPair() async throws -> (TestDevice, TestDevice, FaultyStore) {
        let way = FaultyStore(MemoryStore())
        let alice = try TestDevice("alice", store: way.store, collection: 20_000_000)
        let bob = try TestDevice("bob", store: way)
        await alice.engine.start()
        await bob.engine.start()
        return (alice, bob, way)
    }

    func floor(_ store: MemoryStore) async throws -> Floor? {
        try await Container(store: store, device: .fresh, deviceName: "reader").floor()
    }

    /// Alice goes on until the log does not have any more what Bob is to read next.
    func shorten(_ alice: TestDevice, beyond bob: TestDevice, _ store: MemoryStore)
        async throws
    {
        let anchor = try bob.anchor
        for round in 0..<100 {
            try alice.write("noise", "\(round)")
            try await settle(alice)
            if let floor = try await floor(store), floor.record > anchor + 1 { return }
        }
        Issue.record("the log was not shortened")
    }

    /// Waits until both agree; what Alice made to have the log shortened is left out.
    private func settled(_ alice: TestDevice, _ bob: TestDevice) async throws -> [String: String] {
        var tree = try await settle(alice, bob)
        tree["noise"] = nil
        return tree
    }

    @Test func whoReadsTheSnapshotKeepsItsEdits() async throws {  // S12, S16, S20
        let (alice, bob, way) = try await shorteningPair()
        let names = [
            "edited here", "edited on both", "deleted here", "deleted here, edited there",
            "edited here, deleted there", "renamed here", "edited there", "moved there",
            "moved there, edited here", "deleted there", "A", "B",
        ]
        for name in names { try alice.write(name, name) }
        try alice.makeDirectory("d")
        try await settle(alice, bob)
        await bob.engine.stop()

        try bob.write("edited here", "bob's")
        try bob.write("edited on both", "bob's")
        try bob.remove("deleted here")
        try bob.remove("deleted here, edited there")
        try bob.write("edited here, deleted there", "bob's")
        try bob.rename("renamed here", "renamed")
        try bob.write("moved there, edited here", "bob's")
        try bob.write("new here", "bob's")

        try alice.write("edited on both", "alice's")
        try alice.write("deleted here, edited there", "alice's")
        try alice.remove("edited here, deleted there")
        try alice.write("edited there", "alice's")
        try alice.rename("moved there", "d/moved")
        try alice.rename("moved there, edited here", "d/moved too")
        try alice.remove("deleted there")
        try alice.rename("A", "t")
        try alice.rename("B", "A")
        try alice.rename("t", "B")
        try alice.write("new there", "alice's")
        try await settle(alice)
        try await shorten(alice, beyond: bob, way.store)

        let again = try bob.restarted()
        await again.engine.start()
        var tree = try await settled(alice, again)
        let sibling = tree.keys.first { $0.hasPrefix("edited on both (conflict from bob") }
        #expect(sibling.flatMap { tree.removeValue(forKey: $0) } == "bob's")
        #expect(
            tree == [
                "edited here": "bob's", "edited on both": "alice's",
                "deleted here, edited there": "alice's", "edited here, deleted there": "bob's",
                "renamed": "renamed here", "edited there": "alice's", "d/": "",
                "d/moved": "moved there", "d/moved too": "bob's", "A": "B", "B": "A",
                "new here": "bob's", "new there": "alice's",
            ])
        await stop(alice, again)
    }

    @Test func whoKnowsJustWhatIsNotKeptAnyMoreGoesOn() async throws {  // S23
        let (alice, bob, way) = try await shorteningPair()
        try alice.write("doc", "text")
        var isSnapshot = false
        for round in 0..<50 where !isSnapshot {
            try alice.write("noise", "before \(round)")
            try await settle(alice, bob)
            for _ in 0..<40 where !isSnapshot {
                // It is written soon after a record, or after the next one.
                try await Task.sleep(nanoseconds: 5_000_000)
                isSnapshot = try await floor(way.store)?.snapshot.record == bob.anchor
            }
        }
        await bob.engine.stop()
        let anchor = try bob.anchor
        // The next snapshot ends what is kept for that one: the record at Bob's anchor goes.
        var isGone = false
        for round in 0..<100 where !isGone {
            try alice.write("noise", "after \(round)")
            try await settle(alice)
            for _ in 0..<40 where !isGone {
                // Removals come soon after a record, or after the next one.
                try await Task.sleep(nanoseconds: 5_000_000)
                isGone = try await way.store.head(ContainerLayout.record(anchor)) == nil
            }
        }
        #expect(try await floor(way.store)?.record == anchor + 1)
        let again = try bob.restarted()
        await again.engine.start()
        #expect(try await settled(alice, again) == ["doc": "text"])
        await stop(alice, again)
    }

    @Test(arguments: [true, false])
    func aSnapshotThatIsNotWholeIsNotTaken(_ isThere: Bool) async throws {  // S23
        let (alice, bob, way) = try await shorteningPair()
        try alice.write("kept", "text")
        try alice.write("replaced", "one")
        try await settle(alice, bob)
        await bob.engine.stop()
        try alice.write("replaced", "two")
        try await settle(alice)
        try await shorten(alice, beyond: bob, way.store)
        await alice.engine.stop()

        let snapshot = try #require(try await floor(way.store)).snapshot
        let page = ContainerLayout.page(0, in: snapshot.directory)
        let bytes = try #require(try await way.store.small(page, atMost: 1 << 20))
        if isThere {
            try way.store.writeFromOutside(page, bytes.dropLast())
        } else {
            let found = try #require(try await way.store.head(page))
            try await way.store.remove(page, expecting: try #require(found.revision))
        }
        let names = try bob.names
        let anchor = try bob.anchor
        let again = try bob.restarted()
        await again.engine.start()
        try await eventually("bob says why") {
            again.catalog.bulletin.health(of: again.scope.id).problem?
                .contains("is not what was written") == true
        }
        #expect(try again.names == names)
        #expect(try again.anchor == anchor)

        try way.store.writeFromOutside(page, bytes)
        try await eventually("bob is up to date") {
            guard try again.isAtRest, try again.anchor >= snapshot.record else { return false }
            return try await again.tree()["replaced"] == "two"
        }
        await stop(again)
    }

    @Test func aFloorMayRiseWhileTheSnapshotIsRead() async throws {
        let (alice, bob, way) = try await shorteningPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        await bob.engine.stop()
        try alice.write("doc", "two")
        try await settle(alice)
        try await shorten(alice, beyond: bob, way.store)
        let former = try #require(try await floor(way.store)).snapshot
        let states = Atomic(0)
        way.setPause { _, path in
            guard path.isAtOrBelow(former.directory),
                states.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged
            else { return }
            while states.load(ordering: .relaxed) == 1 {
                // This is the pause between two looks.
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        defer { states.store(2, ordering: .relaxed) }
        let again = try bob.restarted()
        await again.engine.start()
        try await eventually("bob is about to read it") { states.load(ordering: .relaxed) == 1 }
        try alice.write("doc", "three")
        for round in 0..<100 where try await way.store.head(former.directory) != nil {
            try alice.write("noise", "more \(round)")
            try await settle(alice)
        }
        #expect(try await way.store.head(former.directory) == nil)
        states.store(2, ordering: .relaxed)
        // What he was about to read is gone: he begins with the next one.
        try await eventually("bob is up to date") {
            (try? await again.tree()["doc"]) == "three"
        }
        #expect(try await settled(alice, again) == ["doc": "three"])
        await stop(alice, again)
    }

    @Test func whatOthersRecordedAndReplacedIsNoEditOfItsAuthor() async throws {  // S16
        let (alice, bob, way) = try await shorteningPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        // Bob's edit gets there, and then nothing of his does.
        let isCut = way.cut { $0 == .write && $1 == "doc" }
        try bob.write("doc", "bob's")
        try await eventually("it is sent") { isCut() }
        try await eventually("bob knows nothing of that") {
            !bob.catalog.bulletin.health(of: bob.scope.id).isOnline
        }
        await bob.engine.stop()
        try await eventually("alice has it") { try await alice.tree()["doc"] == "bob's" }
        try alice.write("doc", "alice's, who saw bob's")
        try await settle(alice)
        try await shorten(alice, beyond: bob, way.store)
        #expect(try bob.intents == 1)

        way.setFaults { _, _ in nil }
        let again = try bob.restarted()
        await again.engine.start()
        #expect(try await settled(alice, again) == ["doc": "alice's, who saw bob's"])
        #expect(try again.versions(of: "doc").map(\.size) == [5])
        await stop(alice, again)
    }
}

extension TestDevice {
    /// The last record that was applied.
    var anchor: UInt64 {
        get throws {
            try catalog.read { (read) throws(DocFSError) in try read.scopes()[0].anchor }
        }
    }

    /// What the root lists.
    fileprivate var names: Set<Name> {
        get throws {
            try catalog.read { (read) throws(DocFSError) in
                Set(try read.children(of: scope.root).map(\.name))
            }
        }
    }
}
