import TestSupport
import Testing

@testable import DocFS

/// A conflict version tells all devices what it was made from (S16): real engines on a store in
/// memory.
@Suite struct ConflictBaseTests {
    private let stories = TwoDeviceTests()

    private func device(_ name: String, _ store: any CloudStore) async throws -> TestDevice {
        let device = try TestDevice(name, store: store)
        await device.engine.start()
        return device
    }

    /// The only conflict version that a device shows.
    private func sibling(_ device: TestDevice) throws -> LocalItem {
        let rows = try device.catalog.readConsistently { (read) throws(DocFSError) in
            try read.children(of: device.scope.root)
        }.filter { $0.conflictOf != nil }
        try #require(rows.count == 1)
        return rows[0]
    }

    private func revision(_ device: TestDevice) throws -> Revision {
        let row = try device.catalog.readConsistently { (read) throws(DocFSError) in
            try read.child("doc", of: device.scope.root)
        }
        return try #require(row?.basis)
    }

    @Test("Every device knows it; saves of two bases have none")
    func isTold() async throws {
        let store = MemoryStore()
        let alice = try await device("alice", store)
        let bob = try await device("bob", store)
        try alice.write("doc", "one")
        try await stories.settle(alice, bob)
        let (item, one) = (try alice.item("doc"), try revision(bob))
        try alice.write("doc", "two")
        try await stories.settle(alice, bob)
        let two = try revision(bob)
        // His program had read the first.
        try bob.write("doc", "by bob", madeFrom: one)
        try await stories.settle(alice, bob)
        let mark = ConflictMark(of: item, madeFrom: one)
        for device in [alice, bob] { #expect(try sibling(device).conflictOf == mark) }
        try alice.write("doc", "three")
        try await stories.settle(alice, bob)
        try bob.write("doc", "by bob again", madeFrom: two)
        try await stories.settle(alice, bob)
        for device in [alice, bob] {
            let sibling = try sibling(device)
            #expect(sibling.conflictOf == ConflictMark(of: item), "\(device.name)")
            #expect(try await device.tree()[sibling.name.description] == "by bob again")
        }
        await stories.stop(alice, bob)
    }
}
