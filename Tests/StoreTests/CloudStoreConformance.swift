import TestSupport
import Testing

@testable import DocFS

/// What the doc comments of ``CloudStore`` promise, sentence by sentence, for every store.
///
/// What only some stores can do is asked of their capabilities, never of their names.
@Suite struct CloudStoreConformance {
    // MARK: Attaching

    @Test(arguments: StoreKind.allCases)
    func aMissingRootIsOfflineForEveryCall(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let info = try await store.create("a", "a")
            let revision = try #require(info.revision)
            try bench.hide()
            func expectOffline(_ call: () async throws -> Void) async {
                let error = await #expect(throws: DocFSError.self) { try await call() }
                guard case .offline = error else {
                    Issue.record("not offline but \(String(describing: error))")
                    return
                }
            }
            await expectOffline { try await store.attach(create: false) }
            // S23: a root that was there once is never made anew.
            await expectOffline { try await store.attach(create: true) }
            await expectOffline { _ = try await store.head("a") }
            await expectOffline { _ = try await store.head("never") }
            await expectOffline { _ = try await store.list(.root) }
            await expectOffline {
                try await store.read(
                    "a", range: 0..<1, expecting: revision, into: CollectingSink(size: 1))
            }
            await expectOffline { try await store.create("b", "b") }
            await expectOffline { try await store.remove("a", expecting: revision) }
            if store.capabilities.moves {
                await expectOffline {
                    _ = try await store.move("a", expecting: revision, to: "b", condition: .absent)
                }
            }
            await expectOffline { _ = try await store.small("a", atMost: 10) }
            await expectOffline {
                _ = try await store.copy(
                    "a", expecting: revision, to: "b", metadata: .of(nil), condition: .absent,
                    keeping: nil)
            }
            if store.capabilities.metadataInPlace {
                await expectOffline {
                    _ = try await store.setMetadata("a", expecting: revision, .of(nil))
                }
            }
            await expectOffline { try await store.makeDirectory("d", metadata: .of(nil)) }
            await expectOffline { try await store.removeDirectory("d") }
            if store.capabilities.directories {
                await expectOffline { try await store.makeDurable() }
            }

            try bench.show()
            try await store.attach(create: false)
            #expect(try await store.head("a") == info)
        }
    }

    // MARK: head

    @Test(arguments: StoreKind.allCases)
    func headIsNilForWhatIsNotThere(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            try await store.create("file", "x")
            #expect(try await store.head("a") == nil)
            #expect(try await store.head("no/such/parent") == nil)
            #expect(try await store.head("file/below") == nil)
            #expect(try await store.head(ItemPath([Name("..")])) == nil)
            #expect(
                try await store.head(ItemPath([Name([UInt8](repeating: 0x61, count: 256))])) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func headTellsWhatWriteReturned(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let object = ObjectWrite.document("hello")
            let written = try await store.write("a", object, condition: .absent, keeping: nil)
            #expect(try await store.head("a") == written)
            #expect(written.path == "a")
            #expect(written.kind == .file)
            #expect(written.size == 5)
            #expect(written.revision != nil)
            #expect(written.modified == object.metadata?.modified)
            #expect(written.mode == 0o640)
            #expect(written.formerItem == nil)
            if store.capabilities.objectMetadata { #expect(written.metadata == object.metadata) }
            let root = try #require(try await store.head(.root))
            #expect(root.kind == .directory)
            #expect(root.revision == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func timesAndModesAreKeptExactly(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let times = [
                Timestamp(seconds: 0, nanoseconds: 1),
                Timestamp(seconds: -1, nanoseconds: 999_999_999),
                Timestamp(seconds: 4_000_000_000, nanoseconds: 0),
                Timestamp(seconds: 1_700_000_000, nanoseconds: 100),
            ]
            for (index, time) in times.enumerated() {
                let info = try await store.write(
                    ItemPath("time\(index)"), .document("x", modified: time), condition: .absent,
                    keeping: nil)
                #expect(info.modified == time)
                #expect(try await store.head(info.path)?.modified == time)
            }
            guard store.capabilities.objectMetadata else { return }
            for mode in [0o000, 0o200, 0o444, 0o600, 0o755, 0o777] as [UInt16] {
                let path = ItemPath("mode\(mode)")
                _ = try await store.write(
                    path, .document("x", mode: mode), condition: .absent, keeping: nil)
                #expect(try await store.head(path)?.mode == mode)
                #expect(try await store.text(path) == "x")
            }
        }
    }

    // MARK: list

    @Test(arguments: StoreKind.allCases)
    func listIsCompleteForTenThousandEntries(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            try await store.makeDirectory("many", metadata: .of(nil))
            // The names alone matter here; the store's own writes are counted elsewhere.
            let expected = try bench.fillFromOutside("many").map { ItemPath("many/\($0)") }
            let names = try await store.list("many").map(\.path)
            #expect(names.count == expected.count)
            #expect(Set(names) == Set(expected))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func listTellsWhatHeadTells(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            try await store.create("file", "x")
            try await store.makeDirectory("directory", metadata: .of(nil, mode: 0o750))
            try await store.create("directory/inside", "y")
            _ = try await store.write("link", .link("file"), condition: .absent, keeping: nil)
            _ = try await store.write(
                ".docfs/container.json", .own("{}"), condition: .absent, keeping: nil)

            let root = try await store.list(.root).sorted { $0.path < $1.path }
            #expect(root.map(\.path) == ["directory", "file", "link"])
            for info in root {
                let head = try #require(try await store.head(info.path))
                if store.capabilities.listsMetadata { #expect(head == info) }
                #expect(head.path == info.path)
                #expect(head.size == info.size)
                #expect(head.revision == info.revision)
                #expect((head.kind == .directory) == (info.kind == .directory))
            }
            if store.capabilities.listsMetadata {
                #expect(root.map(\.kind) == [.directory, .file, .symlink])
            }
            #expect(try await store.list("directory").map(\.path) == ["directory/inside"])
            #expect(
                try await store.list(".docfs").map(\.path).contains(".docfs/container.json"))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func listOfWhatIsNoDirectoryThrows(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            try await store.create("file", "x")
            await #expect(throws: DocFSError.notFound) { _ = try await store.list("none") }
            await #expect(throws: DocFSError.notFound) { _ = try await store.list("file") }
        }
    }

    // MARK: Other programs

    @Test(arguments: StoreKind.allCases)
    func whatAnotherProgramChangedHasNoMetadataButAFormerItem(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let item = ItemID.fresh
            let ours = try await store.write(
                "a", .document("one", item: item), condition: .absent, keeping: nil)
            try bench.writeFromOutside("a", Array("other".utf8))
            let info = try #require(try await store.head("a"))
            #expect(info.revision != ours.revision)
            #expect(info.metadata == nil)
            if store.capabilities.objectMetadata, store.capabilities.metadataInPlace {
                #expect(info.formerItem == item)
            }
            await #expect(throws: DocFSError.refused) {
                _ = try await store.write(
                    "a", .document("two"), condition: .revision(ours.revision!), keeping: nil)
            }
            #expect(try await store.text("a") == "other")

            try bench.writeFromOutside("new", Array("theirs".utf8))
            let new = try #require(try await store.head("new"))
            #expect(new.metadata == nil)
            #expect(new.formerItem == nil)
            let replaced = try await store.write(
                "new", .document("ours"), condition: .revision(new.revision!),
                keeping: ".docfs/versions/x/1")
            #expect(try await store.head("new") == replaced)
            #expect(try await store.text(".docfs/versions/x/1") == "theirs")
        }
    }

    // MARK: Durability and room

    @Test(arguments: StoreKind.allCases)
    func makeDurableReturnsAfterEveryKindOfChange(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            try await store.makeDurable()
            try await store.makeDirectory("d", metadata: .of(nil))
            let info = try await store.create("d/a", "x")
            try await store.makeDurable()
            if store.capabilities.moves {
                _ = try await store.move(
                    "d/a", expecting: info.revision, to: ".docfs/trash/1/d/a", condition: .absent)
            } else {
                try await store.remove("d/a", expecting: info.revision!)
            }
            try await store.removeEmptied("d")
            try await store.makeDurable()
            for index in 0..<100 {
                try await store.makeDirectory(ItemPath("d\(index)"), metadata: .of(nil))
            }
            try await store.makeDurable()
            try await store.makeDurable()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func spaceIsUnknownOrPlausible(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            guard let space = await bench.store.space() else { return }
            #expect(space.total > 0)
            #expect(space.free <= space.total)
        }
    }
}
