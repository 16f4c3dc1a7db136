/// The conflict version that this device made last of a document, as it made it (S14a).
package struct MadeSibling: Hashable, Sendable {
    package var document: ItemID
    package var sibling: ItemID
    /// What its bytes were made from; `nil` for nothing.
    package var basis: Revision?
    /// The row that has its bytes.
    package var ino: Int64
    /// ``LocalItem/generation`` when it got them.
    package var generation: Int64
    /// ``LocalItem/changed`` when it got them.
    package var changed: Timestamp
    /// Whether somebody has opened it here since.
    package var isOpened = false

    /// - Parameters:
    ///   - row: the conflict version, as it is now.
    ///   - basis: what its bytes were made from; `nil` for nothing.
    package init(_ row: LocalItem, of document: ItemID, madeFrom basis: Revision?) {
        self.document = document
        self.basis = basis
        sibling = row.item
        ino = row.ino
        generation = row.generation
        changed = row.changed
    }

    init(row: Statement) {
        document = row.identifier(ItemID.self) ?? .root
        sibling = row.identifier(ItemID.self) ?? .root
        basis = row.text().map { Revision($0) }
        ino = row.int()
        generation = row.int()
        changed = Timestamp(seconds: row.int(), nanoseconds: UInt32(clamping: row.int()))
        isOpened = row.int() != 0
    }

    /// Whether nobody has written into `row` or described it on this device since.
    package func isUntouched(_ row: LocalItem) -> Bool {
        ino == row.ino && generation == row.generation && changed == row.changed
    }
}

extension CatalogReader {
    private static let columns =
        "document, sibling, basis, ino, generation, seconds, nanoseconds, opened"
    private static let made = Query(
        "SELECT \(columns) FROM made_sibling WHERE scope = ? AND document = ?")
    private static let unopened = Query(
        "SELECT 1 FROM made_sibling WHERE scope = ? AND sibling = ? AND NOT opened")

    /// The conflict version that was made last of a document.
    package func madeSibling(of document: ItemID, scope: Int64) throws(DocFSError)
        -> MadeSibling?
    {
        try connection.first(Self.made, key(document, scope), MadeSibling.init(row:))
    }

    /// Whether an item is the conflict version that was made last of a document, and nobody has
    /// opened it here.
    package func isUnopenedSibling(_ item: ItemID, scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.unopened, key(item, scope))
    }
}

extension CatalogWriter {
    private static let set = Query(
        """
        INSERT OR REPLACE INTO made_sibling
        (scope, document, sibling, basis, ino, generation, seconds, nanoseconds, opened)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)

    /// Notes the conflict version that was made last of its document.
    package func setMadeSibling(_ made: MadeSibling, scope: Int64) throws(DocFSError) {
        try connection.run(Self.set) {
            $0.bind(scope)
            $0.bind(made.document)
            $0.bind(made.sibling)
            $0.bind(made.basis?.token)
            $0.bind(made.ino)
            $0.bind(made.generation)
            $0.bind(made.changed.seconds)
            $0.bind(Int64(made.changed.nanoseconds))
            $0.bind(Int64(made.isOpened ? 1 : 0))
        }
    }

    private static let open = Query(
        "UPDATE made_sibling SET opened = 1 WHERE scope = ? AND sibling = ?")

    /// Notes that somebody has opened a conflict version.
    package func noteOpened(sibling item: ItemID, scope: Int64) throws(DocFSError) {
        try connection.run(Self.open, key(item, scope))
    }
}
