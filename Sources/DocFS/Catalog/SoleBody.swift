/// A body that another program has taken out of the container, by overwriting or deleting it, and
/// that this device had then: the container keeps it nowhere.
package struct SoleBody: Hashable, Sendable {
    package var item: ItemID
    package var revision: Revision
    /// Where the document was, from the container's root.
    package var path: ItemPath
    /// The directory that held it.
    package var directory: ItemID
    /// Whether this device has recorded that it is gone, and not another one.
    package var isFoundHere: Bool

    package init(
        item: ItemID, revision: Revision, path: ItemPath, directory: ItemID, isFoundHere: Bool
    ) {
        self.item = item
        self.revision = revision
        self.path = path
        self.directory = directory
        self.isFoundHere = isFoundHere
    }

    fileprivate static let columns = "item, revision, path, directory, found_here"

    fileprivate init(row: Statement) {
        item = row.identifier(ItemID.self) ?? .root
        revision = Revision(row.text() ?? "")
        path = ItemPath(bytes: row.bytes())
        directory = row.identifier(ItemID.self) ?? .root
        isFoundHere = row.int() == 1
    }
}

extension CatalogReader {
    private static let one = Query(
        "SELECT \(SoleBody.columns) FROM sole_body WHERE scope = ? AND item = ? AND revision = ?")

    /// The body that `item` had as `revision`, if another program has taken it out of the
    /// container.
    package func soleBody(of item: ItemID, at revision: Revision, scope: Int64)
        throws(DocFSError) -> SoleBody?
    {
        try connection.first(
            Self.one,
            {
                $0.bind(scope)
                $0.bind(item)
                $0.bind(revision.token)
            }, SoleBody.init(row:))
    }

    private static let any = Query("SELECT 1 FROM sole_body WHERE scope = ? LIMIT 1")

    package func hasSoleBody(scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.any) { $0.bind(scope) }
    }

    private static let ofItem = Query(
        "SELECT 1 FROM sole_body WHERE scope = ? AND item = ? LIMIT 1")

    /// Whether any body of an item is to be put back.
    package func hasSoleBody(of item: ItemID, scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.ofItem) {
            $0.bind(scope)
            $0.bind(item)
        }
    }

    private static let nameless = Query(
        """
        SELECT \(SoleBody.columns) FROM sole_body WHERE scope = ?1 AND EXISTS (
          SELECT 1 FROM body b JOIN local l ON l.ino = b.ino
          WHERE b.scope = ?1 AND b.role = 2 AND b.item = sole_body.item
            AND l.source_revision = sole_body.revision)
        """)

    /// Bodies that are to be put back, and have lost their names here.
    package func namelessSoleBodies(scope: Int64) throws(DocFSError) -> [SoleBody] {
        try connection.all(Self.nameless, { $0.bind(scope) }, SoleBody.init(row:))
    }

    private static let rows = Query("SELECT ino FROM body WHERE role = 2")

    /// The rows of sole bodies, in all scopes.
    package func soleBodyRows() throws(DocFSError) -> Set<Int64> {
        Set(try connection.all(Self.rows, { _ in }) { $0.int() })
    }
}

extension CatalogWriter {
    private static let add = Query(
        "INSERT OR REPLACE INTO sole_body (scope, \(SoleBody.columns)) VALUES (?, ?, ?, ?, ?, ?)")

    package func addSoleBody(_ body: SoleBody, scope: Int64) throws(DocFSError) {
        try connection.run(Self.add) {
            $0.bind(scope)
            $0.bind(body.item)
            $0.bind(body.revision.token)
            $0.bind(body.path.bytes)
            $0.bind(body.directory)
            $0.bind(Int64(body.isFoundHere ? 1 : 0))
        }
    }

    private static let remove = Query(
        "DELETE FROM sole_body WHERE scope = ? AND item = ? AND revision = ?")

    /// The container keeps it by now, or nobody has it any more.
    package func removeSoleBody(_ item: ItemID, at revision: Revision, scope: Int64)
        throws(DocFSError)
    {
        try connection.run(Self.remove) {
            $0.bind(scope)
            $0.bind(item)
            $0.bind(revision.token)
        }
    }

    private static let removeStray = Query(
        """
        DELETE FROM sole_body WHERE scope = ?1 AND NOT EXISTS (
          SELECT 1 FROM local l WHERE l.scope = ?1 AND l.item = sole_body.item
            AND l.source_revision = sole_body.revision AND l.state = 2)
        """)

    /// Bodies that are here no longer cannot be put back.
    package func removeStraySoleBodies(scope: Int64) throws(DocFSError) {
        try connection.run(Self.removeStray) { $0.bind(scope) }
    }
}
