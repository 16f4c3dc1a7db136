import TestSupport
import Testing

@testable import DocFS

extension CloudStoreConformance {
    // MARK: Conditions

    @Test(arguments: StoreKind.allCases)
    func absentWritesOnlyWhereNothingIs(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            try await store.create("a", "one")
            try await store.makeDirectory("d", metadata: .of(nil))
            _ = try await store.write("l", .link("a"), condition: .absent, keeping: nil)
            for path in ["a", "d", "l"] as [ItemPath] {
                await #expect(throws: DocFSError.refused) {
                    _ = try await store.write(
                        path, .document("two"), condition: .absent, keeping: nil)
                }
            }
            #expect(try await store.text("a") == "one")
            #expect(try await store.head("l")?.kind == .symlink)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRevisionWritesOnlyOverItself(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let one = try await store.create("a", "one")
            let two = try await store.write(
                "a", .document("two"), condition: .revision(one.revision!), keeping: nil)
            #expect(one.revision != two.revision)
            #expect(try await store.head("a") == two)
            for stale in [one.revision!, Revision("nonsense")] {
                await #expect(throws: DocFSError.refused) {
                    _ = try await store.write(
                        "a", .document("three"), condition: .revision(stale), keeping: nil)
                }
            }
            await #expect(throws: DocFSError.refused) {
                _ = try await store.write(
                    "never", .document("x"), condition: .revision(two.revision!), keeping: nil)
            }
            #expect(try await store.text("a") == "two")
            #expect(try await store.head("never") == nil)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aWriteNeedsItsParentUnlessBelowDocfs(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.directories else { return }
            await #expect(throws: DocFSError.notFound) { try await store.create("no/a", "x") }
            await #expect(throws: DocFSError.invalidArgument) { try await store.create("", "x") }
            let own = try await store.write(
                ".docfs/log/0000000000000001.json", .own("1"), condition: .absent, keeping: nil)
            #expect(own.metadata == nil)
            #expect(try await store.text(".docfs/log/0000000000000001.json") == "1")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func filesOfTheContainerAreNeverTakenForOnesOwn(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let path: ItemPath = ".docfs/log/0000000000000001.json"
            _ = try await store.write(path, .own("same"), condition: .absent, keeping: nil)
            await #expect(throws: DocFSError.refused) {
                _ = try await store.write(path, .own("same"), condition: .absent, keeping: nil)
            }
            let now = try #require(try await store.head(path)?.revision)
            _ = try await store.write(
                path, .own("other"), condition: .revision(now), keeping: nil)
            await #expect(throws: DocFSError.refused) {
                _ = try await store.write(
                    path, .own("other"), condition: .revision(now), keeping: nil)
            }
            #expect(try await store.text(path) == "other")
            #expect(try bench.staged() == 0)
        }
    }

    // MARK: Bodies

    @Test(arguments: StoreKind.allCases)
    func aBodyThatIsNotWhatWasAnnouncedTakesNoEffect(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let bytes = Array("hello".utf8)
            let wrong = [
                ObjectWrite(payload: .bytes(bytes, size: 5), metadata: .of(Array("other".utf8))),
                ObjectWrite(payload: .bytes(bytes, size: 6), metadata: .of(bytes)),
                ObjectWrite(payload: .bytes(bytes, size: 4), metadata: .of(Array("hell".utf8))),
            ]
            let info = try await store.create("there", "there")
            for object in wrong {
                await #expect(throws: DocFSError.bodyChanged) {
                    _ = try await store.write("a", object, condition: .absent, keeping: nil)
                }
                await #expect(throws: DocFSError.bodyChanged) {
                    _ = try await store.write(
                        "there", object, condition: .revision(info.revision!),
                        keeping: ".docfs/versions/x/1")
                }
            }
            #expect(try await store.head("a") == nil)
            #expect(try await store.head("there") == info)
            #expect(try await store.head(".docfs/versions/x/1") == nil)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anErrorOfTheSourceIsPassedOnAndTakesNoEffect(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let source = HookedSource(bytes: [1, 2, 3]) { (_) throws(DocFSError) in
                throw .notFound
            }
            await #expect(throws: DocFSError.notFound) {
                _ = try await bench.store.write(
                    "a", ObjectWrite(payload: .bytes(source, size: 3), metadata: .of([1, 2, 3])),
                    condition: .absent, keeping: nil)
            }
            #expect(try await bench.store.head("a") == nil)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func emptyAndLargeBodiesComeBackWhole(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            for size in [0, 1, 1 << 20, (1 << 20) + 1, 5_000_001] {
                let bytes = pattern(size)
                let path = ItemPath("size\(size)")
                let info = try await bench.store.write(
                    path, .document(bytes), condition: .absent, keeping: nil)
                #expect(info.size == UInt64(size))
                #expect(try await bench.store.contents(path) == bytes)
            }
        }
    }

    // MARK: keep

    @Test(arguments: StoreKind.allCases)
    func keepHoldsTheReplacedBody(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let one = try await store.create("a", "one")
            let keep: ItemPath = ".docfs/versions/item/one"
            _ = try await store.write(
                "a", .document("two"), condition: .revision(one.revision!), keeping: keep)
            #expect(try await store.text("a") == "two")
            #expect(try await store.text(keep) == "one")
            let kept = try #require(try await store.head(keep))
            // A copy of a body that went in parts is another revision.
            if store.capabilities.moves { #expect(kept.revision == one.revision) }
            #expect(kept.modified == one.modified)
            #expect(kept.metadata == one.metadata)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func nothingIsKeptByARefusedWrite(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let one = try await store.create("a", "one")
            await #expect(throws: DocFSError.refused) {
                _ = try await store.write(
                    "a", .document("two"), condition: .revision(Revision("stale")),
                    keeping: ".docfs/versions/item/one")
            }
            #expect(try await store.head("a") == one)
            #expect(try await store.head(".docfs/versions/item/one") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aBodyThatIsKeptUnderATakenNameReplacesNothing(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let keep: ItemPath = ".docfs/versions/item/one"
            _ = try await store.write(keep, .own("earlier"), condition: .absent, keeping: nil)
            let one = try await store.create("a", "one")
            _ = try await store.write(
                "a", .document("two"), condition: .revision(one.revision!), keeping: keep)
            var bodies: Set<String> = [try await store.text(keep)]
            for found in try await store.list(".docfs/found") {
                bodies.insert(try await store.text(found.path))
            }
            #expect(bodies == ["earlier", "one"])
            #expect(try await store.text("a") == "two")
        }
    }

    // MARK: Races

    @Test(arguments: StoreKind.allCases)
    func eightWhoCreateHaveOneWinner(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            for round in 0..<20 {
                let path = ItemPath("race\(round)")
                let winners = try await race(bench) { store, number in
                    _ = try await store.create(path, "by \(number)")
                }
                #expect(winners.count == 1)
                #expect(try await bench.store.text(path) == "by \(winners.first ?? -1)")
            }
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func eightWhoReplaceHaveOneWinner(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            for round in 0..<20 {
                let path = ItemPath("race\(round)")
                let keep = ItemPath(".docfs/versions/\(round)/base")
                let base = try await bench.store.create(path, "base")
                let winners = try await race(bench) { store, number in
                    _ = try await store.write(
                        path, .document("by \(number)"), condition: .revision(base.revision!),
                        keeping: keep)
                }
                #expect(winners.count == 1)
                #expect(try await bench.store.text(path) == "by \(winners.first ?? -1)")
                #expect(try await bench.store.text(keep) == "base")
            }
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func eightWhoMoveToOneNameHaveOneWinner(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            guard bench.store.capabilities.moves else { return }
            for number in 0..<8 { try await bench.store.create(ItemPath("from\(number)"), "x") }
            let winners = try await race(bench) { store, number in
                let source = ItemPath("from\(number)")
                let revision = try await store.head(source)?.revision
                _ = try await store.move(
                    source, expecting: revision, to: "one", condition: .absent)
            }
            #expect(winners.count == 1)
            #expect(try await bench.store.list(.root).count == 8)
        }
    }

    /// Lets eight devices do the same at once; everyone but the winners must be refused.
    private func race(
        _ bench: any StoreBench,
        _ body: @escaping @Sendable (any CloudStore, Int) async throws -> Void
    ) async throws -> [Int] {
        var stores: [any CloudStore] = []
        for _ in 0..<8 { stores.append(try await bench.another()) }
        return try await withThrowingTaskGroup(of: Int?.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    do {
                        try await body(store, number)
                        return number
                    } catch DocFSError.refused {
                        return nil
                    }
                }
            }
            return try await group.reduce(into: []) { winners, number in
                if let number { winners.append(number) }
            }
        }
    }
}
