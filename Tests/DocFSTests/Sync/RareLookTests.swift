import TestSupport
import Testing

@testable import DocFS

/// Where nothing tells of changes and listing costs, everything is listed once an hour.
@Suite struct RareLookTests {
    private let clock = StillClock()

    @Test func whatOtherProgramsDoIsFoundOnceAnHour() async throws {
        var capabilities = StoreCapabilities.whole
        capabilities.events = false
        capabilities.cheapListing = false
        let store = MemoryStore(capabilities: capabilities)
        let counting = CountingStore(store)
        try await store.attach(create: true)
        try store.writeFromOutside("edited", Array("one".utf8))
        try store.writeFromOutside("removed", Array("two".utf8))
        let device = try TestDevice("alice", store: counting, clock: clock, poll: 5_000_000_000)
        await device.engine.start()
        try await eventually(["edited": "one", "removed": "two"], on: device)
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
        try await eventually(["edited": "another", "new": "three"], on: device)
        #expect(counting.sofar[.list] == 1)
        await device.engine.stop()
    }

    private func names(_ device: TestDevice) throws -> Set<Name> {
        try device.catalog.read { (read) throws(DocFSError) in
            Set(try read.children(of: device.scope.root).map(\.name))
        }
    }

    private func eventually(_ tree: [String: String], on device: TestDevice) async throws {
        for _ in 0..<100 {
            if try device.isAtRest, try await device.tree() == tree { return }
            try await clock.pass(seconds: 1)
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        Issue.record("not \(tree) but \(try await device.tree())")
    }
}
