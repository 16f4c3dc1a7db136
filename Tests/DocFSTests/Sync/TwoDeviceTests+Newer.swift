import TestSupport
import Testing

@testable import DocFS

/// What is here stays until the newer version has come (S9). Nobody brings it in these tests.
extension TwoDeviceTests {
    /// Bob has alice's document, wholly, and she has saved it since: the newer body is on its way.
    ///
    /// - Parameter collection: as ``TestDevice`` has it, for alice.
    private func outdated(on store: MemoryStore = MemoryStore(), collection: UInt64? = nil)
        async throws -> (alice: TestDevice, bob: TestDevice)
    {
        let alice = try TestDevice("alice", store: store, collection: collection)
        let bob = try TestDevice("bob", store: store, poll: 50_000_000, fetchFirst: .here)
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("doc", "old")
        try await settle(alice, bob)
        try bringBody("old", to: bob)
        try alice.write("doc", "newer")
        try await settle(alice)
        try await eventually("bob awaits it") { try awaited(by: bob) != nil }
        return (alice, bob)
    }

    /// Bob has alice's document, wholly, is stopped, and she has saved it since.
    private func savedWhileStopped(_ alice: TestDevice, _ bob: TestDevice) async throws {
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("doc", "old")
        try await settle(alice, bob)
        try bringBody("old", to: bob)
        await bob.engine.stop()
        try alice.write("doc", "newer")
        try await settle(alice)
    }

    private func document(of device: TestDevice) throws -> LocalItem {
        let row = try device.catalog.read { (read) throws(DocFSError) in
            try read.child("doc", of: device.scope.root)
        }
        return try #require(row)
    }

    /// The bytes of what the device shows are here.
    private func bringBody(_ text: String, to device: TestDevice) throws {
        var row = try document(of: device)
        row.state = .current
        let here = row
        try device.catalog.write { (write) throws(DocFSError) in try write.update(here) }
        device.replica.setBody(Array(text.utf8), of: row.ino)
    }

    private func nameless(_ role: NamelessBody.Role, at device: TestDevice) throws -> LocalItem? {
        let item = try document(of: device).item
        return try device.catalog.read { (read) throws(DocFSError) in
            try read.namelessRow(role, of: item, scope: device.scope.id)
        }
    }

    private func awaited(by device: TestDevice) throws -> LocalItem? {
        try nameless(.newer, at: device)
    }

    /// The newer body has come.
    private func arrive(_ text: String, at device: TestDevice) throws {
        var row = try #require(try awaited(by: device))
        row.state = .current
        let here = row
        device.replica.setBody(Array(text.utf8), of: row.ino)
        try device.catalog.write { (write) throws(DocFSError) in
            try write.update(here)
            try write.markPending(here.item, scope: here.scope)
        }
    }

    @Test("S9: the newer body takes the place of the one here when it has come, which stays")
    func newerBodyIsSwappedIn() async throws {
        let (alice, bob) = try await outdated()
        #expect(try bob.isAtRest, "nothing is to be sent")
        #expect(try await bob.tree() == ["doc": "old"])
        let awaited = try #require(try awaited(by: bob))
        let former = try document(of: bob)
        try arrive("newer", at: bob)
        #expect(try await settle(alice, bob) == ["doc": "newer"])
        #expect(try document(of: bob).ino == awaited.ino)
        #expect(try self.awaited(by: bob) == nil)
        let earlier = try #require(try nameless(.earlier, at: bob))
        #expect(earlier.ino == former.ino && earlier.state == .current)
        // It is dropped with its version.
        let version = try #require(try bob.versions(of: "doc").first)
        try alice.engine.remove(version)
        try await eventually("it is gone") { try nameless(.earlier, at: bob) == nil }
        await stop(alice, bob)
    }

    @Test("S9: a newer body that yet a newer one has replaced is not shown")
    func supersededBody() async throws {
        let (alice, bob) = try await outdated()
        for text in ["third", "fourth"] {
            let former = try awaited(by: bob)?.sourceRevision
            try alice.write("doc", text)
            try await settle(alice)
            try await eventually("bob awaits the next") {
                let revision = try awaited(by: bob)?.sourceRevision
                return revision != nil && revision != former
            }
        }
        // The third that gives way before it is whole.
        try alice.write("doc", "fifth")
        #expect(try await settle(alice, bob) == ["doc": "fifth"])
        #expect(try document(of: bob).state == .none, "a placeholder shows it")
        #expect(try awaited(by: bob) == nil)
        await stop(alice, bob)
    }

