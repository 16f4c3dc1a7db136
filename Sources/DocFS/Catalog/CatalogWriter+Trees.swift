extension CatalogWriter {
    private static let stateColumns = """
        scope, item, parent, name, kind, mode, mtime_s, mtime_n, attributes, size, digest, \
        revision, target, conflict_of, conflict_base
        """

    // Not INSERT OR REPLACE: that would silently delete another item of the same entry.
    private static let setBase = upsert("base")
    private static let setRemote = upsert("remote")

    private static func upsert(_ table: String) -> Query {
        Query(
            """
            INSERT INTO \(table) (\(stateColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (scope, item) DO UPDATE SET parent = excluded.parent,
              name = excluded.name, kind = excluded.kind, mode = excluded.mode,
              mtime_s = excluded.mtime_s, mtime_n = excluded.mtime_n,
              attributes = excluded.attributes, size = excluded.size,
              digest = excluded.digest, revision = excluded.revision,
              target = excluded.target, conflict_of = excluded.conflict_of,
              conflict_base = excluded.conflict_base
            """)
    }

    private static let removeBase = Query("DELETE FROM base WHERE scope = ? AND item = ?")
    private static let removeRemote = Query("DELETE FROM remote WHERE scope = ? AND item = ?")

    /// Sets what `tree` has of `item`; `nil` removes it.
    ///
    /// Throws `.exists` when another item has the same entry in the remote tree.
    package func setState(_ tree: Tree, of item: ItemID, scope: Int64, to state: ItemState?)
        throws(DocFSError)
    {
        guard let state else {
            return try connection.run(
                tree == .base ? Self.removeBase : Self.removeRemote, key(item, scope))
        }
        try connection.run(tree == .base ? Self.setBase : Self.setRemote) {
            $0.bind(scope)
            $0.bind(item)
            state.bind(to: $0)
        }
    }

    private static let freeRemoteName = Query(
        """
        UPDATE remote SET name = CAST(x'00' || item AS BLOB)
        WHERE scope = ? AND parent = ? AND name = ? AND item > ?
        """)

    /// Takes the name that the remote tree is about to have `item` under from a later item that has
    /// it there: until that one has another, it has none.
    package func freeRemoteName(of state: ItemState, for item: ItemID, scope: Int64)
        throws(DocFSError)
    {
        try connection.run(Self.freeRemoteName) {
            $0.bind(scope)
            $0.bind(state.parent)
            $0.bind(state.name.bytes)
            $0.bind(item)
        }
    }

    // MARK: Choices

    private static let addChoice = Query(
        """
        INSERT OR REPLACE INTO choice (scope, document, sibling, revision)
        SELECT scope, conflict_of, item, basis FROM local WHERE scope = ? AND conflict_of = ?
          AND parent IS NOT NULL AND divergence = 0 AND basis IS NOT NULL
        """)

    /// The user has chosen among the versions of `document`: its conflict versions, as they are
    /// here now, are to go.
    package func addChoice(for document: ItemID, scope: Int64) throws(DocFSError) {
        try connection.run(Self.addChoice, key(document, scope))
    }

    private static let removeChoice = Query(
        "DELETE FROM choice WHERE scope = ? AND document = ?", in: .choice)

    package func removeChoice(for document: ItemID, scope: Int64) throws(DocFSError) {
        try connection.run(Self.removeChoice, key(document, scope))
    }

    // MARK: Journal

    private static let addJournal = Query(
        "INSERT OR REPLACE INTO journal (operation, scope, item, effect) VALUES (?, ?, ?, ?)")

    package func addJournal(_ entry: JournalEntry) throws(DocFSError) {
        try connection.run(Self.addJournal) {
            $0.bind(entry.operation)
            $0.bind(entry.scope)
            $0.bind(entry.item)
            $0.bind(entry.effect)
        }
    }

    private static let removeJournal = Query(
        "DELETE FROM journal WHERE operation = ?", in: .journal)

    package func removeJournal(_ operation: OperationID) throws(DocFSError) {
        try connection.run(Self.removeJournal) { $0.bind(operation) }
    }

    // MARK: Versions and trash

    private static let addVersion = Query(
        """
        INSERT INTO version (scope, item, revision, path, size, digest, mtime_s, mtime_n, device,
          recorded, mode, owner, grp, held, saver, saved)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (scope, item, revision) DO UPDATE SET path = excluded.path,
          size = excluded.size, digest = excluded.digest, mtime_s = excluded.mtime_s,
          mtime_n = excluded.mtime_n, device = excluded.device, recorded = excluded.recorded,
          mode = ifnull(excluded.mode, mode), owner = ifnull(excluded.owner, owner),
          grp = ifnull(excluded.grp, grp), held = ifnull(excluded.held, held),
          saver = ifnull(excluded.saver, saver), saved = ifnull(excluded.saved, saved)
        """)

    /// Of one that is known, only what `version` does not know stays: its mode, whose it was, and
    /// who saved it.
    package func addVersion(_ version: VersionRecord, scope: Int64) throws(DocFSError) {
        try connection.run(Self.addVersion) {
            $0.bind(scope)
            $0.bind(version.item)
            $0.bind(version.revision.token)
            $0.bind(version.path.bytes)
            $0.bind(Int64(clamping: version.size))
            $0.bind(version.digest?.bytes)
            $0.bind(version.modified)
            $0.bind(version.device)
            $0.bind(version.recorded)
            $0.bind(version.mode.map(Int64.init))
            $0.bind(version.ownership)
            $0.bind(version.saver?.device)
            $0.bind(version.saver?.time)
        }
        try connection.run(Self.removeFormer) {
            $0.bind(scope)
            $0.bind(version.item)
            $0.bind(version.revision.token)
        }
    }

    private static let removeFormer = Query(
        "DELETE FROM former WHERE scope = ? AND item = ? AND revision = ?")

    private static let addTrash = Query(
        """
        INSERT INTO trash (scope, operation, item, path, place, kind, mode, mtime_s, mtime_n,
          attributes, size, digest, revision, target, recorded, owner, grp, held, directory)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (scope, operation, item) DO UPDATE SET path = excluded.path,
          place = excluded.place, kind = excluded.kind, mode = excluded.mode,
          mtime_s = excluded.mtime_s, mtime_n = excluded.mtime_n,
          attributes = excluded.attributes, size = excluded.size, digest = excluded.digest,
          revision = excluded.revision, target = excluded.target, recorded = excluded.recorded,
          owner = ifnull(excluded.owner, owner), grp = ifnull(excluded.grp, grp),
          held = ifnull(excluded.held, held), directory = ifnull(excluded.directory, directory)
        """)

    /// Of one that is known, only what `trash` does not know stays: whose it was, and what held it.
    package func addTrash(_ trash: TrashRecord, scope: Int64) throws(DocFSError) {
        try connection.run(Self.addTrash) {
            $0.bind(scope)
            $0.bind(trash.operation)
            $0.bind(trash.item)
            $0.bind(trash.path.bytes)
            $0.bind(trash.place.bytes)
            $0.bind(Int64(trash.content.kind.rawValue))
            ItemState.bind(trash.metadata, trash.content, to: $0)
            $0.bind(trash.recorded)
            $0.bind(trash.ownership)
            $0.bind(trash.directory)
        }
    }

    private static let removeKeptBody = [
        Query("DELETE FROM version WHERE scope = ? AND path = ?"),
        Query("DELETE FROM trash WHERE scope = ? AND place = ?"),
    ]

    /// The container keeps nothing at `path` any longer.
    package func removeKeptBody(at path: ItemPath, scope: Int64) throws(DocFSError) {
        for query in Self.removeKeptBody {
            try connection.run(query) {
                $0.bind(scope)
                $0.bind(path.bytes)
            }
        }
    }

    private static let removeDeletedDirectory = Query(
        "DELETE FROM trash WHERE scope = ? AND operation = ? AND path = ? AND kind = ?")

    /// A deleted directory cannot be restored any more.
    package func removeTrash(
        ofDirectory path: ItemPath, operation: OperationID, scope: Int64
    ) throws(DocFSError) {
        try connection.run(Self.removeDeletedDirectory) {
            $0.bind(scope)
            $0.bind(operation)
            $0.bind(path.bytes)
            $0.bind(Int64(ItemKind.directory.rawValue))
        }
    }

    private static let removeTrash = Query(
        "DELETE FROM trash WHERE scope = ? AND operation = ? AND item = ?")

    package func removeTrash(_ trash: TrashRecord, scope: Int64) throws(DocFSError) {
        try connection.run(Self.removeTrash) {
            $0.bind(scope)
            $0.bind(trash.operation)
            $0.bind(trash.item)
        }
    }
}

