import TestSupport
import Testing

@testable import DocFS

/// What a device has found or left behind, and another device recorded before it could act on it.
@Suite struct RecordedFirstTests {
    @Test("Files of a directory that another device recorded first are shown")
    func directory() async throws {
        let store = MemoryStore()
        try await store.attach(create: true)
        try await store.makeDirectory("d", metadata: .of(nil))
        try store.writeFromOutside("d/file", Array("text".utf8))
        let change = Change(
            operation: .fresh, item: .fresh, before: nil,
            after: ItemState(
                parent: .root, name: "d", metadata: Metadata(mode: 0o755, modified: .zero),
                content: .directory))
        let record = LogRecord(device: .fresh, deviceName: "bob", time: 7, changes: [change])
        let (way, isFirst) = (FaultyStore(store), Flag())
        way.setPause { verb, path in
            guard verb == .write, path == ContainerLayout.record(1), !isFirst.isSet else { return }
            isFirst.set(true)
            do {
                try store.writeFromOutside(path, ContainerCoding.encode(record))
            } catch {
                Issue.record(error)
            }
        }
        let device = try TestDevice("alice", store: way)
        await device.engine.start()
        try await eventually("the file is shown") {
            guard try device.isAtRest else { return false }
            return try await device.tree() == ["d/": "", "d/file": "text"]
        }
        #expect(isFirst.isSet)
        let item = try device.catalog.read { (read) throws(DocFSError) in
            try read.child("d", of: device.scope.root)?.item
        }
        #expect(item == change.item)
        await device.engine.stop()
    }

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
