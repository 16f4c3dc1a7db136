import Testing

@testable import DocFS

/// What two looks at an item say of what happened in between (S29).
struct ShownItemTests {
    private static let doc = ShownItem(
        path: "dir/doc", isDirectory: false, bytes: .stored(Revision("r1")),
        metadata: Metadata(mode: 0o644, modified: Timestamp(seconds: 1), attributes: []))

    private func with(_ change: (inout ShownItem) -> Void) -> ShownItem {
        var doc = Self.doc
        change(&doc)
        return doc
    }

    @Test("S29: an item is made, and deleted, and nothing comes of nothing")
    func comesAndGoes() {
        #expect(ShownItem.changes(from: nil, to: Self.doc) == [.made])
        #expect(ShownItem.changes(from: Self.doc, to: nil) == [.deleted])
        #expect(ShownItem.changes(from: nil, to: nil) == [])
        #expect(ShownItem.changes(from: Self.doc, to: Self.doc) == [])
    }

    @Test(
        "S29: other bytes and other descriptions are edits, another path is a move, both are both")
    func changes() {
        let moved = with { $0.path = "doc" }
        #expect(ShownItem.changes(from: Self.doc, to: moved) == [.moved(from: "dir/doc")])
        for edited in [
            with { $0.bytes = .stored(Revision("r2")) },
            with { $0.bytes = .own(ino: 7, generation: 1) },
            with { $0.metadata.mode = 0o600 },
            with { $0.metadata.modified = Timestamp(seconds: 2) },
        ] {
            #expect(ShownItem.changes(from: Self.doc, to: edited) == [.edited])
            var both = edited
            both.path = "doc"
            #expect(
                ShownItem.changes(from: Self.doc, to: both) == [.moved(from: "dir/doc"), .edited])
        }
        let first = with { $0.bytes = .own(ino: 7, generation: 1) }
        for (ino, generation) in [(7, 2), (8, 1)] as [(Int64, Int64)] {
            let next = with { $0.bytes = .own(ino: ino, generation: generation) }
            #expect(ShownItem.changes(from: first, to: next) == [.edited])
        }
    }

    @Test("S29: what comes and goes in a directory is no edit of it")
    func directories() {
        func directory(_ mode: UInt16, _ seconds: Int64) -> ShownItem {
            ShownItem(
                path: "dir", isDirectory: true, bytes: .none,
                metadata: Metadata(
                    mode: mode, modified: Timestamp(seconds: seconds), attributes: []))
        }
        #expect(ShownItem.changes(from: directory(0o755, 1), to: directory(0o755, 2)) == [])
        #expect(ShownItem.changes(from: directory(0o755, 1), to: directory(0o700, 1)) == [.edited])
    }
}
