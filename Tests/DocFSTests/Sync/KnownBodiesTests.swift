import Testing

@testable import DocFS

struct KnownBodiesTests {
    private func row(_ change: (inout LocalItem) -> Void = { _ in }) throws -> LocalItem {
        let device = try TestDevice("alice", store: MemoryStore())
        try device.write("doc", "text")
        let scope = device.scope
        var row = try #require(
            try device.catalog.read { (read) throws(DocFSError) in
                try read.child("doc", of: scope.root)
            })
        (row.divergence, row.state, row.sourceItem) = (.stored, .none, ItemID(high: 1, low: 1))
        row.sourceRevision = Revision("one")
        change(&row)
        return row
    }

    private static let minute: UInt64 = 60_000_000_000

    @Test("A body counts as lost a minute after the last news, and is told of once")
    func lost() throws {
        let row = try row()
        var bodies = KnownBodies()
        let misses = [(0, 0), (Self.minute, 1), (Self.minute + 1, 1), (2 * Self.minute, 1)].map {
            moment, news in
            [bodies.miss(row, at: moment, news: news), bodies.isLost(row)]
        }
        #expect(misses == [[false, false], [false, false], [true, true], [false, true]])
        bodies.find(row)
        #expect(!bodies.isLost(row))
    }

    @Test("What was written, fetched, or found to be made of another body is not lost")
    func changed() throws {
        let lost = try row()
        var bodies = KnownBodies()
        _ = bodies.miss(lost, at: 0, news: 0)
        _ = bodies.miss(lost, at: Self.minute, news: 0)
        let changes: [(inout LocalItem) -> Void] = [
            { $0.generation += 1 }, { $0.divergence = .written }, { $0.state = .current },
            { $0.sourceRevision = Revision("two") }, { $0.sourceItem = nil },
        ]
        for change in changes {
            var row = lost
            change(&row)
            #expect(!bodies.isLost(row))
        }
        #expect(bodies.isLost(lost))
    }

    @Test("A digest is good for the bytes that it was made of")
    func digests() throws {
        var row = try row()
        var bodies = KnownBodies()
        let digest = SHA256.digest(of: Array("text".utf8))
        bodies.add(digest, of: row.ino, generation: row.generation)
        #expect(bodies.digest(of: row) == digest)
        row.generation += 1
        #expect(bodies.digest(of: row) == nil)
    }
}
