/// Lookups in the catalog: one snapshot per call.
///
/// Used by one thread at a time; never kept beyond the closure that it is given to.
package struct CatalogReader {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    // MARK: Local tree

    private static let byIno = Query("SELECT ino, \(LocalItem.columns) FROM local WHERE ino = ?")

    /// The row with this number, linked or not.
    package func local(_ ino: Int64) throws(DocFSError) -> LocalItem? {
        try connection.first(Self.byIno, { $0.bind(ino) }, LocalItem.init(row:))
    }

    private static let byEntry = Query(
        "SELECT ino, \(LocalItem.columns) FROM local WHERE parent = ? AND name = ?")

    /// What `name` is in the directory `parent`.
    package func child(_ name: Name, of parent: Int64) throws(DocFSError) -> LocalItem? {
        try connection.first(
            Self.byEntry,
            {
                $0.bind(parent)
                $0.bind(name.bytes)
            }, LocalItem.init(row:))
    }

    private static let page = Query(
        """
        SELECT ino, \(LocalItem.columns) FROM local INDEXED BY local_listing
        WHERE parent = ? AND ino > ? ORDER BY ino LIMIT ?
        """)

    /// The next rows of a directory, by number: the order holds while entries come and go.
    package func children(of parent: Int64, after ino: Int64 = 0, limit: Int = .max)
        throws(DocFSError) -> [LocalItem]
    {
        try connection.all(
            Self.page,
            {
                $0.bind(parent)
                $0.bind(ino)
                $0.bind(Int64(limit))
            }, LocalItem.init(row:))
    }

    /// Hands the rows of a directory after `ino`, by number, to `body` until it answers false.
    ///
    /// Only what is handed out is read.
    package func eachChild(
        of parent: Int64, after ino: Int64, _ body: (LocalItem) -> Bool
    ) throws(DocFSError) {
        try connection.each(
            Self.page,
            {
                $0.bind(parent)
                $0.bind(ino)
                $0.bind(Int64.max)
            }
        ) { body(LocalItem(row: $0)) }
    }

    private static let lastNumber = Query("SELECT seq FROM sqlite_sequence WHERE name = 'local'")

    /// The highest number that a row was ever given.
    package func lastNumber() throws(DocFSError) -> Int64 {
        try connection.first(Self.lastNumber, { _ in }) { $0.int() } ?? 0
    }

    private static let resident = Query(
        """
        SELECT ino, \(LocalItem.columns) FROM local
        WHERE ino > ? AND state = 2 AND mode & 61440 = 32768 ORDER BY ino LIMIT ?
        """)

    /// The next documents, by number, whose bytes are all here.
    package func resident(after ino: Int64, limit: Int) throws(DocFSError) -> [LocalItem] {
        try connection.all(
            Self.resident,
            {
                $0.bind(ino)
                $0.bind(Int64(limit))
            }, LocalItem.init(row:))
    }

    private static let bySourceScope = Query(
        "SELECT ino, \(LocalItem.columns) FROM local WHERE source_scope = ?")

    /// The rows whose bytes come from the scope `source`, which is not their own.
    ///
    /// Looks at all rows.
    package func rows(filledFrom source: Int64) throws(DocFSError) -> [LocalItem] {
        try connection.all(Self.bySourceScope, { $0.bind(source) }, LocalItem.init(row:))
    }

    /// Whether a directory has any entry.
    package func hasChildren(_ parent: Int64) throws(DocFSError) -> Bool {
        try !children(of: parent, limit: 1).isEmpty
    }

    private static let byItem = Query(
        """
        SELECT ino, \(LocalItem.columns) FROM local
        WHERE item = ? AND scope = ? AND (parent IS NOT NULL OR departing = 1)
        """)

    /// The row that shows `item`, departing ones included; `nil` when it is not in the local tree.
    ///
    /// The root is never found by item.
    package func local(item: ItemID, scope: Int64) throws(DocFSError) -> LocalItem? {
        try connection.first(
            Self.byItem,
            {
                $0.bind(item)
                $0.bind(scope)
            }, LocalItem.init(row:))
    }

    private static let orphans = Query(
        """
        SELECT ino, \(LocalItem.columns) FROM local WHERE parent IS NULL AND departing = 0
        AND ino NOT IN (SELECT root FROM scope) AND ino NOT IN (SELECT ino FROM import)
        AND NOT EXISTS (SELECT 1 FROM body b WHERE b.ino = local.ino
          AND (b.role = 1 OR local.state = 2 AND local.divergence = 0))
        """)

    /// Rows without a name that nothing but an open handle can reach, and earlier bodies that are
    /// no longer what the container keeps.
    package func orphans() throws(DocFSError) -> [LocalItem] {
        try connection.all(Self.orphans, { _ in }, LocalItem.init(row:))
    }

    private static let unflushed = Query(
        "SELECT ino, \(LocalItem.columns) FROM local WHERE unflushed = 1")

    /// Rows that were open for writing when the process died.
    package func unflushed() throws(DocFSError) -> [LocalItem] {
        try connection.all(Self.unflushed, { _ in }, LocalItem.init(row:))
    }

    private static let unsynced = Query(
        "SELECT ino, \(LocalItem.columns) FROM local WHERE unsynced > 0")

    /// Rows whose bytes may not be on the disk.
    package func unsynced() throws(DocFSError) -> [LocalItem] {
        try connection.all(Self.unsynced, { _ in }, LocalItem.init(row:))
    }

    private static let edited = Query(
        "SELECT ino, \(LocalItem.columns) FROM local WHERE divergence = ?")

    /// Rows whose bytes the store does not have.
    ///
    /// Reads all rows.
    package func edited() throws(DocFSError) -> [LocalItem] {
        try connection.all(
            Self.edited, { $0.bind(Int64(Divergence.written.rawValue)) }, LocalItem.init(row:))
    }

    private static let written = Query("SELECT first, past FROM written WHERE ino = ?")

    /// Ranges written here into content that is not all here.
    package func written(_ ino: Int64) throws(DocFSError) -> [Range<UInt64>] {
        try connection.all(Self.written, { $0.bind(ino) }) {
            UInt64(clamping: $0.int())..<UInt64(clamping: $0.int())
        }
    }

    private static let siblings = Query(
        """
        SELECT ino, \(LocalItem.columns) FROM local
        WHERE scope = ? AND conflict_of = ? AND parent IS NOT NULL ORDER BY name
        """)

    /// The conflict versions of `item` that this device knows.
    package func conflictVersions(of item: ItemID, scope: Int64) throws(DocFSError) -> [LocalItem] {
        try connection.all(
            Self.siblings,
            key(item, scope), LocalItem.init(row:))
    }

    private static let marked = Query(
        """
        SELECT ino, \(LocalItem.columns) FROM local
        WHERE scope = ? AND conflict_of IS NOT NULL AND parent IS NOT NULL ORDER BY name
        """)

    /// All conflict versions of a scope.
    package func conflictVersions(scope: Int64) throws(DocFSError) -> [LocalItem] {
        try connection.all(Self.marked, { $0.bind(scope) }, LocalItem.init(row:))
    }

    private static let failed = Query(
        """
        SELECT ino, \(LocalItem.columns) FROM local
        WHERE scope = ? AND error IS NOT NULL AND parent IS NOT NULL LIMIT ?
        """)

    /// Rows whose last effect failed.
    package func failures(scope: Int64, limit: Int) throws(DocFSError) -> [LocalItem] {
        try connection.all(
            Self.failed,
            {
                $0.bind(scope)
                $0.bind(Int64(limit))
            }, LocalItem.init(row:))
    }

    /// The path of a row from its scope's root; `nil` when it is not linked to the root.
    package func path(of ino: Int64, root: Int64) throws(DocFSError) -> ItemPath? {
        var names: [Name] = []
        var next = ino
        while next != root {
            guard let row = try local(next), let parent = row.parent else { return nil }
            names.append(row.name)
            next = parent
        }
        return ItemPath(names.reversed())
    }

    /// Whether the store does not have an item as it is here: its bytes, its metadata, its name or
    /// its place.
    package func isAhead(_ row: LocalItem) throws(DocFSError) -> Bool {
        if row.divergence != .none { return true }
        // The root is in no tree, and what has no name goes nowhere.
        guard let parent = row.parent else { return false }
        guard let base = try state(.base, of: row.item, scope: row.scope) else { return true }
        if row.name != base.name || row.metadata != base.metadata { return true }
        if row.conflictOf != base.conflictOf { return true }
        let isAtRoot = try scope(row.scope)?.root == parent
        return try (isAtRoot ? ItemID.root : local(parent)?.item) != base.parent
    }

    // MARK: Scopes and facts

    private static let scopes = Query("SELECT id, name, container, anchor, root, digest FROM scope")

    /// Every cloud scope that this catalog knows.
    package func scopes() throws(DocFSError) -> [ScopeRecord] {
        try connection.all(Self.scopes, { _ in }, ScopeRecord.init(row:))
    }

    private static let scope = Query(
        "SELECT id, name, container, anchor, root, digest FROM scope WHERE id = ?")

    package func scope(_ id: Int64) throws(DocFSError) -> ScopeRecord? {
        try connection.first(Self.scope, { $0.bind(id) }, ScopeRecord.init(row:))
    }

    private static let fact = Query("SELECT value FROM meta WHERE key = ?")

    /// A fact about this device.
    package func fact(_ key: String) throws(DocFSError) -> [UInt8]? {
        try connection.first(Self.fact, { $0.bind(key) }) { $0.bytes() }
    }

    private static let counts = Query(
        """
        SELECT (SELECT count(*) FROM pending WHERE scope = ?1),
          (SELECT count(*) FROM journal WHERE scope = ?1),
          (SELECT count(*) FROM local WHERE scope = ?1 AND conflict_of IS NOT NULL
             AND parent IS NOT NULL)
            + (SELECT count(*) FROM stand_in s JOIN remote r
               ON r.scope = s.scope AND r.item = s.sibling
               WHERE s.scope = ?1 AND r.conflict_of IS NOT NULL),
          (SELECT count(*) FROM local WHERE scope = ?1 AND excluded = 1 AND parent IS NOT NULL),
          (SELECT documents FROM tally WHERE scope = ?1),
          (SELECT count(*) FROM local WHERE scope = ?1 AND error IS NOT NULL
             AND parent IS NOT NULL),
          (SELECT count(*) FROM unwanted WHERE scope = ?1)
        """)

    /// Numbers for `status`.
    package func counts(scope: Int64) throws(DocFSError) -> ScopeCounts {
        try connection.first(Self.counts, { $0.bind(scope) }, ScopeCounts.init(row:))
            ?? ScopeCounts()
    }

    private static let usage = Query(
        """
        SELECT CAST(total(size) AS INTEGER), CAST(total(size) FILTER (WHERE state = 2) AS INTEGER)
        FROM local WHERE scope = ? AND parent IS NOT NULL AND mode & 0xF000 = 0x8000
        """)

    /// Bytes of a scope's documents, and of those of them that are wholly here.
    ///
    /// Sizes are what a container says: together they may be more than 2^63, which counts as that
    /// many.
    ///
    /// Looks at every row.
    package func usage(scope: Int64) throws(DocFSError) -> (all: UInt64, here: UInt64) {
        try connection.first(Self.usage, { $0.bind(scope) }) {
            (UInt64(clamping: $0.int()), UInt64(clamping: $0.int()))
        } ?? (0, 0)
    }

    private static let waitingBytes = Query(
        """
        SELECT CAST(total(l.size) AS INTEGER) FROM pending p
        JOIN local l ON l.item = p.item AND l.scope = p.scope
        WHERE p.scope = ? AND l.parent IS NOT NULL AND l.mode & 0xF000 = 0x8000
          AND l.divergence = ? AND l.excluded = 0
        """)

    /// Bytes of the documents whose bytes the store is to get.
    ///
    /// Looks at every pending item.
    package func waitingBytes(scope: Int64) throws(DocFSError) -> UInt64 {
        try connection.first(
            Self.waitingBytes,
            {
                $0.bind(scope)
                $0.bind(Int64(Divergence.written.rawValue))
            }
        ) { UInt64(clamping: $0.int()) } ?? 0
    }

    private static let names = Query(
        """
        SELECT count(*) FROM local
        WHERE scope = ?1 AND parent IS NOT NULL AND substr(name, 1, length(?2)) = ?2
        """)

    /// How many names of a scope begin so.
    ///
    /// Looks at every row.
    package func countNames(beginning mark: Name, scope: Int64) throws(DocFSError) -> Int {
        try connection.first(
            Self.names,
            {
                $0.bind(scope)
                $0.bind(mark.bytes)
            }
        ) { Int($0.int()) } ?? 0
    }

    // MARK: Incoming, imports and handovers

    private static let handover = Query(
        "SELECT destination FROM handover WHERE scope = ? AND item = ?", in: .handover)

    /// Where the row of `item` moved on to without it; `nil` when it did not.
    package func handover(of item: ItemID, scope: Int64) throws(DocFSError) -> Handover? {
        try connection.first(Self.handover, key(item, scope)) { row in
            row.optionalInt().map { .container($0) } ?? .local
        }
    }

    private static let anyPending = Query(
        """
        SELECT 1 FROM pending p WHERE scope = ? AND NOT EXISTS (SELECT 1 FROM handover h
          WHERE h.scope = p.scope AND h.item = p.item) LIMIT 1
        """)

    /// Whether anything of a scope is to be planned, but for what only waits to go.
    package func hasPending(scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.anyPending) { $0.bind(scope) }
    }

    private static let incoming = Query(
        "SELECT name, ino FROM incoming WHERE device = ? AND inode = ? ORDER BY ino")

    /// What a directory of `Local/` shows beside what is on disk.
    package func incoming(device: UInt64, inode: UInt64) throws(DocFSError) -> [(Name, Int64)] {
        try connection.all(
            Self.incoming,
            {
                $0.bind(Int64(bitPattern: device))
                $0.bind(Int64(bitPattern: inode))
            }
        ) { (Name($0.bytes()), $0.int()) }
    }

    private static let incomingColumns = """
        device, inode, name, ino, mtime_s, mtime_n, replaced_inode, replaced_size, replaced_s, \
        replaced_n
        """
    private static let allIncoming = Query(
        "SELECT \(incomingColumns) FROM incoming ORDER BY ino")

    package func allIncoming() throws(DocFSError) -> [IncomingEntry] {
        try connection.all(Self.allIncoming, { _ in }, IncomingEntry.init(row:))
    }

    private static let hasIncoming = Query("SELECT EXISTS (SELECT 1 FROM incoming)")

    func hasIncoming() throws(DocFSError) -> Bool {
        try connection.first(Self.hasIncoming, { _ in }, { $0.int() != 0 }) ?? false
    }

    private static let incomingByIno = Query(
        "SELECT \(incomingColumns) FROM incoming WHERE ino = ?")

    package func incoming(ino: Int64) throws(DocFSError) -> IncomingEntry? {
        try connection.first(Self.incomingByIno, { $0.bind(ino) }, IncomingEntry.init(row:))
    }

    private static let imports = Query(
        """
        SELECT ino, parent, name, hidden, origin IS NOT NULL, device, inode, origin FROM import
        """)

    package func imports() throws(DocFSError) -> [ImportEntry] {
        try connection.all(Self.imports, { _ in }, ImportEntry.init(row:))
    }

    private static let filesystems = Query("SELECT identity FROM filesystem ORDER BY position")

    /// The filesystems nested in Local, in the order of their indexes.
    package func filesystems() throws(DocFSError) -> [UInt64] {
        try connection.all(Self.filesystems) { UInt64(bitPattern: $0.int()) }
    }
}
