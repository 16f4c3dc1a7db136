import TestSupport
import Testing

@testable import DocFS

/// Somebody writes the container who keeps no rule: nobody is stopped by it, and nothing loops.
extension TwoDeviceTests {
    /// Records as nobody of ours writes them, one after the other.
    private struct Forger {
        let store: MemoryStore
        var number: UInt64
        /// The digest of that record.
        var last: Digest?

        /// Begins behind the last record that `device` has read.
        init(_ store: MemoryStore, behind device: TestDevice) throws {
            self.store = store
            let scope = try device.catalog.read { (read) throws(DocFSError) in
                try read.scopes()[0]
            }
            (number, last) = (scope.anchor, scope.digest)
        }

        mutating func append(_ changes: [Change]) throws {
            let record = LogRecord(
                device: DeviceID(high: 7, low: 7), deviceName: "eve", time: 7, previous: last,
                changes: changes)
            try append(ContainerCoding.encode(record))
        }

        mutating func append(_ bytes: [UInt8]) throws {
            number += 1
            last = SHA256.digest(of: bytes)
            try store.writeFromOutside(ContainerLayout.record(number), bytes)
        }
    }

    private static func directory(_ name: Name, in parent: ItemID) -> ItemState {
        ItemState(
            parent: parent, name: name, metadata: Metadata(mode: 0o755, modified: .zero),
            content: .directory)
    }

    private static func made(_ item: ItemID, _ state: ItemState) -> Change {
        Change(
            operation: OperationID(high: item.high, low: item.low &+ 1_000_000), item: item,
            before: nil, after: state)
    }

    private func problem(of device: TestDevice) -> String? {
        device.catalog.bulletin.health(of: device.scope.id).problem
    }

    private func setAside(by device: TestDevice) -> [String] {
        device.catalog.bulletin.health(of: device.scope.id).setAside
    }

    /// A container with a document in it that Alice made, who has read all of its log.
    private func started(_ store: MemoryStore = MemoryStore()) async throws -> (
        MemoryStore, TestDevice
    ) {
        let alice = try TestDevice("alice", store: store, poll: 50_000_000)
        await alice.engine.start()
        try alice.write("doc", "text")
        try await settle(alice)
        return (store, alice)
    }

    @Test("Another container in its place is noticed, and nothing is sent there")
    func anotherMarker() async throws {  // S23
        let (store, alice) = try await started()
        let own = try await store.contents(ContainerLayout.marker)
        let others = try ContainerCoding.encode(marker: ContainerID(high: 7, low: 7))
        try store.writeFromOutside(ContainerLayout.marker, others)
        try await eventually("it is noticed") {
            problem(of: alice) == "another container is there now"
        }
        try alice.write("new", "text")
        // Many polls.
        try await Task.sleep(nanoseconds: 500_000_000)
        #expect(try await store.head("new") == nil)
        #expect(try await alice.tree() == ["doc": "text", "new": "text"])
        try store.writeFromOutside(ContainerLayout.marker, own)
        try await settle(alice)
        #expect(try await store.head("new") != nil)
        await stop(alice)
    }

    @Test(
        "Where each look costs a request, it is noticed before anything is read or recorded there")
    func anotherMarkerInABucket() async throws {  // S23
        var capabilities = StoreCapabilities.whole
        capabilities.cheapListing = false
        let (store, alice) = try await started(MemoryStore(capabilities: capabilities))
        let own = try await store.contents(ContainerLayout.marker)
        let others = try ContainerCoding.encode(marker: ContainerID(high: 7, low: 7))
        try store.writeFromOutside(ContainerLayout.marker, others)
        let end = try alice.anchor
        try alice.write("new", "text")
        try await eventually("it is noticed before a record is appended") {
            problem(of: alice) == "another container is there now"
        }
        #expect(try await store.head(ContainerLayout.record(end + 1)) == nil)
        try store.writeFromOutside(ContainerLayout.marker, own)
        try await settle(alice)
        #expect(try alice.anchor > end)
        await stop(alice)
    }

