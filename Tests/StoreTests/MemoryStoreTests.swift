import TestSupport
import Testing

@testable import DocFS

/// What a memory store does that lacks something: as real stores do, without a word.
@Suite struct MemoryStoreTests {
    private func store(
        capacity: UInt64? = nil, _ change: (inout StoreCapabilities) -> Void
    ) async throws -> MemoryStore {
        var capabilities = StoreCapabilities.whole
        change(&capabilities)
        let store = MemoryStore(capabilities: capabilities, capacity: capacity)
        try await store.attach(create: true)
        return store
    }

    @Test func aStoreThatWasNeverMadeIsOffline() async throws {
        let store = MemoryStore()
        let error = await #expect(throws: DocFSError.self) {
            try await store.attach(create: false)
        }
        guard case .offline = error else {
            Issue.record("not offline but \(String(describing: error))")
            return
        }
    }

    @Test func theSameCallsGiveTheSameRevisions() async throws {
        var histories: [[Revision?]] = []
        for _ in 0..<2 {
            let store = try await store { _ in }
            var history: [Revision?] = []
            for index in 0..<10 {
                history.append(try await store.create(ItemPath("\(index)"), "x").revision)
            }
            histories.append(history)
        }
        #expect(histories[0] == histories[1])
        #expect(Set(histories[0]).count == 10)
    }

    @Test func conditionsThatAreLackingAreIgnored() async throws {
        let store = try await store {
            $0.conditionalCreate = false
            $0.conditionalReplace = false
            $0.conditionalRemove = false
        }
        try await store.create("a", "one")
        try await store.create("a", "two")
        #expect(try await store.text("a") == "two")
        _ = try await store.write(
            "a", .document("three"), condition: .revision(Revision("stale")), keeping: nil)
        #expect(try await store.text("a") == "three")
        try await store.remove("a", expecting: Revision("stale"))
        #expect(try await store.head("a") == nil)
    }

    @Test func whatIsNotOfferedSaysSo() async throws {
        let store = try await store {
            $0.moves = false
            $0.metadataInPlace = false
            $0.objectMetadata = false
            $0.events = false
        }
        let one = try await store.create("a", "one")
        #expect(one.metadata == nil)
        await #expect(throws: DocFSError.notOffered) {
            _ = try await store.move("a", expecting: one.revision, to: "b", condition: .absent)
        }
        await #expect(throws: DocFSError.notOffered) {
            _ = try await store.setMetadata("a", expecting: one.revision, .of(nil))
        }
        for await _ in store.events() { Issue.record("an event from a store without push") }
    }

    @Test func withoutDirectoriesTheyComeAndGoWithTheirObjects() async throws {
        let store = try await store { $0.directories = false }
        let one = try await store.create("a/b/c", "one")
        #expect(try await store.head("a/b")?.kind == .directory)
        #expect(try await store.list("a").map(\.path) == ["a/b"])
        try await store.makeDirectory("marked", metadata: .of(nil))
        let moved = try await store.move(
            "a/b/c", expecting: one.revision, to: "x/y", condition: .absent)
        #expect(try await store.list(.root).map(\.path) == ["marked", "x"])
        try await store.remove("x/y", expecting: moved.revision!)
        #expect(try await store.list(.root).map(\.path) == ["marked"])
    }

    @Test func foldedNamesAreOneName() async throws {
        let store = try await store { $0.foldsNames = true }
        let one = try await store.create("Readme", "one")
        #expect(try await store.head("README") == one)
        await #expect(throws: DocFSError.refused) { try await store.create("readme", "two") }
        try await store.create("\u{FC}", "nfc")
        await #expect(throws: DocFSError.refused) { try await store.create("u\u{308}", "nfd") }
        #expect(try await store.list(.root).count == 2)
    }

    @Test func aFullStoreRefusesAndChangesNothing() async throws {
        let store = try await store(capacity: 10) { _ in }
        let one = try await store.create("a", "123456")
        await #expect(throws: DocFSError.storeFull) { try await store.create("b", "12345") }
        // The kept body needs its room too.
        await #expect(throws: DocFSError.storeFull) {
            _ = try await store.write(
                "a", .document("12345"), condition: .revision(one.revision!),
                keeping: ".docfs/versions/a/1")
        }
        #expect(try await store.head("a") == one)
        #expect(try await store.head(".docfs/versions/a/1") == nil)
        let two = try await store.write(
            "a", .document("1234567890"), condition: .revision(one.revision!), keeping: nil)
        #expect(await store.space() == StoreSpace(total: 10, free: 0))
        try await store.remove("a", expecting: two.revision!)
        #expect(await store.space() == StoreSpace(total: 10, free: 10))
    }
}
