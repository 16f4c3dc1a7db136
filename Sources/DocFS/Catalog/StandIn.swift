/// A conflict version that the store already has of a document that is still open for writing (S9).
///
/// The document keeps its name here while it is open; its bytes travel as `sibling`, which this
/// device does not show. At the last close the row becomes the sibling.
package struct StandIn: Hashable, Sendable {
    package var document: ItemID
    package var sibling: ItemID
    /// The open row.
    package var ino: Int64
    /// Of the row's bytes that the store has; `nil` when that is not known.
    package var generation: Int64?

    package init(document: ItemID, sibling: ItemID, ino: Int64, generation: Int64? = nil) {
        self.document = document
        self.sibling = sibling
        self.ino = ino
        self.generation = generation
    }

    init(row: Statement) {
        document = row.identifier(ItemID.self) ?? .root
        sibling = row.identifier(ItemID.self) ?? .root
        ino = row.int()
        generation = row.optionalInt()
    }
}

extension CatalogReader {
    private static let ofDocument = Query(
        "SELECT document, sibling, ino, generation FROM stand_in WHERE scope = ? AND document = ?",
        in: .standIn)
    private static let ofSibling = Query(
        "SELECT document, sibling, ino, generation FROM stand_in WHERE scope = ? AND sibling = ?",
        in: .standIn)

    /// What stands in for an open document.
    package func standIn(for document: ItemID, scope: Int64) throws(DocFSError) -> StandIn? {
        try standIn(Self.ofDocument, document, scope)
    }

    /// Whether, and for what, a conflict version stands in.
    package func standIn(by sibling: ItemID, scope: Int64) throws(DocFSError) -> StandIn? {
        try standIn(Self.ofSibling, sibling, scope)
    }

    private static let stored = Query(
        """
        SELECT count(*) FROM stand_in s JOIN remote r ON r.scope = s.scope AND r.item = s.sibling
        WHERE s.scope = ? AND r.conflict_of = ?
        """)

    /// How many conflict versions of a document stand in for what is open here: all other devices
    /// show them already.
    package func storedStandIns(for document: ItemID, scope: Int64) throws(DocFSError) -> Int {
        try connection.first(Self.stored, key(document, scope)) { Int($0.int()) } ?? 0
    }

    private static let documents = Query(
        """
        SELECT DISTINCT r.conflict_of FROM stand_in s
        JOIN remote r ON r.scope = s.scope AND r.item = s.sibling
        WHERE s.scope = ? AND r.conflict_of IS NOT NULL
        """)

    /// The documents that have such conflict versions.
    package func documentsOfStandIns(scope: Int64) throws(DocFSError) -> [ItemID] {
        try connection.all(Self.documents, { $0.bind(scope) }) {
            $0.identifier(ItemID.self) ?? .root
        }
    }

    private func standIn(_ query: Query, _ item: ItemID, _ scope: Int64) throws(DocFSError)
        -> StandIn?
    {
        try connection.first(
            query,
            key(item, scope), StandIn.init(row:))
    }
}

extension CatalogWriter {
    private static let set = Query(
        """
        INSERT OR REPLACE INTO stand_in (scope, document, sibling, ino, generation)
        VALUES (?, ?, ?, ?, ?)
        """)

    package func setStandIn(_ standIn: StandIn, scope: Int64) throws(DocFSError) {
        try connection.run(Self.set) {
            $0.bind(scope)
            $0.bind(standIn.document)
            $0.bind(standIn.sibling)
            $0.bind(standIn.ino)
            $0.bind(standIn.generation)
        }
    }

    private static let remove = Query(
        "DELETE FROM stand_in WHERE scope = ? AND document = ?", in: .standIn)

    package func removeStandIn(for document: ItemID, scope: Int64) throws(DocFSError) {
        try connection.run(Self.remove, key(document, scope))
    }
}