    @Test("Where each look costs a request, nothing of another container's log is applied")
    func anotherLogInABucket() async throws {  // S23
        var capabilities = StoreCapabilities.whole
        capabilities.cheapListing = false
        let (store, alice) = try await started(MemoryStore(capabilities: capabilities))
        let own = try await store.contents(ContainerLayout.marker)
        let others = try ContainerCoding.encode(marker: ContainerID(high: 7, low: 7))
        var eve = try Forger(store, behind: alice)
        let end = try alice.anchor
        try store.writeFromOutside(ContainerLayout.marker, others)
        try eve.append([] as [Change])
        try await eventually("it is noticed before the record is applied") {
            problem(of: alice) == "another container is there now"
        }
        #expect(try alice.anchor == end)
        try store.writeFromOutside(ContainerLayout.marker, own)
        try await eventually("it goes on") { try alice.anchor == end + 1 }
        await stop(alice)
    }

    @Test("One change that breaks a rule is set aside and named; the rest of its record counts")
    func aBadChange() async throws {  // S35
        let (store, alice) = try await started()
        var eve = try Forger(store, behind: alice)
        let root = String(repeating: "0", count: 32)
        func change(_ item: String, _ name: String, _ size: String) -> String {
            let id = String(repeating: item, count: 32)
            return
                #"{"op":"\#(id)","item":"\#(id)","after":{"parent":"\#(root)","name":"\#(name)","#
                + #""kind":"file","mode":420,"mtime":[1,2],"size":\#(size),"rev":"r"}}"#
        }
        let changes = [
            change("a", "huge", "18446744073709551615"), change("b", "empty", "0"),
        ]
        let device = String(repeating: "e", count: 32)
        let text =
            #"{"v":2,"device":"\#(device)","name":"eve","time":1,"#
            + #""previous":"\#(eve.last!)","changes":["#
            + changes.joined(separator: ",") + "]}"
        try eve.append(Array(text.utf8))
        let bob = try TestDevice("bob", store: store, poll: 50_000_000)
        await bob.engine.start()
        try await eventually("all is read") { try bob.isRecorded("empty") }
        try await eventually("by Alice too") { try alice.isRecorded("empty") }
        for device in [alice, bob] {
            // Told once the record is in the catalog.
            try await eventually("it is named") { setAside(by: device).count == 1 }
            #expect(setAside(by: device).first?.hasPrefix("record \(eve.number), change 1") == true)
            #expect(try !device.isRecorded("huge"))
            #expect(problem(of: device) == nil)
        }
        await bob.engine.stop()
        let again = try bob.restarted()
        await again.engine.start()
        try await eventually("it is still named") { setAside(by: again).count == 1 }
        await stop(alice, again)
    }

    @Test("The root is no item: a record that says so makes no circle")
    func theRootAsAnItem() async throws {  // S35
        for isLast in [false, true] {
            let store = isLast ? objects : MemoryStore()
            let alice = try TestDevice("alice", store: store, poll: 50_000_000)
            await alice.engine.start()
            try alice.write("doc", "text")
            try await settle(alice)
            var eve = try Forger(store, behind: alice)
            let r = Self.directory("r", in: .root)
            try eve.append([Self.made(.root, r)])
            try eve.append([
                Change(
                    operation: OperationID(high: 9, low: 9), item: .root, before: Place(of: r),
                    after: Self.directory("s", in: .root))
            ])
            let bob = try TestDevice("bob", store: store, poll: 50_000_000)
            await bob.engine.start()
            try bob.write("from bob", "b")
            let tree = try await settle(alice, bob)
            #expect(tree == ["doc": "text", "from bob": "b"])
            #expect(setAside(by: alice).count == 2)
            await stop(alice, bob)
        }
    }

    @Test("Directories far too deep: the upper ones are shown, and nobody runs out of stack")
    func tooDeep() async throws {  // S35
        let (store, alice) = try await started()
        var eve = try Forger(store, behind: alice)
        var parent = ItemID.root
        for part in 0..<6 {
            var changes: [Change] = []
            for number in 0..<200 {
                // The deepest have the least identities: they are planned first.
                let item = ItemID(high: 1, low: UInt64(10_000 - part * 200 - number))
                changes.append(Self.made(item, Self.directory("d", in: parent)))
                parent = item
            }
            try eve.append(changes)
        }
        let bob = try TestDevice("bob", store: store, poll: 50_000_000)
        await bob.engine.start()
        let tree = try await settle(alice, bob)
        #expect(tree.count == ItemPath.maximumDepth)
        #expect(tree["doc"] == "text")
        await stop(alice, bob)
    }

