import Testing

@testable import DocFS

// S14
@Suite("Whether bytes are sent of a document that was written into since")
struct SentSnapshotTests {
    private static let row: LocalItem = {
        var row = LocalItem(
            scope: 1, item: ItemID(high: 1, low: 1), parent: 1, name: Name("doc"), mode: 0o100644,
            owner: 0, group: 0, modified: .zero, changed: .zero)
        row.ino = 5
        row.generation = 7
        row.divergence = .written
        row.basis = Revision("base")
        return row
    }()

    private static func snapshot(of writer: WriterState) -> Snapshot {
        Snapshot(
            source: [UInt8](), size: 0, digest: SHA256.digest(of: []), generation: 7,
            modified: .zero, writer: writer)
    }

    private static func maySend(
        _ writer: WriterState, openBy now: WriterState = .held(since: 0),
        _ change: (inout LocalItem) -> Void
    ) -> Bool {
        var row = row
        change(&row)
        return snapshot(of: writer).mayBeSent(for: row, openBy: now, before: Self.row)
    }

    @Test("Those of an open document are, as long as what they may be half of is not there yet")
    func whole() {
        let held = WriterState.held(since: 0)
        for writer in [.none, held, .heldAndSynced] {
            #expect(Self.maySend(writer) { _ in })
            #expect(!Self.maySend(writer, openBy: .none) { $0.generation += 1 })
        }
        #expect(Self.maySend(held) { $0.generation += 1 })
        #expect(!Self.maySend(held, openBy: .heldAndSynced) { $0.generation += 1 })
        #expect(Self.maySend(.heldAndSynced) { $0.generation += 1 })
        #expect(Self.maySend(.heldAndSynced, openBy: .heldAndSynced) { $0.generation += 1 })
    }

    @Test("Those in the document itself are not, nor those that were made from another version")
    func others() {
        #expect(!Self.maySend(.none) { $0.generation += 1 })
        #expect(!Self.snapshot(of: .none).mayBeSent(for: nil, openBy: .none, before: Self.row))
        let held = WriterState.held(since: 0)
        #expect(
            !Self.maySend(held) { row in
                row.generation += 1
                row.basis = Revision("other")
            })
        #expect(
            !Self.maySend(held) { row in
                row.generation += 1
                row.divergence = .none
            })
    }
}
