/// What of the contents is kept here, and what need not be (S11).
extension CatalogReader {
    /// Whether a row is pinned: what is not said of it is said of the directories above it, the
    /// nearest first.
    package func isPinned(_ row: LocalItem) throws(DocFSError) -> Bool {
        var row = row
        while row.pin == .inherited, let parent = row.parent, let above = try local(parent) {
            row = above
        }
        return row.pin == .pinned
    }

    private static let pinned = Query("SELECT ino FROM local WHERE pin = 1")

    /// The rows of which it was said that they are pinned.
    package func pinned() throws(DocFSError) -> [Int64] {
        try connection.all(Self.pinned, { _ in }) { $0.int() }
    }

    /// The documents that are pinned and not wholly here.
    package func missingPinned() throws(DocFSError) -> [Int64] {
        var missing: [Int64] = []
        var rest = try pinned()
        while let ino = rest.popLast() {
            guard let row = try local(ino) else { continue }
            if row.isFile, row.state != .current, row.sourceRevision != nil {
                missing.append(row.ino)
            }
            guard row.isDirectory else { continue }
            // What says something itself is among the pinned, or is not wanted.
            for child in try children(of: row.ino) where child.pin == .inherited {
                rest.append(child.ino)
            }
        }
        return missing
    }

    /// By the index `local_excluded`; that of the parents would do nothing here.
    private static let scratch = Query(
        """
        SELECT ino, source_item FROM local
        WHERE excluded = 1 AND state <> 2 AND source_revision IS NOT NULL
          AND +parent IS NOT NULL
        """)

    /// The documents that stay on this device and are not wholly here.
    package func missingScratch() throws(DocFSError) -> [Int64] {
        try connection.all(Self.scratch, { _ in }) { $0.int() }
    }

    /// The items of whose bodies such documents are made.
    package func sourcesOfScratch() throws(DocFSError) -> Set<ItemID> {
        let found = try connection.all(Self.scratch, { _ in }) { (row) -> ItemID? in
            _ = row.int()
            return row.identifier(ItemID.self)
        }
        return Set(found.compactMap(\.self))
    }

    private static let spareBytes = Query(
        "SELECT CAST(total(size) AS INTEGER) FROM local WHERE \(spare)")
    private static let spareRows = Query(
        "SELECT ino, \(LocalItem.columns) FROM local WHERE \(spare)")
    /// As the index `local_spare` has it.
    private static let spare = "state = 2 AND divergence = 0 AND source_revision IS NOT NULL"

    /// Bytes of the documents that are wholly here and in the store as well.
    package func spareBytes() throws(DocFSError) -> UInt64 {
        UInt64(clamping: try connection.first(Self.spareBytes, { _ in }) { $0.int() } ?? 0)
    }

    /// The same documents, but for the pinned ones, for those on their way to `Local/`, which have
    /// to be here to arrive, and for newer bodies that nobody sees yet; earlier bodies and sole
    /// ones as well.
    package func spareRows() throws(DocFSError) -> [LocalItem] {
        var rows: [LocalItem] = []
        let found = try connection.all(Self.spareRows, { _ in }, LocalItem.init(row:))
        for row in found where !row.isDeparting {
            let isNameless = row.parent == nil && !row.isDeparting
            if isNameless {
                guard let role = try namelessBody(at: row.ino)?.role, role != .newer else {
                    continue
                }
            }
            if try !isPinned(row) { rows.append(row) }
        }
        return rows
    }
}