    @Test(
        "What a user makes too deep stays on its device, with its error, and goes on when moved up")
    func madeTooDeep() async throws {
        let (_, alice) = try await started()
        var path = ""
        for _ in 0..<ItemPath.maximumDepth {
            path += path.isEmpty ? "d" : "/d"
            try alice.makeDirectory(path)
        }
        try alice.write(String(path.dropLast(2)) + "/kept", "text")
        try await eventually("the last one is refused") {
            try alice.error(of: path)?.contains("deeper") == true
        }
        try await eventually("what lies less deep is recorded") {
            try alice.isRecorded(ItemPath(String(path.dropLast(2)) + "/kept"))
        }
        try alice.rename(path, "up")
        try await settle(alice)
        #expect(try alice.isRecorded("up"))
        await stop(alice)
    }

    // MARK: Snapshots

    /// Writes a snapshot of one page, and a floor that says to read it.
    private func write(_ entries: [SnapshotPage.Entry], to store: MemoryStore, at record: UInt64)
        async throws
    {
        let container = Container(
            store: store, device: DeviceID(high: 7, low: 7), deviceName: "eve")
        var page = SnapshotPage()
        page.entries = entries
        let directory = ContainerLayout.snapshot(of: record, by: OperationID(high: 1, low: 1))
        let digest = try await container.write(page, 0, in: directory)
        let floor = Floor(
            record: record + 1,
            snapshot: LogSnapshot(
                record: record, digest: SHA256.digest(of: []), directory: directory,
                pages: [digest]))
        try await container.raise(floor, over: nil)
    }

    private func entry(_ number: UInt64, _ name: Name, in parent: ItemID) -> SnapshotPage.Entry {
        SnapshotPage.Entry(
            item: ItemID(high: 0, low: number), state: Self.directory(name, in: parent),
            lodging: nil)
    }

    @Test("A snapshot that is no tree is not taken, whatever is wrong with it", arguments: 0..<5)
    func noTree(_ fault: Int) async throws {  // S23, S35
        let (store, alice) = try await started()
        await alice.engine.stop()
        func item(_ number: UInt64) -> ItemID { ItemID(high: 0, low: number) }
        let entries: [SnapshotPage.Entry] =
            switch fault {
            // In each other, and nowhere else.
            case 0: [entry(1, "a", in: item(2)), entry(2, "b", in: item(1))]
            case 1: [entry(1, "a", in: .root), entry(2, "b", in: item(9))]
            case 2: [entry(1, "a", in: .root), entry(2, "a", in: .root)]
            case 3:
                (1...3_000).map { entry($0, "d", in: $0 == 3_000 ? .root : item($0 + 1)) }
            default: [entry(2, "a", in: .root), entry(1, "b", in: .root)]
            }
        try await write(entries, to: store, at: 1_000)
        let bob = try TestDevice("bob", store: store, poll: 50_000_000)
        let again = try alice.restarted()
        for device in [bob, again] {
            await device.engine.start()
            try await eventually("why is told") {
                problem(of: device)?.contains("snapshot") == true
            }
            #expect(!device.catalog.bulletin.health(of: device.scope.id).isOnline)
        }
        #expect(try await again.tree()["doc"] == "text")
        // Without the forgery the log counts again, from its first record.
        let floor = try #require(try await store.head(".docfs/floor.json")?.revision)
        try await store.remove(".docfs/floor.json", expecting: floor)
        try again.write("new", "edit")
        #expect(try await settle(again, bob) == ["doc": "text", "new": "edit"])
        await stop(again, bob)
    }

    @Test("A log that has no number left takes no more edits, and keeps them here")
    func noNumberLeft() async throws {
        let (store, alice) = try await started()
        await alice.engine.stop()
        try await write([entry(1, "a", in: .root)], to: store, at: ContainerRules.lastRecord)
        let again = try alice.restarted()
        await again.engine.start()
        try await eventually("the snapshot is read") { try again.isRecorded("a") }
        try again.write("new", "edit")
        try await eventually("why is told") {
            problem(of: again)?.contains("no number left") == true
        }
        #expect(try await again.tree()["new"] == "edit")
        await stop(again)
    }
}
