import TestSupport
import Testing

@testable import DocFS

/// Earlier versions go when the user removes them (S19): real engines on a store in memory.
@Suite struct RemovedVersionsTests {
    private let stories = TwoDeviceTests()

    /// `doc` was "one" and "two", and is "three" on both devices.
    private func fill(_ alice: TestDevice, _ bob: TestDevice) async throws {
        for text in ["one", "two", "three"] {
            try alice.write("doc", text)
            try await stories.settle(alice, bob)
        }
        #expect(try bob.versions(of: "doc").count == 2)
    }

    /// The oldest version of `doc`.
    private func oldest(_ device: TestDevice) throws -> VersionRecord {
        try #require(try device.versions(of: "doc").first)
    }

    /// What `device` shows of the versions of `doc`.
    private func shown(_ device: TestDevice) throws -> [Revision] {
        try device.catalog.readConsistently { (read) throws(DocFSError) in
            guard let row = try read.child("doc", of: device.scope.root) else { return [] }
            return try VersionName.versions(of: row, in: read).map(\.record.revision)
        }
    }

    private func unwanted(_ device: TestDevice) throws -> Set<ItemPath> {
        try device.catalog.read { (read) throws(DocFSError) in
            try read.unwantedVersions(scope: device.scope.id)
        }
    }

    /// The container has one version, and both devices know that one alone.
    private func expectGone(
        _ version: VersionRecord, from store: MemoryStore, _ devices: TestDevice...
    ) async throws {
        try await stories.eventually("its body goes") {
            try await store.kept(".docfs/versions").count == 1
        }
        try await stories.eventually("nothing is left to do") {
            try devices.allSatisfy { try unwanted($0).isEmpty }
        }
        for device in devices {
            try await stories.eventually("\(device.name) knows") {
                let versions = try device.versions(of: "doc")
                return versions.count == 1 && versions.first?.revision != version.revision
            }
        }
        #expect(try await store.stored(version.path) == nil)
    }

    @Test(
        "It goes from both devices and from the store; the others and the document stay",
        arguments: [true, false])
    func goes(fromFolder isFolder: Bool) async throws {
        let store = MemoryStore(capabilities: isFolder ? .whole : .objects)
        let alice = try await stories.keepingDevice("alice", store)
        let bob = try await stories.keepingDevice("bob", store)
        try await fill(alice, bob)
        let version = try oldest(bob)
        try bob.engine.remove(version)
        #expect(try shown(bob).count == 1)
        try await expectGone(version, from: store, alice, bob)
        #expect(try await stories.settle(alice, bob) == ["doc": "three"])
        await stories.stop(alice, bob)
    }

    @Test("Offline it is hidden at once, and goes when the store is back")
    func offline() async throws {
        let way = FaultyStore(MemoryStore())
        let alice = try await stories.keepingDevice("alice", way.store)
        let bob = try await stories.keepingDevice("bob", way)
        try await fill(alice, bob)
        way.setFaults { _, _ in .refused(.offline("away")) }
        try await stories.eventually("it is offline") {
            !bob.catalog.bulletin.health(of: bob.scope.id).isOnline
        }
        let version = try oldest(bob)
        try bob.engine.remove(version)
        #expect(try shown(bob).count == 1)
        #expect(try shown(alice).count == 2)
        way.setFaults { _, _ in nil }
        try await expectGone(version, from: way.store, alice, bob)
        await stories.stop(alice, bob)
    }

