import TestSupport
import Testing

@testable import DocFS

extension CloudStoreConformance {
    // MARK: copy

    @Test(arguments: StoreKind.allCases)
    func aCopyHasTheMetadataThatItIsGiven(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let one = try await store.create("a", "one")
            let metadata = ObjectMetadata.of(
                Array("one".utf8), modified: Timestamp(seconds: 7, nanoseconds: 8), mode: 0o600)
            let copy = try await store.copy(
                "a", expecting: one.revision!, to: "b", metadata: metadata, condition: .absent,
                keeping: nil)
            #expect(try await store.head("b") == copy)
            #expect(try await store.head("a") == one)
            #expect(try await store.text("b") == "one")
            #expect(copy.modified == metadata.modified)
            #expect(copy.mode == metadata.mode)
            if store.capabilities.objectMetadata { #expect(copy.metadata == metadata) }

            let link = try await store.write("l", .link("one"), condition: .absent, keeping: nil)
            let linkCopy = try await store.copy(
                "l", expecting: link.revision!, to: "m", metadata: .of(nil), condition: .absent,
                keeping: nil)
            #expect(linkCopy.target == Array("one".utf8))
            #expect(linkCopy.modified == ObjectMetadata.of(nil).modified)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aCopyIsMadeUnderBothConditions(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let one = try await store.create("a", "one")
            let two = try await store.create("b", "two")
            let stale = Revision("stale")
            await #expect(throws: DocFSError.refused) {
                _ = try await store.copy(
                    "a", expecting: stale, to: "c", metadata: .of(nil), condition: .absent,
                    keeping: nil)
            }
            await #expect(throws: DocFSError.notFound) {
                _ = try await store.copy(
                    "none", expecting: stale, to: "c", metadata: .of(nil), condition: .absent,
                    keeping: nil)
            }
            for condition in [WriteCondition.absent, .revision(stale)] {
                await #expect(throws: DocFSError.refused) {
                    _ = try await store.copy(
                        "a", expecting: one.revision!, to: "b", metadata: .of(nil),
                        condition: condition, keeping: nil)
                }
            }
            #expect(try await store.text("b") == "two")
            _ = try await store.copy(
                "a", expecting: one.revision!, to: "b", metadata: .of(nil),
                condition: .revision(two.revision!), keeping: ".docfs/versions/b/two")
            #expect(try await store.text("b") == "one")
            #expect(try await store.text(".docfs/versions/b/two") == "two")
            #expect(try await store.head("c") == nil)
            #expect(try bench.staged() == 0)
        }
    }

    // MARK: move

    @Test(arguments: StoreKind.allCases)
    func aMovedFileIsTheSameObject(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.moves else { return }
            var one = try await store.create("a", "one")
            try await store.makeDirectory("d", metadata: .of(nil))
            let moved = try await store.move(
                "a", expecting: one.revision, to: "d/b", condition: .absent)
            one.path = "d/b"
            #expect(moved == one)
            #expect(try await store.head("d/b") == one)
            #expect(try await store.head("a") == nil)
            #expect(try await store.text("d/b") == "one")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMoveIsMadeUnderBothConditions(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.moves else { return }
            let one = try await store.create("a", "one")
            let two = try await store.create("b", "two")
            try await store.makeDirectory("d", metadata: .of(nil))
            let stale = Revision("stale")
            let refused: [(ItemPath, Revision?, ItemPath, WriteCondition)] = [
                ("a", stale, "c", .absent), ("a", nil, "c", .absent),
                ("a", one.revision, "b", .absent), ("a", one.revision, "d", .absent),
                ("a", one.revision, "b", .revision(stale)),
                ("a", stale, "b", .revision(two.revision!)),
                ("a", one.revision, "c", .revision(two.revision!)),
                ("d", one.revision, "c", .absent), ("d", nil, "b", .absent),
                ("d", nil, "b", .revision(two.revision!)),
            ]
            for (source, expected, destination, condition) in refused {
                await #expect(throws: DocFSError.refused) {
                    _ = try await store.move(
                        source, expecting: expected, to: destination, condition: condition)
                }
            }
            await #expect(throws: DocFSError.notFound) {
                _ = try await store.move("no", expecting: stale, to: "c", condition: .absent)
            }
            #expect(try await store.head("a") == one)
            #expect(try await store.head("b") == two)
            #expect(try await store.head("c") == nil)

            let moved = try await store.move(
                "a", expecting: one.revision, to: "b", condition: .revision(two.revision!))
            #expect(moved.revision == one.revision)
            #expect(try await store.text("b") == "one")
            #expect(try await store.head("a") == nil)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDirectoryMovesWithEverythingInIt(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.moves else { return }
            let metadata = ObjectMetadata.of(nil, mode: 0o750)
            try await store.makeDirectory("d", metadata: metadata)
            try await store.makeDirectory("d/e", metadata: .of(nil))
            try await store.create("d/e/a", "one")
            try await store.makeDirectory("taken", metadata: .of(nil))
            await #expect(throws: DocFSError.refused) {
                _ = try await store.move("d", expecting: nil, to: "taken", condition: .absent)
            }
            await #expect(throws: DocFSError.loop) {
                _ = try await store.move("d", expecting: nil, to: "d/e/f", condition: .absent)
            }
            let moved = try await store.move(
                "d", expecting: nil, to: "taken/d", condition: .absent)
            #expect(moved.kind == .directory)
            #expect(moved.mode == 0o750)
            if store.capabilities.objectMetadata { #expect(moved.metadata == metadata) }
            #expect(try await store.text("taken/d/e/a") == "one")
            #expect(try await store.head("d") == nil)
            #expect(try await store.head("d/e/a") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func parentsAreMadeForMovesBelowDocfsOnly(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.moves, store.capabilities.directories else { return }
            let one = try await store.create("a", "one")
            await #expect(throws: DocFSError.notFound) {
                _ = try await store.move(
                    "a", expecting: one.revision, to: "no/b", condition: .absent)
            }
            let trash: ItemPath = ".docfs/trash/2026-01-01/operation/a"
            _ = try await store.move("a", expecting: one.revision, to: trash, condition: .absent)
            #expect(try await store.text(trash) == "one")
            #expect(try await store.head("no") == nil)
        }
    }

    // MARK: remove

    @Test(arguments: StoreKind.allCases)
    func onlyTheExpectedObjectIsRemoved(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let one = try await store.create("a", "one")
            let link = try await store.write("l", .link("a"), condition: .absent, keeping: nil)
            try await store.makeDirectory("d", metadata: .of(nil))
            await #expect(throws: DocFSError.refused) {
                try await store.remove("a", expecting: Revision("stale"))
            }
            await #expect(throws: DocFSError.refused) {
                try await store.remove("d", expecting: Revision("stale"))
            }
            await #expect(throws: DocFSError.notFound) {
                try await store.remove("none", expecting: one.revision!)
            }
            try await store.remove("l", expecting: link.revision!)
            #expect(try await store.head("l") == nil)
            #expect(try await store.head("a") == one)
            try await store.remove("a", expecting: one.revision!)
            #expect(try await store.head("a") == nil)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anEditAndARemovalOfOneRevisionHaveOneWinner(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let (store, other) = (bench.store, try await bench.another())
            guard store.capabilities.conditionalRemove else { return }
            for round in 0..<20 {
                let path = ItemPath("race\(round)")
                let base = try await store.create(path, "base").revision!
                async let edits = isDone {
                    _ = try await store.write(
                        path, .document("edited"), condition: .revision(base), keeping: nil)
                }
                async let removes = isDone { try await other.remove(path, expecting: base) }
                let (isEdited, isRemoved) = try await (edits, removes)
                #expect(isEdited != isRemoved)
                if isEdited {
                    #expect(try await store.text(path) == "edited")
                } else {
                    #expect(try await store.head(path) == nil)
                }
            }
        }
    }

    /// Whether the store does it, rather than refuses.
    private func isDone(_ body: @Sendable () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch DocFSError.refused {
            return false
        }
    }

    // MARK: setMetadata

    @Test(arguments: StoreKind.allCases)
    func metadataIsSetWithoutTouchingTheBytes(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.metadataInPlace else { return }
            let one = try await store.create("a", "one")
            for mode in [0o444, 0o000, 0o755] as [UInt16] {
                let before = try #require(try await store.head("a"))
                let metadata = ObjectMetadata.of(
                    Array("one".utf8), modified: Timestamp(seconds: 1, nanoseconds: UInt32(mode)),
                    mode: mode)
                await #expect(throws: DocFSError.refused) {
                    _ = try await store.setMetadata(
                        "a", expecting: Revision("stale"), metadata)
                }
                #expect(try await store.head("a") == before)
                let info = try await store.setMetadata(
                    "a", expecting: before.revision, metadata)
                #expect(try await store.head("a") == info)
                #expect(info.modified == metadata.modified)
                if store.capabilities.objectMetadata {
                    #expect(info.mode == mode)
                    #expect(info.metadata == metadata)
                }
                #expect(info.size == one.size)
                #expect(try await store.text("a") == "one")
            }
            await #expect(throws: DocFSError.notFound) {
                _ = try await store.setMetadata("none", expecting: one.revision, .of(nil))
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func metadataOfDirectoriesAndLinksIsSetToo(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.metadataInPlace else { return }
            try await store.makeDirectory("d", metadata: .of(nil))
            let metadata = ObjectMetadata.of(
                nil, modified: Timestamp(seconds: 5, nanoseconds: 6), mode: 0o700)
            let directory = try await store.setMetadata("d", expecting: nil, metadata)
            #expect(directory.modified == metadata.modified)
            #expect(directory.mode == 0o700)
            if store.capabilities.objectMetadata { #expect(directory.metadata == metadata) }
            #expect(try await store.head("d") == directory)

            let link = try await store.write("l", .link("a"), condition: .absent, keeping: nil)
            let changed = try await store.setMetadata("l", expecting: link.revision, metadata)
            #expect(changed.modified == metadata.modified)
            #expect(changed.target == link.target)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func metadataMakesAForeignObjectOurs(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.metadataInPlace, store.capabilities.objectMetadata else {
                return
            }
            try bench.writeFromOutside("a", Array("theirs".utf8))
            let found = try #require(try await store.head("a"))
            let metadata = ObjectMetadata.of(
                Array("theirs".utf8), modified: found.modified, mode: found.mode ?? 0o644)
            let info = try await store.setMetadata("a", expecting: found.revision, metadata)
            #expect(info.metadata == metadata)
            #expect(info.formerItem == nil)
            #expect(info.modified == found.modified)
        }
    }

    // MARK: Directories

    @Test(arguments: StoreKind.allCases)
    func aDirectoryIsMadeOnceAndBelowAnExistingOne(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let metadata = ObjectMetadata.of(nil, mode: 0o755)
            try await store.makeDirectory("d", metadata: metadata)
            let info = try #require(try await store.head("d"))
            #expect(info.kind == .directory)
            #expect(info.revision == nil)
            #expect(info.size == 0)
            if store.capabilities.objectMetadata { #expect(info.metadata == metadata) }
            try await store.create("file", "x")
            _ = try await store.write("link", .link("d"), condition: .absent, keeping: nil)
            for path in ["d", "file", "link"] as [ItemPath] {
                await #expect(throws: DocFSError.exists) {
                    try await store.makeDirectory(path, metadata: .of(nil))
                }
            }
            guard store.capabilities.directories else { return }
            await #expect(throws: DocFSError.notFound) {
                try await store.makeDirectory("no/d", metadata: .of(nil))
            }
            // A link to a directory is no directory of the container.
            await #expect(throws: DocFSError.notFound) {
                try await store.makeDirectory("link/d", metadata: .of(nil))
            }
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func onlyAnEmptyDirectoryIsRemoved(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            try await store.makeDirectory("d", metadata: .of(nil))
            let info = try await store.create("d/a", "x")
            await #expect(throws: DocFSError.notEmpty) { try await store.removeDirectory("d") }
            await #expect(throws: DocFSError.notDirectory) {
                try await store.removeDirectory("d/a")
            }
            await #expect(throws: DocFSError.notFound) { try await store.removeDirectory("no") }
            try await store.remove("d/a", expecting: info.revision!)
            try await store.removeEmptied("d")
            #expect(try await store.head("d") == nil)
        }
    }
}
