/// A row without a name that is kept for its body (S9).
///
/// There is at most one of each role for a document.
package struct NamelessBody: Hashable, Sendable {
    package enum Role: Int64, Sendable {
        /// It was shown until a newer body took its place: an earlier version of the container's.
        case earlier = 0
        /// It is to be shown, once it is whole.
        case newer = 1
        /// The container keeps it no more (``SoleBody``): it is to be put where deleted documents
        /// and earlier versions are.
        case sole = 2
    }

    package var ino: Int64
    package var scope: Int64
    package var item: ItemID
    package var role: Role

    package init(ino: Int64, scope: Int64, item: ItemID, role: Role) {
        self.ino = ino
        self.scope = scope
        self.item = item
        self.role = role
    }

    fileprivate static let columns = "ino, scope, item, role"

    fileprivate init(row: Statement) {
        ino = row.int()
        scope = row.int()
        item = row.identifier(ItemID.self) ?? .root
        role = Role(rawValue: row.int()) ?? .earlier
    }
}

extension CatalogReader {
    private static let ofItem = Query(
        "SELECT \(NamelessBody.columns) FROM body WHERE scope = ? AND item = ?")

    /// The bodies of a document that are kept without a name.
    package func namelessBodies(of item: ItemID, scope: Int64) throws(DocFSError)
        -> [NamelessBody]
    {
        try connection.all(Self.ofItem, key(item, scope), NamelessBody.init(row:))
    }

    /// The row of the one with that role.
    package func namelessRow(_ role: NamelessBody.Role, of item: ItemID, scope: Int64)
        throws(DocFSError) -> LocalItem?
    {
        for body in try namelessBodies(of: item, scope: scope) where body.role == role {
            return try local(body.ino)
        }
        return nil
    }

    /// The row with the bytes of a version, where they are here.
    package func namelessRow(of version: VersionRecord, scope: Int64) throws(DocFSError)
        -> LocalItem?
    {
        let row = try namelessRow(.earlier, of: version.item, scope: scope)
        return row?.sourceRevision == version.revision ? row : nil
    }

    private static let atRow = Query("SELECT \(NamelessBody.columns) FROM body WHERE ino = ?")

    /// What a row is kept for; `nil` for all that have a name, and for those that nobody keeps.
    package func namelessBody(at ino: Int64) throws(DocFSError) -> NamelessBody? {
        try connection.first(Self.atRow, { $0.bind(ino) }, NamelessBody.init(row:))
    }

    /// The state of a document whose container has other bytes than those that are here, unedited;
    /// `nil` for all others.
    ///
    /// The base may have them already: a loss of power can take what was sent.
    package func newerState(than row: LocalItem) throws(DocFSError) -> ItemState? {
        guard row.isFile, row.divergence == .none,
            let remote = try state(.remote, of: row.item, scope: row.scope),
            let body = remote.content.body, body.revision != row.basis,
            body.revision != row.sourceRevision
        else { return nil }
        if let digest = body.digest, digest == row.sourceDigest, body.size == row.size {
            return nil
        }
        return remote
    }

    private static let any = Query(
        """
        SELECT 1 WHERE EXISTS (SELECT 1 FROM body WHERE scope = ?1)
          OR EXISTS (SELECT 1 FROM fetched WHERE scope = ?1)
        """)

    /// Whether any body is kept without a name, or newer ones of any document were asked for.
    package func hasNamelessBodies(scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.any) { $0.bind(scope) }
    }

    private static let awaiting = Query(
        "SELECT item FROM body WHERE scope = ? AND role = 1 ORDER BY ino LIMIT ?")

    /// The documents whose newer bodies are on their way, the first ones first.
    package func awaitingNewer(scope: Int64, limit: Int = .max) throws(DocFSError) -> [ItemID] {
        try connection.all(
            Self.awaiting,
            {
                $0.bind(scope)
                $0.bind(Int64(limit))
            }
        ) { $0.identifier(ItemID.self) ?? .root }
    }

    private static let missing = Query(
        """
        SELECT b.ino FROM body b JOIN local l ON l.ino = b.ino
        WHERE b.scope = ? AND b.role = 1 AND l.state <> 2
        """)

    /// The rows of newer bodies that are not wholly here yet.
    package func missingNewer() throws(DocFSError) -> [Int64] {
        var missing: [Int64] = []
        for scope in try scopes() {
            missing += try connection.all(Self.missing, { $0.bind(scope.id) }) { $0.int() }
        }
        return missing
    }
}

extension CatalogWriter {
    private static let add = Query("INSERT INTO body (\(NamelessBody.columns)) VALUES (?, ?, ?, ?)")

    /// Keeps a row that has no name.
    ///
    /// - Throws: `.exists` while another one has its role.
    package func addNamelessBody(_ body: NamelessBody) throws(DocFSError) {
        try connection.run(Self.add) {
            $0.bind(body.ino)
            $0.bind(body.scope)
            $0.bind(body.item)
            $0.bind(body.role.rawValue)
        }
    }

    private static let remove = Query("DELETE FROM body WHERE ino = ?")

    /// A row is not kept any more: it gets a name, or is dropped.
    package func removeNamelessBody(_ ino: Int64) throws(DocFSError) {
        try connection.run(Self.remove) { $0.bind(ino) }
    }

    /// Stops waiting for the newer body of a row's document, and marks the document pending.
    ///
    /// - Returns: the row of that body, if there was one.
    package func removeNewerBody(of row: LocalItem) throws(DocFSError) -> Int64? {
        guard let newer = try read.namelessRow(.newer, of: row.item, scope: row.scope) else {
            return nil
        }
        try removeNamelessBody(newer.ino)
        try markPending(row.item, scope: row.scope)
        return newer.ino
    }

    private static let markStrays = Query(
        """
        INSERT OR IGNORE INTO pending (scope, item)
        SELECT b.scope, b.item FROM body b JOIN local l ON l.ino = b.ino
        WHERE b.scope = ? AND (b.role = 2 OR b.role = 0 AND NOT EXISTS (
          SELECT 1 FROM version v WHERE v.scope = b.scope AND v.item = b.item
            AND v.revision = l.source_revision))
        """)

    /// Documents of which an earlier body is kept that the container keeps no longer are pending,
    /// and those with sole bodies.
    package func markStrayBodies(scope: Int64) throws(DocFSError) {
        try connection.run(Self.markStrays) { $0.bind(scope) }
    }
}
