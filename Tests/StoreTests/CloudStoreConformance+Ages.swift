import TestSupport
import Testing

@testable import DocFS

/// How long things of the container's own have been where they are.
extension CloudStoreConformance {
    /// Longer than what a store's times are told to, in nanoseconds.
    private static let tick: UInt64 = 1_100_000_000

    @Test(arguments: StoreKind.allCases)
    func ageBeginsWhereAnObjectComesToBe(_ kind: StoreKind) async throws {  // S19
        try await kind.with { (bench) async throws in
            let store = bench.store
            // Modified long ago, which says nothing of its age here.
            let info = try await store.create("a", "text")
            try await Task.sleep(nanoseconds: Self.tick)
            try await store.create(".docfs/clock", "now")
            let before = try #require(try await store.stored(".docfs/clock")?.stored)
            // A moment later in the time of stores that tell it in seconds.
            try await Task.sleep(nanoseconds: Self.tick)
            let revision = try #require(info.revision)
            let place: ItemPath = ".docfs/versions/one/two"
            if store.capabilities.moves {
                _ = try await store.move("a", expecting: revision, to: place, condition: .absent)
            } else {
                _ = try await store.copy(
                    "a", expecting: revision, to: place, metadata: .of(Array("text".utf8)),
                    condition: .absent, keeping: nil)
            }
            let object = try #require(try await store.stored(place))
            #expect(object.kind == .file && object.revision != nil)
            let stored = try #require(object.stored)
            #expect(stored > before)
            #expect(try await store.stored(".docfs/versions/one/three") == nil)
            #expect(try await store.stored(".docfs/versions/none/two") == nil)
        }
    }

    // Not yet where a body in parts cannot be copied by the store itself: it keeps its first age.
    @Test(arguments: StoreKind.allCases.filter { $0 != .motoInParts })
    func whatIsKeptAgainIsYoungAgain(_ kind: StoreKind) async throws {  // S19
        try await kind.with { (bench) async throws in
            let store = bench.store
            // Some stores name equal bodies alike.
            let keep: ItemPath = ".docfs/versions/one/two"
            func replace(_ text: String, _ known: Revision?) async throws -> Revision? {
                try await store.write(
                    "a", .document(text), condition: known.map(WriteCondition.revision) ?? .absent,
                    keeping: keep
                ).revision
            }
            let one = try await replace("one", nil)
            let two = try await replace("two", one)
            let first = try #require(try await store.stored(keep))
            // The same.
            try await Task.sleep(nanoseconds: Self.tick)
            let again = try await replace("one", two)
            guard again == one else { return }
            _ = try await replace("three", again)
            let second = try #require(try await store.stored(keep))
            #expect(second.revision == first.revision)
            #expect(try #require(second.stored) > #require(first.stored))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func everythingBelowADirectoryIsListedWithItsAge(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let paths: Set<ItemPath> = [
                ".docfs/trash/day/op/a", ".docfs/trash/day/op/d/b c", ".docfs/trash/day/op2/é%",
                ".docfs/trash/x",
            ]
            for path in paths { try await store.create(path, "text") }
            try await store.create(".docfs/tra", "beside")
            var found: Set<ItemPath> = []
            var rest: [(ItemPath, String?)] = [(".docfs/trash", nil)]
            while let (directory, next) = rest.popLast() {
                let page = try await store.stored(below: directory, from: next)
                if let next = page.next { rest.append((directory, next)) }
                for object in page.objects {
                    if object.kind == .directory {
                        rest.append((object.path, nil))
                    } else {
                        #expect(found.insert(object.path).inserted)
                        var again = try #require(try await store.stored(object.path))
                        // The kernel remembers for a second when a file on FUSE changed.
                        if kind == .folderOnFuse { again.stored = object.stored }
                        #expect(object == again)
                    }
                }
            }
            #expect(found == paths)
        }
    }
}
