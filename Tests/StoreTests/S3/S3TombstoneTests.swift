import TestSupport
import Testing

@testable import DocFS

/// Tombstones go when they are old, and nothing else goes with them: on Ceph's gateway, which needs
/// them.
@Suite(.enabled(if: Machine.gatewayAddress != nil)) struct S3TombstoneTests {
    private func with(_ body: (S3Bench) async throws -> Void) async throws {
        let bench = try await S3Bench(endpoint: Machine.gatewayAddress!, prefix: "p/")
        defer { bench.end() }
        try await body(bench)
    }

    /// What says that there are tombstones.
    private func notes(_ store: any CloudStore) async throws -> [StoredObject] {
        try await store.stored(below: ContainerLayout.tombstones, from: nil).objects
            .sorted { $0.path < $1.path }
    }

    /// Makes a document and removes it again.
    private func bury(_ path: ItemPath, _ store: any CloudStore) async throws {
        let info = try await store.create(path, "was here")
        try await store.remove(path, expecting: try #require(info.revision))
    }

    private let later = Timestamp(seconds: 9_000_000_000)

    @Test func oldTombstonesGo() async throws {
        try await with { bench in
            let store = bench.store
            let paths: [ItemPath] = ["a", "d/b", ItemPath("d/\u{FC} +%"), "d/e/f"]
            for path in paths { try await bury(path, store) }
            let found = try await notes(store)
            #expect(found.count == paths.count)
            for note in found {
                // Younger than what may go.
                try await store.removeOld(note, storedUntil: Timestamp(seconds: 1_000_000_000))
            }
            #expect(try await notes(store) == found)
            let kept = try bench.outside.keys(below: "p/")
            #expect(kept.filter { !$0.contains(".docfs") }.count == paths.count)
            for note in found { try await store.removeOld(note, storedUntil: later) }
            #expect(try await notes(store).isEmpty)
            let left = try bench.outside.keys(below: "p/")
            #expect(left.filter { !$0.contains(".docfs/s3.json") }.isEmpty)
            for path in paths {
                #expect(try await store.head(path) == nil)
                try await store.create(path, "again")
                #expect(try await store.text(path) == "again")
            }
        }
    }

    @Test func aDocumentInThePlaceOfATombstoneStays() async throws {
        try await with { bench in
            let store = bench.store
            try await bury("a", store)
            try await store.create("a", "new")
            for note in try await notes(store) {
                try await store.removeOld(note, storedUntil: later)
            }
            #expect(try await notes(store).isEmpty)
            #expect(try await store.text("a") == "new")
        }
    }

    /// Who makes a document just when its tombstone goes keeps it, and who removes one again leaves
    /// a tombstone that is known.
    @Test func collectingAndCreatingAtOnceLosesNothing() async throws {
        try await with { bench in
            let store = bench.store
            let paths = (0..<40).map { ItemPath("document \($0)") }
            for path in paths { try await bury(path, store) }
            // Old is older than the second that counts.
            try await Task.sleep(for: .seconds(2))
            let found = try await notes(store)
            #expect(found.count == paths.count)
            // As in a collection: what is written from now on is too young to go.
            let limit = try #require(found.compactMap(\.stored).max())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for note in found {
                    group.addTask { try await store.removeOld(note, storedUntil: limit) }
                }
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
            // The gateway may forget a note that is written at the moment at which it is removed:
            // then the tombstone is listed, and who looks at it finds nothing.
            let there = Set(try await store.list(.root).map(\.path))
            for (index, path) in paths.enumerated() {
                if index % 2 == 0 {
                    #expect(there.contains(path))
                    #expect(try await store.text(path) == "new")
                } else {
                    #expect(try await store.head(path) == nil)
                }
            }
        }
    }
}