    @Test(
        "A daemon that ends before, or after others were told, goes on with it at its next start",
        arguments: [false, true])
    func restarts(isAnnounced: Bool) async throws {
        let way = FaultyStore(MemoryStore())
        let alice = try await stories.keepingDevice("alice", way.store)
        var bob = try await stories.keepingDevice("bob", way)
        try await fill(alice, bob)
        let version = try oldest(bob)
        // Neither the record nor the body's removal comes through.
        let isTried = Monitor(false)
        way.setFaults { verb, path in
            let isHeld = isAnnounced ? verb == .remove : verb == .write
            let held: ItemPath = isAnnounced ? ".docfs/versions" : ".docfs/log"
            guard isHeld, path.isAtOrBelow(held) else { return nil }
            isTried.withLock { $0 = true }
            return .refused(.offline("away"))
        }
        try bob.engine.remove(version)
        try await stories.eventually("it is tried") { isTried.withLock { $0 } }
        try await stories.eventually("alice is told, or not") {
            try alice.versions(of: "doc").count == (isAnnounced ? 1 : 2)
        }
        await bob.engine.stop()
        #expect(try await way.store.stored(version.path) != nil)
        way.setFaults { _, _ in nil }
        bob = try bob.restarted()
        await bob.engine.start()
        try await expectGone(version, from: way.store, alice, bob)
        await stories.stop(alice, bob)
    }

    @Test("A version that an edit here is made of, and that is not here, does not go")
    func isNeeded() async throws {
        let store = MemoryStore()
        let alice = try await stories.keepingDevice("alice", store)
        let bob = try await stories.keepingDevice("bob", store)
        try await fill(alice, bob)
        let version = try oldest(bob)
        let row = try bob.catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.child("doc", of: bob.scope.root) else {
                throw DocFSError.notFound
            }
            let known = row
            row.sourceItem = version.item
            row.sourceRevision = version.revision
            (row.state, row.divergence) = (.partial, .written)
            try write.update(row)
            return known
        }
        #expect(throws: DocFSError.busy) { try bob.engine.remove(version) }
        try bob.catalog.write { (write) throws(DocFSError) in try write.update(row) }
        try bob.engine.remove(version)
        try await expectGone(version, from: store, alice, bob)
        await stories.stop(alice, bob)
    }

    @Test("One that the store does not tell of keeps none of the others")
    func isRefused() async throws {
        let way = FaultyStore(MemoryStore())
        let alice = try await stories.keepingDevice("alice", way.store)
        let bob = try await stories.keepingDevice("bob", way)
        try await fill(alice, bob)
        for text in ["four", "five", "six"] {
            try alice.write("doc", text)
            try await stories.settle(alice, bob)
        }
        let versions = try bob.versions(of: "doc")
        let refused = Set(versions.dropLast().map(\.path))
        way.setFaults { verb, path in
            let isRefused = verb == .head && refused.contains(path)
            return isRefused ? .refused(.documentRefused("denied")) : nil
        }
        for version in versions { try bob.engine.remove(version) }
        try await stories.eventually("the other goes") {
            let kept = try await way.store.kept(".docfs/versions")
            return try kept.count == refused.count && unwanted(bob) == refused
        }
        #expect(try shown(bob).isEmpty)
        await stories.stop(alice, bob)
    }

    @Test("Where nothing may be deleted it is refused, and one that waits is shown again")
    func mayNotBeDeleted() async throws {
        var capabilities = StoreCapabilities.whole
        capabilities.deletesRefused = "no s3:DeleteObject"
        let store = MemoryStore(capabilities: capabilities)
        let alice = try await stories.keepingDevice("alice", store)
        let bob = try await stories.keepingDevice("bob", store)
        try await fill(alice, bob)
        let version = try oldest(bob)
        #expect(throws: DocFSError.documentRefused("no s3:DeleteObject")) {
            try bob.engine.remove(version)
        }
        try bob.catalog.write { (write) throws(DocFSError) in
            try write.addUnwanted(version.path, scope: bob.scope.id)
        }
        #expect(try shown(bob).count == 1)
        await bob.engine.stop()
        let again = try bob.restarted()
        await again.engine.start()
        try await stories.eventually("it is shown again") { try shown(again).count == 2 }
        #expect(try await store.stored(version.path) != nil)
        await stories.stop(alice, again)
    }
}
