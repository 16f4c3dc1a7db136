import TestSupport
import Testing

@testable import DocFS

/// Where nothing tells of changes and listing costs, everything is listed once an hour.
@Suite struct RareLookTests {
    private let clock = StillClock()

    private func store(listsMetadata: Bool = false) -> MemoryStore {
        var capabilities = StoreCapabilities.whole
        capabilities.events = false
        capabilities.cheapListing = false
        capabilities.listsMetadata = listsMetadata
        return MemoryStore(capabilities: capabilities) { [clock] in clock.wallTime() }
    }

    @Test(
        "What others have filled is taken over by its listing, but not what may be a device's",
        arguments: [false, true])
    func takenOverByItsListing(_ listsMetadata: Bool) async throws {
        let store = store(listsMetadata: listsMetadata)
        let counting = CountingStore(store)
        try await store.attach(create: true)
        var tree = ["d/": "", "young": "young"]
        try await store.makeDirectory("d", metadata: .of(nil))
        for number in 0..<50 {
            tree["\(number)"] = "one"
            tree["d/\(number)"] = "two"
            try store.writeFromOutside(ItemPath("\(number)"), Array("one".utf8))
            try store.writeFromOutside(ItemPath("d/\(number)"), Array("two".utf8))
        }
        clock.advance(nanoseconds: UInt64(ForeignAge.settled) * 1_000_000_000)
        try store.writeFromOutside("young", Array("young".utf8))
        let device = try TestDevice("alice", store: counting, clock: clock, poll: 5_000_000_000)
        await device.engine.start()
        try await shows(tree, device)
        // The marker, the floor and the like, the directory, and what may be a device's.
        #expect(counting.sofar[.head] < 20, "\(counting.sofar)")
        #expect((counting.sofar.looks["young"] == nil) == listsMetadata)
        #expect(counting.sofar.looks["d/7"] == nil)
        let bob = try TestDevice("bob", store: store, clock: clock, poll: 5_000_000_000)
        await bob.engine.start()
        try await shows(tree, bob)
        await device.engine.stop()
        await bob.engine.stop()
    }

    @Test("What a device has put into a container whose log is lost keeps its identity")
    func logIsLost() async throws {
        let store = store(listsMetadata: true)
        let item = ItemID.fresh
        try await store.attach(create: true)
        _ = try await store.write(
            "doc", .document("text", item: item), condition: .absent, keeping: nil)
        try store.writeFromOutside("other", Array("another".utf8))
        clock.advance(nanoseconds: UInt64(ForeignAge.settled) * 1_000_000_000)
        let device = try TestDevice("alice", store: store, clock: clock, poll: 5_000_000_000)
        await device.engine.start()
        try await shows(["doc": "text", "other": "another"], device)
        #expect(try self.item("doc", of: device) == item)
        await device.engine.stop()
    }

    @Test(
        "Of a large container what was found is recorded before all of it is looked for",
        arguments: [StoreCapabilities.whole, .objects])
    func recordedBetweenLooks(_ capabilities: StoreCapabilities) async throws {
        var capabilities = capabilities
        // Nobody has to make them.
        capabilities.directories = false
        capabilities.cheapListing = capabilities.listsMetadata
        let store = MemoryStore(capabilities: capabilities) { [clock] in clock.wallTime() }
        try await store.attach(create: true)
        for number in 0..<10_000 {
            try store.writeFromOutside(ItemPath("\(number / 500)/\(number)"), [])
        }
        clock.advance(nanoseconds: UInt64(ForeignAge.settled) * 1_000_000_000)
        let (way, isEarly) = (FaultyStore(store), Flag())
        let counting = CountingStore(way)
        way.setPause { verb, path in
            guard verb == .write, path.isAtOrBelow(".docfs/log") else { return }
            // More than a few of the twenty directories, and not all.
            if (5..<18).contains(counting.sofar[.list]) { isEarly.set(true) }
        }
        let device = try TestDevice("alice", store: counting)
        await device.engine.start()
        try await eventually("all is recorded") {
            guard try device.isAtRest else { return false }
            let count = try device.catalog.read { (read) throws(DocFSError) in
                try read.remoteCount(scope: device.scope.id)
            }
            return count == 10_020
        }
        #expect(isEarly.isSet)
        if !capabilities.cheapListing {
            let looks = (0..<20).map { counting.sofar.looks[ItemPath("\($0)")] }
            #expect(looks.allSatisfy { $0 == 1 }, "\(looks)")
        }
        await device.engine.stop()
    }

