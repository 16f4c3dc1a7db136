import TestSupport
import Testing

@testable import DocFS

/// Tombstones go when they are old, and nothing else goes with them: on Ceph's gateway, which needs
/// them.
@Suite(.enabled(if: Machine.gatewayAddress != nil)) struct S3TombstoneTests {
    private static let limits = S3Limits(tombstone: .seconds(1), vacantNote: .seconds(1))

    private func with(
        _ limits: S3Limits = limits, _ body: (S3Bench) async throws -> Void
    ) async throws {
        let bench = try await S3Bench(
            endpoint: Machine.gatewayAddress!, prefix: "p/", limits: limits)
        defer { bench.end() }
        try await body(bench)
    }

    /// Makes a document and removes it again.
    private func bury(_ path: ItemPath, _ store: any CloudStore) async throws {
        let info = try await store.create(path, "was here")
        try await store.remove(path, expecting: try #require(info.revision))
    }

    /// The keys of everything but the container's own files, and of the notes about tombstones.
    private func keys(_ bench: S3Bench) throws -> [String] {
        try bench.outside.keys(below: "p/").filter {
            !$0.hasPrefix("p/.docfs/") || $0.hasPrefix("p/.docfs/tombstones/")
        }.sorted()
    }

    /// Removes tombstones until the keys are these.
    private func eventually(
        _ keys: [String], _ bench: S3Bench, _ store: (any CloudStore)? = nil
    ) async throws {
        try await TestSupport.eventually("\(keys)", every: 250_000_000) {
            await (store ?? bench.store).removeTombstones()
            return try self.keys(bench) == keys
        }
    }

    @Test func oldTombstonesGo() async throws {
        try await with { bench in
            let store = bench.store
            let paths: [ItemPath] = ["a", "d/b", ItemPath("d/\u{FC} +%"), "d/e/f"]
            for path in paths { try await bury(path, store) }
            try await eventually([], bench)
            #expect(store.capabilities.tombstonesDue == nil)
            for path in paths {
                #expect(try await store.head(path) == nil)
                try await store.create(path, "again")
                #expect(try await store.text(path) == "again")
            }
        }
    }

    @Test func youngOnesStay() async throws {
        try await with(S3Limits()) { bench in
            try await bury("a", bench.store)
            let other = try await bench.another()
            for store in [bench.store, other] {
                await store.removeTombstones()
                #expect(try #require(store.capabilities.tombstonesDue) > 0)
            }
            #expect(try keys(bench) == ["p/.docfs/tombstones/a", "p/a"])
        }
    }

    @Test func othersAreRemovedByWhoComesLater() async throws {
        try await with { bench in
            try await bury("a", bench.store)
            try await bury("d/b", bench.store)
            let other = try await bench.another()
            try await eventually([], bench, other)
            #expect(other.capabilities.tombstonesDue == nil)
        }
    }

    @Test func aDocumentInThePlaceOfATombstoneStays() async throws {
        try await with { bench in
            let store = bench.store
            try await bury("a", store)
            try await store.create("a", "new")
            try await eventually(["p/a"], bench)
            #expect(try await store.text("a") == "new")
        }
    }

    /// s3fs leaves beside an object what was there, when it writes other bytes into it.
    @Test func whatIsWrittenOverATombstoneIsADocument() async throws {
        try await with { bench in
            let (outside, store) = (bench.outside, bench.store)
            let same = String(repeating: "x", count: Int(S3Tombstone.size))
            for (path, text) in [("a", "new"), ("b", same), ("d/c", "new")] {
                try await bury(ItemPath(path), store)
                let label = [("x-amz-meta-docfs-kind", "tombstone")]
                try outside.ask("PUT", "p/\(path)", headers: label, Array(text.utf8))
                #expect(try await store.head(ItemPath(path))?.size == UInt64(text.utf8.count))
                #expect(try await store.text(ItemPath(path)) == text)
            }
            #expect(try await store.list(.root).map(\.path).sorted() == ["a", "b", "d"])
            await #expect(throws: DocFSError.refused) { try await store.create("a", "mine") }
            try await eventually(["p/a", "p/b", "p/d/c"], bench)
            #expect(try await store.text("a") == "new")
        }
    }

    /// Tools that copy a bucket to another place and back keep no metadata.
    @Test func oneThatIsBroughtBackWithoutItsMetadataIsNothing() async throws {
        try await with { bench in
            let store = bench.store
            let paths: [ItemPath] = ["a", "d/b", "e/c"]
            try await store.makeDirectory("d", metadata: .of(nil))
            var bodies: [[UInt8]] = []
            for path in paths {
                try await bury(path, store)
                bodies.append(try bench.outside.ask("GET", "p/\(path)").body)
            }
            try await eventually(["p/d/"], bench)
            for (path, body) in zip(paths, bodies) { try bench.outside.put("p/\(path)", body) }
            for path in paths { #expect(try await store.head(path) == nil) }
            #expect(try await store.head("e") == nil)
            #expect(try await store.list(.root).map(\.path) == ["d"])
            #expect(try await store.list("d").isEmpty)
            try await store.create("a", "again")
            try await eventually(["p/a", "p/d/"], bench)
            // Nobody has asked for it by its name, nor is there a directory any more.
            try bench.outside.put("p/e/c", bodies[2])
            #expect(try await store.head("e") == nil)
            try bench.outside.put("p/d/b", bodies[1])
            try await store.removeDirectory("d")
            try await eventually(["p/a"], bench)
            #expect(try await store.text("a") == "again")
        }
    }

    @Test func whatHasTheSizeOfATombstoneIsADocument() async throws {
        try await with { bench in
            let text = String(repeating: "x", count: Int(S3Tombstone.size))
            try bench.outside.put("p/a", Array(text.utf8))
            #expect(try await bench.store.head("a")?.size == S3Tombstone.size)
            #expect(try await bench.store.list(.root).map(\.path) == ["a"])
            #expect(try await bench.store.text("a") == text)
        }
    }

    @Test func aNoteThatIsMissingIsWrittenAgain() async throws {
        try await with { bench in
            try await bury("a", bench.store)
            try bench.outside.ask("DELETE", "p/.docfs/tombstones/a")
            // Who has left it still knows of it.
            let store = try await bench.another()
            #expect(try await store.list(.root).map(\.path) == ["a"])
            #expect(try await store.head("a") == nil)
            #expect(try await store.list(.root).isEmpty)
            try await eventually([], bench, store)
        }
    }

    /// Who makes a document just when its tombstone goes keeps it, and who removes one again leaves
    /// a tombstone that is known.
    @Test func removingAndCreatingAtOnceLosesNothing() async throws {
        try await with { bench in
            let store = bench.store
            let paths = (0..<40).map { ItemPath("document \($0)") }
            for path in paths { try await bury(path, store) }
            // Old is older than the second that counts.
            try await Task.sleep(for: .seconds(2))
            #expect(store.capabilities.tombstonesDue == 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await store.removeTombstones() }
                for (index, path) in paths.enumerated() {
                    group.addTask {
                        let info = try await store.create(path, "new")
                        if index % 2 == 1 {
                            try await store.remove(path, expecting: info.revision!)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let there = Set(try await store.list(.root).map(\.path))
            let left = paths.indices.filter { $0 % 2 == 0 }.map { paths[$0] }
            #expect(there == Set(left))
            for path in left { #expect(try await store.text(path) == "new") }
            try await eventually(left.map { "p/\($0)" }.sorted(), bench)
        }
    }
}