    @Test("S9, S19: a version that is removed leaves no bytes here, though a newer one is awaited")
    func versionIsRemovedWhileOutdated() async throws {
        let (alice, bob) = try await outdated()
        let awaited = try self.awaited(by: bob)?.ino
        try arrive("newer", at: bob)
        try await settle(alice, bob)
        try alice.write("doc", "third")
        try await settle(alice)
        try await eventually("bob awaits the next") {
            let next = try self.awaited(by: bob)?.ino
            return next != nil && next != awaited
        }
        #expect(try nameless(.earlier, at: bob) != nil)
        let versions = try bob.versions(of: "doc")
        try alice.engine.remove(try #require(versions.first))
        try await eventually("its bytes are gone") { try nameless(.earlier, at: bob) == nil }
        #expect(try self.awaited(by: bob) != nil)
        #expect(try await bob.tree() == ["doc": "newer"])
        await stop(alice, bob)
    }

    @Test("S9, S19: the bytes of a version go that was removed when this device was away for long")
    func versionIsRemovedBeforeTheSnapshot() async throws {
        let store = MemoryStore()
        let (alice, bob) = try await outdated(on: store, collection: 20_000_000)
        try arrive("newer", at: bob)
        try await settle(alice, bob)
        #expect(try nameless(.earlier, at: bob) != nil)
        await bob.engine.stop()
        try alice.engine.remove(try #require(try alice.versions(of: "doc").first))
        try await eventually("the version is gone") { try alice.versions(of: "doc").isEmpty }
        try await shorten(alice, beyond: bob, store)
        let again = try bob.restarted()
        #expect(try nameless(.earlier, at: again) != nil)
        await again.engine.start()
        try await eventually("its bytes are gone") { try nameless(.earlier, at: again) == nil }
        await stop(alice, again)
    }

    @Test("S9: an outdated document moves, here and there, and is shown as it was")
    func outdatedDocumentMoves() async throws {
        let (alice, bob) = try await outdated()
        try bob.rename("doc", "mine")
        try await eventually("alice has it there") { try await alice.tree() == ["mine": "newer"] }
        try alice.rename("mine", "doc")
        try await eventually("bob has it there") { try await bob.tree() == ["doc": "old"] }
        #expect(try awaited(by: bob) != nil)
        // It is deleted as it was seen.
        try bob.remove("doc")
        #expect(try await settle(alice, bob) == ["doc": "newer"])
        await stop(alice, bob)
    }

    @Test("S9: a newer body is asked for, and shown, though a move of the document is refused")
    func moveIsRefusedWhileOutdated() async throws {
        let way = FaultyStore(MemoryStore())
        let alice = try TestDevice("alice", store: way.store)
        let bob = try TestDevice("bob", store: way, poll: 50_000_000, fetchFirst: .here)
        try await savedWhileStopped(alice, bob)
        way.setFaults { verb, _ in verb == .move ? .refused(.documentRefused("denied")) : nil }
        try bob.rename("doc", "mine")
        let again = try bob.restarted()
        await again.engine.start()
        let item = try again.item("mine")
        func newer() throws -> LocalItem? {
            try again.catalog.read { (read) throws(DocFSError) in
                try read.namelessRow(.newer, of: item, scope: again.scope.id)
            }
        }
        try await eventually("bob awaits it") { try newer() != nil }
        #expect(try await again.tree() == ["mine": "old"])
        var row = try #require(try newer())
        row.state = .current
        let here = row
        again.replica.setBody(Array("newer".utf8), of: row.ino)
        try again.catalog.write { (write) throws(DocFSError) in
            try write.update(here)
            try write.markPending(here.item, scope: here.scope)
        }
        try await eventually("it is shown") { try await again.tree() == ["mine": "newer"] }
        #expect(try await alice.tree() == ["doc": "newer"])
        await stop(alice, again)
    }

    @Test("S9: a newer body is asked for though its object has yet to come to its path")
    func newerBodyLodgesElsewhere() async throws {
        let way = FaultyStore(MemoryStore(capabilities: .objects))
        let alice = try TestDevice("alice", store: way)
        let bob = try TestDevice(
            "bob", store: way.store, poll: 50_000_000, fetchFirst: .here)
        try await savedWhileStopped(alice, bob)
        way.setFaults { verb, _ in verb == .copy ? .refused(.offline("cut off")) : nil }
        try alice.rename("doc", "moved")
        try await eventually("the move is recorded") { try alice.isRecorded("moved") }
        let again = try bob.restarted()
        await again.engine.start()
        try await eventually("bob has it there") { try await again.tree() == ["moved": "old"] }
        let item = try again.item("moved")
        try await eventually("bob awaits it") {
            try again.catalog.read { (read) throws(DocFSError) in
                try read.namelessRow(.newer, of: item, scope: again.scope.id) != nil
            }
        }
        #expect(try await way.store.stored("moved") == nil)
        await stop(alice, again)
    }

    @Test(
        "S9, S23: after a repair of the log an outdated document is no edit",
        arguments: [
            LogRepair.check, .container,
        ])
    func outdatedWhileTheLogIsMended(_ repair: LogRepair) async throws {
        let (alice, bob) = try await outdated()
        try bob.engine.mendLog(repair)
        try await eventually("bob has mended the log") {
            !bob.catalog.bulletin.health(of: bob.scope.id).isRepairing
        }
        try await eventually("bob awaits it still") { try awaited(by: bob) != nil }
        #expect(try await settle(alice) == ["doc": "newer"])
        try arrive("newer", at: bob)
        #expect(try await settle(alice, bob) == ["doc": "newer"])
        await stop(alice, bob)
    }
}