    @Test("A document that another program moved keeps its identity, however long ago that was")
    func movedLongAgo() async throws {
        let store = store()
        let device = try TestDevice("alice", store: store, clock: clock, poll: 5_000_000_000)
        await device.engine.start()
        try device.write("doc", "text")
        try await shows(["doc": "text"], device)
        try await clock.pass(seconds: 100)
        let item = try item("doc", of: device)
        await device.engine.stop()
        let revision = try #require(try await store.head("doc")?.revision)
        _ = try await store.move("doc", expecting: revision, to: "moved", condition: .absent)
        clock.advance(nanoseconds: 3_600_000_000_000)
        let again = try device.restarted()
        await again.engine.start()
        try await clock.pass(seconds: 4_000)
        try await shows(["moved": "text"], again)
        #expect(try self.item("moved", of: again) == item)
        await again.engine.stop()
    }

    private func item(_ name: Name, of device: TestDevice) throws -> ItemID? {
        try device.catalog.read { (read) throws(DocFSError) in
            try read.child(name, of: device.scope.root)?.item
        }
    }

    @Test func whatOtherProgramsDoIsFoundOnceAnHour() async throws {
        let store = store()
        let counting = CountingStore(store)
        try await store.attach(create: true)
        try store.writeFromOutside("edited", Array("one".utf8))
        try store.writeFromOutside("removed", Array("two".utf8))
        let device = try TestDevice("alice", store: counting, clock: clock, poll: 5_000_000_000)
        await device.engine.start()
        try await shows(["edited": "one", "removed": "two"], device)
        try await clock.pass(seconds: 10)
        _ = counting.take()

        try store.writeFromOutside("edited", Array("another".utf8))
        try store.writeFromOutside("new", Array("three".utf8))
        let removed = try #require(try await store.head("removed")?.revision)
        try await store.remove("removed", expecting: removed)
        try await clock.pass(seconds: 3_500)
        #expect(counting.sofar[.list] == 0)
        #expect(try names(device) == ["edited", "removed"])

        try await clock.pass(seconds: 100)
        try await shows(["edited": "another", "new": "three"], device)
        // The documents, and the log: whether it has gaps.
        #expect(counting.sofar[.list] == 2)
        await device.engine.stop()
    }

    /// A directory that the user looks into is listed, but not again within twelve polls.
    @Test func whatOtherProgramsDoIsFoundWhereTheUserLooks() async throws {
        let store = store()
        let counting = CountingStore(store)
        try await store.attach(create: true)
        try store.writeFromOutside("old", Array("one".utf8))
        try await store.makeDirectory("d", metadata: .of(nil))
        let device = try TestDevice("alice", store: counting, clock: clock, poll: 5_000_000_000)
        await device.engine.start()
        try await shows(["old": "one", "d/": ""], device)
        try await clock.pass(seconds: 100)
        _ = counting.take()

        try store.writeFromOutside("new", Array("three".utf8))
        try store.writeFromOutside("d/unseen", Array("four".utf8))
        device.engine.noteVisit(to: .root)
        device.engine.noteVisit(to: .root)
        let seen = ["old": "one", "new": "three", "d/": ""]
        try await shows(seen, device)
        #expect(counting.sofar[.list] == 1)

        try store.writeFromOutside("late", Array("five".utf8))
        device.engine.noteVisit(to: .root)
        try await clock.pass(seconds: 20)
        #expect(counting.sofar[.list] == 1)
        try await clock.pass(seconds: 60)
        device.engine.noteVisit(to: .root)
        try await shows(seen.merging(["late": "five"]) { $1 }, device)
        #expect(counting.sofar[.list] == 2)
        await device.engine.stop()
    }