extension Statement {
    fileprivate func bind(_ ownership: Ownership?) {
        bind(ownership.map { Int64($0.user) })
        bind(ownership.map { Int64($0.group) })
        bind(ownership.map { Int64($0.mode) })
    }
}

extension ItemState {
    /// Binds the columns from `parent` to `conflict_base`.
    fileprivate func bind(to statement: Statement) {
        statement.bind(parent)
        statement.bind(name.bytes)
        statement.bind(Int64(kind.rawValue))
        ItemState.bind(metadata, content, to: statement)
        statement.bind(conflictOf)
    }

    /// Binds the columns from `mode` to `target`.
    fileprivate static func bind(
        _ metadata: Metadata, _ content: ItemContent, to statement: Statement
    ) {
        statement.bind(Int64(metadata.mode))
        statement.bind(metadata.modified)
        statement.bind(AttributeCoding.encode(metadata.attributes))
        var size: UInt64 = 0
        var digest: Digest?
        var target: [UInt8]?
        switch content {
        case .file(let body):
            size = body.size
            digest = body.digest
        case .symlink(let bytes, _): target = bytes
        case .directory: break
        }
        statement.bind(Int64(clamping: size))
        statement.bind(digest?.bytes)
        statement.bind(content.revision?.token)
        statement.bind(target)
    }
}
