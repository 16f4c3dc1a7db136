/// Changes of the catalog within one transaction.
///
/// Only valid inside the closure that it is given to.
package final class CatalogWriter {
    /// Lookups that see this transaction's own changes.
    package let read: CatalogReader
    let connection: Connection
    /// What became pending, for the listeners.
    private(set) var touched: [Int64: Set<ItemID>] = [:]
    /// What is shown in `Local/` before it arrives became more or less.
    private(set) var changesIncoming = false
    /// Conflict versions that have moved, or their documents, became more or less.
    var changesConflictMembers = false

    init(_ connection: Connection) {
        self.connection = connection
        read = CatalogReader(connection)
    }

    // MARK: Local tree

    private static let insert = Query(
        """
        INSERT INTO local (\(LocalItem.columns)) VALUES (\(LocalItem.values(of: LocalItem.columns)))
        """)

    /// Adds a row and returns its number.
    ///
    /// Throws `.exists` when the entry is taken.
    @discardableResult
    package func insert(_ row: LocalItem) throws(DocFSError) -> Int64 {
        try connection.run(Self.insert) { row.bind(to: $0) }
        return connection.lastInsertedRow
    }

    private static let update = update(LocalItem.columns)
    private static let updateState = update(LocalItem.stateColumns)

    private static func update(_ columns: String) -> Query {
        Query("UPDATE local SET (\(columns)) = (\(LocalItem.values(of: columns))) WHERE ino = ?")
    }

    /// Stores all columns of an existing row.
    package func update(_ row: LocalItem) throws(DocFSError) {
        try connection.run(Self.update) {
            row.bind(to: $0)
            $0.bind(row.ino)
        }
    }

    /// Stores what differs from `old`, the row as it was read in this transaction.
    ///
    /// A row that stays in its place leaves its indexes alone.
    package func update(_ row: LocalItem, from old: LocalItem) throws(DocFSError) {
        if row == old { return }
        guard row.isInPlace(of: old) else { return try update(row) }
        try connection.run(Self.updateState) {
            row.bindState(to: $0)
            $0.bind(row.ino)
        }
    }

    // Each by an index of its own.
    private static let followCopied = Query(
        """
        UPDATE local SET source_revision = ?
        WHERE source_item = ? AND source_item <> item AND source_revision = ?
            AND ifnull(source_scope, scope) = ?
        """)
    private static let followOwn = Query(
        """
        UPDATE local SET source_revision = ?
        WHERE item = ? AND source_item = item AND source_revision = ?
            AND ifnull(source_scope, scope) = ?
        """)

    /// The bytes of `item` that the store had as `old` it has as `new` now: rows that are made of
    /// them are to find them.
    package func followSource(
        _ item: ItemID, scope: Int64, from old: Revision, to new: Revision
    ) throws(DocFSError) {
        for query in [Self.followCopied, Self.followOwn] {
            try connection.run(query) {
                $0.bind(new.token)
                $0.bind(item)
                $0.bind(old.token)
                $0.bind(scope)
            }
        }
    }

    private static let delete = Query("DELETE FROM local WHERE ino = ?")
    private static let deleteWritten = Query("DELETE FROM written WHERE ino = ?")

    /// Forgets a row altogether, with its written ranges.
    package func delete(_ ino: Int64) throws(DocFSError) {
        try connection.run(Self.delete) { $0.bind(ino) }
        try removeNamelessBody(ino)
        try connection.run(Self.deleteWritten) { $0.bind(ino) }
    }

    private static let touch = Query(
        """
        UPDATE local SET links = links + ?, mtime_s = ?, mtime_n = ?, ctime_s = ?, ctime_n = ?
        WHERE ino = ?
        """)

    /// An entry of a directory came or went: its times move, and its link count by `links` when
    /// the entry is a directory.
    package func touchDirectory(_ ino: Int64, links: Int = 0, now: Timestamp) throws(DocFSError) {
        try connection.run(Self.touch) {
            $0.bind(Int64(links))
            $0.bind(now)
            $0.bind(now)
            $0.bind(ino)
        }
    }

    private static let setWritten = Query(
        "INSERT OR REPLACE INTO written (ino, first, past) VALUES (?, ?, ?)")

    /// Replaces the ranges written into incomplete content.
    package func setWritten(_ ranges: [Range<UInt64>], ino: Int64) throws(DocFSError) {
        try connection.run(Self.deleteWritten) { $0.bind(ino) }
        for range in ranges {
            try connection.run(Self.setWritten) {
                $0.bind(ino)
                $0.bind(Int64(range.lowerBound))
                $0.bind(Int64(range.upperBound))
            }
        }
    }

    // MARK: Pending

    private static let addPending = Query(
        "INSERT OR IGNORE INTO pending (scope, item) VALUES (?, ?)")

    /// `item` is to be planned.
    package func markPending(_ item: ItemID, scope: Int64) throws(DocFSError) {
        try connection.run(Self.addPending, key(item, scope))
        touched[scope, default: []].insert(item)
    }

    private static let removePending = Query("DELETE FROM pending WHERE scope = ? AND item = ?")

    /// Nothing is to be done about `item`: the three trees agree on it, or a newer body is awaited.
    package func clearPending(_ item: ItemID, scope: Int64) throws(DocFSError) {
        try connection.run(Self.removePending, key(item, scope))
        touched[scope]?.remove(item)
    }

    // MARK: Scopes and facts

    private static let addScope = Query("INSERT INTO scope (name, root) VALUES (?, ?)")

    /// Makes a scope with its root directory, which is empty and belongs to `owner`.
    package func addScope(named name: String, owner: UInt32, group: UInt32, at now: Timestamp)
        throws(DocFSError) -> ScopeRecord
    {
        var root = LocalItem(
            scope: 0, item: .root, parent: nil, name: Name(name),
            mode: LocalItem.typeDirectory | 0o755, owner: owner, group: group, modified: now,
            changed: now)
        root.links = 2
        root.ino = try insert(root)
        try connection.run(Self.addScope) {
            $0.bind(name)
            $0.bind(root.ino)
        }
        root.scope = connection.lastInsertedRow
        try update(root)
        guard let made = try read.scope(root.scope) else { throw .corrupt("catalog: scope") }
        return made
    }

    private static let setContainer = Query("UPDATE scope SET container = ? WHERE id = ?")

    package func setContainer(_ container: ContainerID?, scope: Int64) throws(DocFSError) {
        try connection.run(Self.setContainer) {
            $0.bind(container)
            $0.bind(scope)
        }
    }

    private static let setAnchor = Query(
        "UPDATE scope SET anchor = ?, digest = ? WHERE id = ?")

    /// - Parameter digest: of the record that is the anchor; `nil` for none.
    package func setAnchor(_ anchor: UInt64, _ digest: Digest?, scope: Int64)
        throws(DocFSError)
    {
        try connection.run(Self.setAnchor) {
            $0.bind(Int64(clamping: anchor))
            $0.bind(digest?.bytes)
            $0.bind(scope)
        }
    }

    private static let setFact = Query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")

    package func setFact(_ key: String, _ value: [UInt8]) throws(DocFSError) {
        try connection.run(Self.setFact) {
            $0.bind(key)
            $0.bind(value)
        }
    }

    private static let removeFact = Query("DELETE FROM meta WHERE key = ?")

    package func removeFact(_ key: String) throws(DocFSError) {
        try connection.run(Self.removeFact) { $0.bind(key) }
    }

    // MARK: Incoming, imports and handovers

    private static let addHandover = Query(
        "INSERT OR REPLACE INTO handover (scope, item, destination) VALUES (?, ?, ?)")

    /// A row moves on without its item, which goes once the bytes are safe elsewhere.
    ///
    /// - Parameter destination: the other scope; `nil` for `Local/`, where they are safe already.
    package func addHandover(of item: ItemID, scope: Int64, to destination: Int64?)
        throws(DocFSError)
    {
        try connection.run(Self.addHandover) {
            $0.bind(scope)
            $0.bind(item)
            $0.bind(destination)
        }
    }

    private static let removeHandover = Query(
        "DELETE FROM handover WHERE scope = ? AND item = ?", in: .handover)

    package func removeHandover(of item: ItemID, scope: Int64) throws(DocFSError) {
        try connection.run(Self.removeHandover, key(item, scope))
    }

    private static let addIncoming = Query(
        """
        INSERT INTO incoming (device, inode, name, ino, mtime_s, mtime_n, replaced_inode,
          replaced_size, replaced_s, replaced_n)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (ino) DO UPDATE SET mtime_s = excluded.mtime_s, mtime_n = excluded.mtime_n
        """)

    /// Shows a row in a directory of `Local/`; done again, it notes the directory's time.
    ///
    /// Throws `.exists` when another row is shown there.
    package func addIncoming(_ entry: IncomingEntry) throws(DocFSError) {
        changesIncoming = true
        try connection.run(Self.addIncoming) {
            $0.bind(entry.place)
            $0.bind(entry.ino)
            if let modified = entry.directoryModified {
                $0.bind(modified)
            } else {
                $0.bindNull(count: 2)
            }
            if let replaced = entry.replaced {
                $0.bind(Int64(bitPattern: replaced.inode))
                $0.bind(Int64(clamping: replaced.size))
                $0.bind(replaced.modified)
            } else {
                $0.bindNull(count: 4)
            }
        }
    }

    private static let removeIncoming = Query("DELETE FROM incoming WHERE ino = ?")

    package func removeIncoming(ino: Int64) throws(DocFSError) {
        changesIncoming = true
        try connection.run(Self.removeIncoming) { $0.bind(ino) }
    }

    private static let addImport = Query(
        """
        INSERT INTO import (ino, parent, name, hidden, device, inode, origin)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)

    package func addImport(_ entry: ImportEntry) throws(DocFSError) {
        try connection.run(Self.addImport) {
            $0.bind(entry.ino)
            $0.bind(entry.parent)
            $0.bind(entry.name.bytes)
            $0.bind(entry.hidden)
            if let place = entry.exchange { $0.bind(place) } else { $0.bindNull(count: 3) }
        }
    }

    private static let removeImport = Query("DELETE FROM import WHERE ino = ?")

    package func removeImport(ino: Int64) throws(DocFSError) {
        try connection.run(Self.removeImport) { $0.bind(ino) }
    }

    private static let addFilesystem = Query("INSERT INTO filesystem (identity) VALUES (?)")

    package func addFilesystem(_ identity: UInt64) throws(DocFSError) {
        try connection.run(Self.addFilesystem) { $0.bind(Int64(bitPattern: identity)) }
    }
}

extension Statement {
    func bind(_ place: DiskPlace) {
        bind(Int64(bitPattern: place.device))
        bind(Int64(bitPattern: place.inode))
        bind(place.name.bytes)
    }

    func bindNull(count: Int) {
        for _ in 0..<count { bindNull() }
    }
}