    /// Listing everything costs a request a minute at most.
    @Test func aLargeContainerIsListedMoreRarely() async throws {
        let store = store()
        let counting = CountingStore(store)
        try await store.attach(create: true)
        for number in 1..<90 {
            try await store.makeDirectory(ItemPath("\(number)"), metadata: .of(nil))
        }
        let device = try TestDevice("alice", store: counting, clock: clock, poll: 50_000_000_000)
        await device.engine.start()
        let tree = Dictionary(uniqueKeysWithValues: (1..<90).map { ("\($0)/", "") })
        try await shows(tree, device)
        // The first look after they are known.
        try await clock.pass(seconds: 3_700)
        _ = counting.take()
        try await clock.pass(seconds: 5_000)
        #expect(counting.sofar[.list] == 0)
        try await clock.pass(seconds: 600)
        #expect(counting.sofar[.list] == 91)
        await device.engine.stop()
    }

    /// Coming back is no reason to list any documents.
    @Test func whoWasOnlyOfflineListsNothing() async throws {
        let way = FaultyStore(store())
        let counting = CountingStore(way)
        try await way.store.attach(create: true)
        try way.store.writeFromOutside("doc", Array("one".utf8))
        let device = try TestDevice("alice", store: counting, clock: clock, poll: 5_000_000_000)
        await device.engine.start()
        try await shows(["doc": "one"], device)
        try await clock.pass(seconds: 20)
        way.setFaults { _, _ in .refused(.offline("cut off")) }
        try await clock.pass(seconds: 20)
        #expect(device.engine.offlineReason != nil)
        _ = counting.take()
        way.setFaults { _, _ in nil }
        try await clock.pass(seconds: 60)
        #expect(device.engine.offlineReason == nil)
        #expect(counting.sofar[.list] == 1, "the log")
        await device.engine.stop()
    }

    /// A listing of everything that failed is owed.
    @Test func theFirstLookIsMadeUpFor() async throws {
        try await findsLater { verb, _ in verb == .list }
    }

    /// What was found and could not be recorded is found again.
    @Test func whatCouldNotBeRecordedIsFoundAgain() async throws {
        try await findsLater { verb, path in verb == .write && path.isAtOrBelow(".docfs/log") }
    }

    /// A document of others is found once the store does again what `fails` names.
    private func findsLater(
        _ fails: @escaping @Sendable (FaultyStore.Verb, ItemPath) -> Bool
    ) async throws {
        let way = FaultyStore(store())
        try await way.store.attach(create: true)
        try way.store.writeFromOutside("doc", Array("one".utf8))
        way.setFaults { fails($0, $1) ? .refused(.offline("cut off")) : nil }
        let device = try TestDevice("alice", store: way, clock: clock, poll: 5_000_000_000)
        await device.engine.start()
        try await clock.pass(seconds: 20)
        #expect(try names(device).isEmpty)
        way.setFaults { _, _ in nil }
        try await shows(["doc": "one"], device)
        await device.engine.stop()
    }

    private func names(_ device: TestDevice) throws -> Set<Name> {
        try device.catalog.read { (read) throws(DocFSError) in
            Set(try read.children(of: device.scope.root).map(\.name))
        }
    }

    private func shows(_ tree: [String: String], _ device: TestDevice) async throws {
        var (last, attempt): ([String: String], Int) = ([:], 0)
        try await eventually("\(tree) and not \(last)") {
            last = try await device.tree()
            if try device.isAtRest, last == tree { return true }
            attempt += 1
            // A busy machine takes its time: the clock must not run away from it.
            if attempt.isMultiple(of: 10) { try await clock.pass(seconds: 1) }
            return false
        }
    }
}
