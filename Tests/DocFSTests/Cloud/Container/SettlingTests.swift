import DocFS
import Testing

/// What became of effects whose outcome is unknown.
struct SettlingTests {
    @Test(
        "A removal that was cut short is finished, unless another program has written there since",
        arguments: [false, true])
    func halfOfARemoval(_ isWrittenSince: Bool) async throws {  // S20
        var capabilities = StoreCapabilities.whole
        capabilities.moves = false
        capabilities.metadataInPlace = false
        let store = MemoryStore(capabilities: capabilities)
        var random = SystemRandomNumberGenerator()
        let container = Container(
            store: store, device: DeviceID(using: &random), deviceName: "alice")
        _ = try await container.attach(known: nil, new: ContainerID(using: &random))
        try store.writeFromOutside("doc", Array("one".utf8))
        let revision = try #require(try await store.head("doc")?.revision)
        let place: ItemPath = ".docfs/trash/2026-11-23/1/doc"
        try store.keep("doc", expecting: revision, at: place)
        if isWrittenSince { try store.writeFromOutside("doc", Array("an edit".utf8)) }
        let effect = Effect(
            verb: .remove, operation: OperationID(using: &random), item: ItemID(using: &random),
            before: Place(parent: .root, name: "doc", revision: revision), after: nil, kind: .file,
            path: "doc", destination: place)
        let change = try await container.settle(effect)
        #expect(change?.kept == (isWrittenSince ? nil : place))
        #expect(try await store.head("doc")?.size == (isWrittenSince ? 7 : nil))
    }
}
