import DocFS
import Testing

/// What became of effects whose outcome is unknown.
struct SettlingTests {
    private let store: MemoryStore
    private let container: Container
    private let item = ItemID(high: 0, low: 1)
    private let operation = OperationID(high: 0, low: 1)

    /// On a store that cannot move an object, as S3-compatible ones cannot.
    init() async throws {
        var capabilities = StoreCapabilities.whole
        capabilities.moves = false
        store = MemoryStore(capabilities: capabilities)
        container = Container(
            store: store, device: DeviceID(high: 0, low: 1), deviceName: "alice")
        _ = try await container.attach(known: nil, new: ContainerID(high: 0, low: 1))
    }

    @Test(
        "A removal that was cut short is finished, unless another program has written there since",
        arguments: [false, true])
    func halfOfARemoval(_ isWrittenSince: Bool) async throws {  // S20
        let revision = try await put("one", at: "doc")
        let place: ItemPath = ".docfs/trash/2026-11-23/1/doc"
        try store.keep("doc", expecting: revision, at: place)
        if isWrittenSince { try store.writeFromOutside("doc", Array("an edit".utf8)) }
        let effect = Effect(
            verb: .remove, operation: operation, item: item,
            before: Place(parent: .root, name: "doc", revision: revision), after: nil, kind: .file,
            path: "doc", destination: place)
        let change = try await container.settle(effect)
        #expect(change?.kept == (isWrittenSince ? nil : place))
        #expect(try await store.head("doc")?.size == (isWrittenSince ? 7 : nil))
    }

    @Test("What was written is known again when another device has described it since")
    func describedSince() async throws {  // S13
        let revision = try await put("two", at: "doc")
        let described = try await describe("doc", revision, "two")
        let change = try await container.settle(write("two", over: nil))
        #expect(change?.after?.content.revision == described)
        #expect(try await container.settle(write("other", over: nil)) == nil)
    }

    @Test(
        "What was replaced is known again when what it replaced has been kept",
        arguments: [false, true])
    func replacedAndDescribedSince(_ isKept: Bool) async throws {  // S13
        let first = try await put("one", at: "doc")
        if isKept { try store.keep("doc", expecting: first, at: keep) }
        try store.writeFromOutside("doc", Array("two".utf8))
        let revision = try #require(try await store.head("doc")?.revision)
        let described = try await describe("doc", revision, "two")
        let change = try await container.settle(write("two", over: first))
        #expect(change?.after?.content.revision == (isKept ? described : nil))
        // What was there before has not been written, whatever its bytes are.
        #expect(try await container.settle(write("two", over: described)) == nil)
    }

    private let keep: ItemPath = ".docfs/versions/1/1"

    private func put(_ text: String, at path: ItemPath) async throws -> Revision {
        try store.writeFromOutside(path, Array(text.utf8))
        return try #require(try await store.head(path)?.revision)
    }

    /// As another device does, under an operation of its own.
    private func describe(_ path: ItemPath, _ revision: Revision, _ text: String) async throws
        -> Revision?
    {
        let info = try await store.setMetadata(
            path, expecting: revision,
            ObjectMetadata(
                item: item, operation: OperationID(high: 0, low: 2), digest: digest(text),
                modified: .zero, mode: 0o600))
        return info.revision
    }

    private func write(_ text: String, over revision: Revision?) -> Effect {
        let state = ItemState(
            parent: .root, name: "doc", metadata: Metadata(mode: 0o644, modified: .zero),
            content: .file(
                Body(
                    size: UInt64(text.utf8.count), digest: digest(text), revision: Revision(""))))
        return Effect(
            verb: revision == nil ? .create : .replace, operation: operation, item: item,
            before: revision.map { Place(parent: .root, name: "doc", revision: $0) }, after: state,
            kind: .file, path: "doc", keep: revision == nil ? nil : keep)
    }

    private func digest(_ text: String) -> DocFS.Digest? {
        SHA256.digest(of: Array(text.utf8))
    }
}
