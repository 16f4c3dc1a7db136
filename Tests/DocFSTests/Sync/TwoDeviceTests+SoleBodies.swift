import DocFS
import Synchronization
import TestSupport
import Testing

/// Bodies that another program takes out of the container, and a device still has.
extension TwoDeviceTests {
    private func pair(on store: MemoryStore) async throws -> (TestDevice, TestDevice) {
        let alice = try TestDevice("alice", store: store)
        let bob = try TestDevice("bob", store: store)
        await alice.engine.start()
        await bob.engine.start()
        return (alice, bob)
    }

    /// A device that has sent a document, and whose way to a store of objects has faults.
    private func deviceWithDocument() async throws -> (TestDevice, FaultyStore, MemoryStore) {
        let store = MemoryStore(capabilities: .objects)
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.write("doc", "one")
        try await settle(alice)
        return (alice, way, store)
    }

    private static var stores: [StoreCapabilities] { [.whole, .objects] }

    /// The bytes at a place of the container.
    private func text(at place: ItemPath, in store: MemoryStore) async throws -> String {
        let found = try #require(try await store.head(place))
        let sink = TestSink(size: Int(found.size))
        try await store.read(
            place, range: 0..<found.size, expecting: try #require(found.revision), into: sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    /// The rows that are kept for their bodies alone.
    private func soleBodies(at device: TestDevice) throws -> [SoleBody] {
        try device.catalog.read { (read) throws(DocFSError) in
            try read.namelessSoleBodies(scope: device.scope.id)
        }
    }

    private func waitForAll() async throws {
        // Long enough for whatever is to be put back.
        try await Task.sleep(nanoseconds: 300_000_000)
    }

    @Test(arguments: stores)
    func whatAnotherProgramDeletesIsInTheTrashOfAllDevices(  // S19
        _ capabilities: StoreCapabilities
    ) async throws {
        let store = MemoryStore(capabilities: capabilities)
        let (alice, bob) = try await pair(on: store)
        try alice.makeDirectory("dir")
        try alice.write("dir/doc", "one")
        try await settle(alice, bob)
        // She alone has the bytes, whoever finds that they are gone.
        try store.removeFromOutside("dir/doc")
        for device in [alice, bob] {
            try await eventually("it is in the trash") {
                try device.trash.map(\.path) == ["dir/doc"]
            }
        }
        #expect(try await settle(alice, bob)["dir/doc"] == nil)
        let record = try #require(try bob.trash.first)
        #expect(try await text(at: record.place, in: store) == "one")
        #expect(record.content.body?.digest == SHA256.digest(of: Array("one".utf8)))
        try await eventually("nothing more is kept of it") { try soleBodies(at: alice).isEmpty }
        #expect(try await store.kept(".docfs/trash") == [record.place])
        await stop(alice, bob)
    }

    @Test(arguments: stores)
    func whatAnotherProgramOverwritesIsAnEarlierVersion(  // S19
        _ capabilities: StoreCapabilities
    ) async throws {
        let store = MemoryStore(capabilities: capabilities)
        let (alice, bob) = try await pair(on: store)
        try alice.write("doc", "one")
        try await settle(alice, bob)
        try store.writeFromOutside("doc", Array("other".utf8))
        for device in [alice, bob] {
            try await eventually("it is an earlier version") {
                try device.versions(of: "doc").count == 1
            }
        }
        let version = try #require(try bob.versions(of: "doc").first)
        #expect(try await text(at: version.path, in: store) == "one")
        #expect(try await settle(alice, bob) == ["doc": "other"])
        try await eventually("nothing more is kept of it") { try soleBodies(at: alice).isEmpty }
        #expect(try alice.trash.isEmpty)
        // A body that another program had put there is its own affair.
        try store.writeFromOutside("doc", Array("another".utf8))
        try await eventually("it is seen") {
            try await settle(alice, bob) == ["doc": "another"]
        }
        try await waitForAll()
        #expect(try alice.versions(of: "doc").count == 1)
        #expect(try soleBodies(at: alice).isEmpty)
        await stop(alice, bob)
    }

    @Test func whatCouldNotBePutBackIsPutBackAfterTheNextStart() async throws {  // S13, S19
        let (alice, way, store) = try await deviceWithDocument()
        way.setFaults { verb, path in
            verb == .write && path.isAtOrBelow(".docfs/trash") ? .refused(.storeFull) : nil
        }
        try store.removeFromOutside("doc")
        try await eventually("it is gone") { try await alice.tree().isEmpty }
        try await eventually("its bytes are kept here") { try soleBodies(at: alice).count == 1 }
        await stop(alice)
        #expect(try alice.trash.isEmpty)
        way.setFaults { _, _ in nil }
        let again = try alice.restarted()
        await again.engine.start()
        try await eventually("it is in the trash") { try again.trash.map(\.path) == ["doc"] }
        try await eventually("nothing more is kept of it") { try soleBodies(at: again).isEmpty }
        await stop(again)
    }

    @Test func whatComesBackBeforeItIsPutBackIsNotPutBack() async throws {  // S19
        let (alice, way, store) = try await deviceWithDocument()
        var metadata = try #require(try await store.head("doc")?.metadata)
        metadata.operation = OperationID(high: 7, low: 7)
        way.setFaults { verb, path in
            verb == .write && path.isAtOrBelow(".docfs/trash") ? .refused(.storeFull) : nil
        }
        try store.removeFromOutside("doc")
        try await eventually("its bytes are kept here") { try soleBodies(at: alice).count == 1 }
        _ = try await store.write(
            "doc",
            ObjectWrite(
                payload: .bytes(Array("one".utf8), size: 3), metadata: metadata),
            condition: .absent, keeping: nil)
        try await eventually("it is back") { try await alice.tree() == ["doc": "one"] }
        way.setFaults { _, _ in nil }
        await stop(alice)
        let again = try alice.restarted()
        await again.engine.start()
        try await eventually("nothing more is kept of it") { try soleBodies(at: again).isEmpty }
        #expect(try await settle(again) == ["doc": "one"])
        #expect(try again.trash.isEmpty)
        #expect(try await store.kept(".docfs/trash").isEmpty)
        await stop(again)
    }

    @Test(arguments: stores)
    func whatSeveralDevicesHaveIsPutBackOnce(_ capabilities: StoreCapabilities) async throws {
        let store = MemoryStore(capabilities: capabilities)
        let (alice, bob) = try await pair(on: store)
        try alice.write("doc", "one")
        try await settle(alice, bob)
        try bob.bring("one", of: "doc")
        try store.removeFromOutside("doc")
        for device in [alice, bob] {
            try await eventually("it is in the trash") { try device.trash.map(\.path) == ["doc"] }
            try await eventually("nothing more is kept of it") {
                try soleBodies(at: device).isEmpty
            }
        }
        try await waitForAll()
        #expect(try alice.trash.count == 1 && bob.trash.count == 1)
        try await eventually("one has taken its own away") {
            try await store.kept(".docfs/trash").count == 1
        }
        await stop(alice, bob)
    }

    @Test func whatIsBeingSavedMeanwhileIsSentOnce() async throws {  // S14
        let (alice, way, store) = try await deviceWithDocument()
        let isHeld = Flag()
        isHeld.set(true)
        let writes = Atomic(0)
        way.setPause { verb, path in
            guard verb == .write, path == "doc" else { return }
            writes.add(1, ordering: .relaxed)
            await isHeld.wait()
        }
        try store.writeFromOutside("doc", Array("other".utf8))
        try await eventually("it is overwritten") { try await alice.tree() == ["doc": "other"] }
        try alice.write("doc", "two")
        try await eventually("it is put back while she saves") {
            try alice.versions(of: "doc").count == 1 && writes.load(ordering: .relaxed) > 0
        }
        try await waitForAll()
        #expect(writes.load(ordering: .relaxed) == 1)
        isHeld.set(false)
        #expect(try await settle(alice) == ["doc": "two"])
        #expect(writes.load(ordering: .relaxed) == 1)
        await stop(alice)
    }

    @Test func whatIsTakenAwayWhileAnEarlierOneIsPutBackIsToo() async throws {  // S19
        let (alice, way, store) = try await deviceWithDocument()
        let (isHeld, isBegun) = (Flag(), Flag())
        isHeld.set(true)
        way.setPause { verb, path in
            guard verb == .write, path.isAtOrBelow(".docfs/trash") else { return }
            isBegun.set(true)
            await isHeld.wait()
        }
        try store.writeFromOutside("doc", Array("other".utf8))
        try await eventually("it is being put back") { isBegun.isSet }
        try alice.write("doc", "two")
        #expect(try await settle(alice) == ["doc": "two"])
        try store.writeFromOutside("doc", Array("another".utf8))
        try await eventually("it is overwritten once more") {
            try await alice.tree() == ["doc": "another"]
        }
        isHeld.set(false)
        for text in ["one", "two"] {
            let digest = SHA256.digest(of: Array(text.utf8))
            try await eventually("\(text) is an earlier version") {
                try alice.versions(of: "doc").contains { $0.digest == digest }
            }
        }
        try await eventually("nothing more is kept of it") { try soleBodies(at: alice).isEmpty }
        await stop(alice)
    }

    /// Bob has put a document back, and cannot say so.
    ///
    /// That alice has, too, he learns together with its destruction.
    @Test func whatIsDestroyedBeforeItIsRecordedGoesAsWell() async throws {  // S19
        let store = MemoryStore(capabilities: .objects)
        let (hers, his) = (FaultyStore(store), FaultyStore(store))
        let alice = try TestDevice("alice", store: hers)
        let bob = try TestDevice("bob", store: his)
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        try bob.bring("one", of: "doc")
        let isHeld = Flag()
        isHeld.set(true)
        hers.setPause { verb, path in
            if verb == .write, path.isAtOrBelow(".docfs/trash") { await isHeld.wait() }
        }
        let isRefused = Flag()
        his.setFaults { verb, path in
            guard verb == .write, path.isAtOrBelow(".docfs/log") else { return nil }
            isRefused.set(true)
            return .refused(.storeFull)
        }
        try store.removeFromOutside("doc")
        try await eventually("bob has put it back") {
            try await store.kept(".docfs/trash").count == 1
        }
        let place = try #require(try await store.kept(".docfs/trash").first)
        #expect(try alice.trash.isEmpty)
        // From here on that is all he has to record.
        isRefused.set(false)
        try await eventually("he cannot record it") { isRefused.isSet }
        let isDeaf = Flag()
        isDeaf.set(true)
        his.setPause { verb, path in
            if verb != .write, path.isAtOrBelow(".docfs/log") { await isDeaf.wait() }
        }
        isHeld.set(false)
        try await eventually("alice has, too") { try alice.trash.count == 1 }
        try alice.engine.emptyTrash(below: .root)
        try await eventually("it is destroyed") { try alice.trash.isEmpty }
        his.setFaults { _, _ in nil }
        // He reads both of her records before he tries again: he never sees hers in the trash.
        isDeaf.set(false)
        try await eventually("bob's is gone as well") {
            try await !store.kept(".docfs/trash").contains(place)
        }
        #expect(try await settle(alice, bob).isEmpty)
        try await waitForAll()
        #expect(try alice.trash.isEmpty && bob.trash.isEmpty)
        #expect(try soleBodies(at: bob).isEmpty)
        await stop(alice, bob)
    }

    /// Bob is away while a document goes, by alice or by another program, and alice destroys it.
    @Test(arguments: [true, false])
    func whatItsOwnerHasDestroyedIsNotPutBack(_ isDeletedByAlice: Bool) async throws {  // S19
        let store = MemoryStore(capabilities: .objects)
        let (alice, bob) = try await pair(on: store)
        try bob.write("doc", "one")
        try await settle(alice, bob)
        try alice.bring("one", of: "doc")
        await stop(bob)
        if isDeletedByAlice { try alice.remove("doc") } else { try store.removeFromOutside("doc") }
        try await eventually("it is in the trash") { try alice.trash.count == 1 }
        try await settle(alice)
        try alice.engine.emptyTrash(below: .root)
        try await eventually("it is destroyed") { try alice.trash.isEmpty }
        let again = try bob.restarted()
        await again.engine.start()
        #expect(try await settle(alice, again).isEmpty)
        try await waitForAll()
        #expect(try soleBodies(at: again).isEmpty)
        #expect(try again.trash.isEmpty && alice.trash.isEmpty)
        await stop(alice, again)
    }
}
