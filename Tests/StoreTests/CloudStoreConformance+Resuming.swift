import TestSupport
import Testing

@testable import DocFS

/// Whatever is done again under its operation id has effect once.
extension CloudStoreConformance {
    @Test(arguments: StoreKind.allCases)
    func aWriteDoneAgainHasEffectOnce(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let create = ObjectWrite.document("one")
            let one = try await store.write("a", create, condition: .absent, keeping: nil)
            #expect(try await store.write("a", create, condition: .absent, keeping: nil) == one)

            let replace = ObjectWrite.document("two")
            let condition = WriteCondition.revision(one.revision!)
            let keep: ItemPath = ".docfs/versions/a/one"
            let two = try await store.write("a", replace, condition: condition, keeping: keep)
            #expect(
                try await store.write("a", replace, condition: condition, keeping: keep) == two)
            #expect(try await store.text(keep) == "one")

            let link = ObjectWrite.link("target")
            let made = try await store.write("l", link, condition: .absent, keeping: nil)
            #expect(try await store.write("l", link, condition: .absent, keeping: nil) == made)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aWriteThatSomebodyReplacedSinceIsRefused(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let create = ObjectWrite.document("one")
            let one = try await store.write("a", create, condition: .absent, keeping: nil)
            _ = try await store.write(
                "a", .document("two"), condition: .revision(one.revision!), keeping: nil)
            await #expect(throws: DocFSError.refused) {
                _ = try await store.write("a", create, condition: .absent, keeping: nil)
            }
            #expect(try await store.text("a") == "two")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDoneWriteAsksNobodyForItsBytes(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            guard bench is FolderBench, bench.store.capabilities.objectMetadata else { return }
            let create = ObjectWrite.document("one")
            let one = try await bench.store.write(
                "a", create, condition: .absent, keeping: nil)
            let spent = HookedSource(bytes: []) { (_) throws(DocFSError) in throw .bodyChanged }
            let again = ObjectWrite(
                payload: .bytes(spent, size: 3), metadata: create.metadata)
            #expect(
                try await bench.store.write("a", again, condition: .absent, keeping: nil) == one)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMoveDoneAgainHasEffectOnce(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.moves else { return }
            let one = try await store.create("a", "one")
            let two = try await store.create("b", "two")
            for _ in 0..<2 {
                let moved = try await store.move(
                    "a", expecting: one.revision, to: "c", condition: .absent)
                #expect(moved.revision == one.revision)
            }
            for _ in 0..<2 {
                let moved = try await store.move(
                    "c", expecting: one.revision, to: "b", condition: .revision(two.revision!))
                #expect(moved.revision == one.revision)
            }
            #expect(try await store.text("b") == "one")
            #expect(try await store.list(.root).count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aCopyDoneAgainHasEffectOnceEvenWithoutItsSource(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.objectMetadata else { return }
            let one = try await store.create("a", "one")
            let metadata = ObjectMetadata.of(Array("one".utf8))
            let copy = try await store.copy(
                "a", expecting: one.revision!, to: "b", metadata: metadata, condition: .absent,
                keeping: nil)
            try await store.remove("a", expecting: one.revision!)
            #expect(
                try await store.copy(
                    "a", expecting: one.revision!, to: "b", metadata: metadata,
                    condition: .absent, keeping: nil) == copy)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func metadataAndDirectoriesDoneAgainHaveEffectOnce(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.objectMetadata else { return }
            let directory = ObjectMetadata.of(nil)
            try await store.makeDirectory("d", metadata: directory)
            try await store.makeDirectory("d", metadata: directory)

            guard store.capabilities.metadataInPlace else { return }
            let one = try await store.create("a", "one")
            let metadata = ObjectMetadata.of(
                Array("one".utf8), modified: Timestamp(seconds: 7), mode: 0o600)
            let changed = try await store.setMetadata("a", expecting: one.revision, metadata)
            #expect(
                try await store.setMetadata("a", expecting: one.revision, metadata) == changed)
        }
    }
}
