import TestSupport
import Testing

@testable import DocFS

/// What a device has found or left behind, and another device recorded before it could act on it.
@Suite struct RecordedFirstTests {
    @Test("An object that was left behind is not removed once a record tells that it is a document")
    func leftover() async throws {
        let clock = StillClock()
        let store = MemoryStore { clock.wallTime() }
        let device = try TestDevice("alice", store: store, clock: clock)
        try device.write("doc", "text")
        await device.engine.start()
        try await passes("the document is recorded", clock) { try device.isRecorded("doc") }
        await device.engine.stop()
        let revision = try #require(try await store.head("doc")?.revision)
        let scope = device.scope.id
        try device.catalog.write { (write) throws(DocFSError) in
            try write.addLeftover(Leftover(place: "doc", revision: revision), scope: scope)
        }
        let again = try device.restarted()
        await again.engine.start()
        try await passes("nothing is left behind", clock) {
            try again.catalog.read { (read) throws(DocFSError) in
                try read.leftovers(scope: scope).isEmpty
            }
        }
        #expect(try await store.head("doc")?.revision == revision)
        await again.engine.stop()
    }

    private func passes(
        _ what: String, _ clock: StillClock, _ condition: () async throws -> Bool
    ) async throws {
        try await eventually(what) {
            if try await condition() { return true }
            try await clock.pass(seconds: 1)
            return false
        }
    }
}
