extension CatalogReader {
    private static let stateColumns = """
        parent, name, kind, mode, mtime_s, mtime_n, attributes, size, digest, revision, target, \
        conflict_of, conflict_base
        """

    private static let base = Query(
        "SELECT \(stateColumns) FROM base WHERE scope = ? AND item = ?")
    private static let remote = Query(
        "SELECT \(stateColumns) FROM remote WHERE scope = ? AND item = ?")

    /// What `tree` has of `item`.
    ///
    /// The root is in no tree.
    package func state(_ tree: Tree, of item: ItemID, scope: Int64) throws(DocFSError)
        -> ItemState?
    {
        let query = tree == .base ? Self.base : Self.remote
        return try connection.first(
            query,
            key(item, scope)
        ) { ItemState(row: $0) } ?? nil
    }

    private static let remoteChild = Query(
        "SELECT item FROM remote WHERE scope = ? AND parent = ? AND name = ?")

    /// The item that the store has under a name.
    package func remoteChild(_ name: Name, of parent: ItemID, scope: Int64) throws(DocFSError)
        -> ItemID?
    {
        try connection.first(
            Self.remoteChild,
            {
                $0.bind(scope)
                $0.bind(parent)
                $0.bind(name.bytes)
            }
        ) { $0.identifier(ItemID.self) } ?? nil
    }

    private static let remoteChildren = Query(
        "SELECT item FROM remote WHERE scope = ? AND parent = ? LIMIT ?")

    /// The items that the store has in a directory.
    package func remoteChildren(of parent: ItemID, scope: Int64, limit: Int = .max)
        throws(DocFSError) -> [ItemID]
    {
        try items(Self.remoteChildren, scope, parent, limit)
    }

    private static let remoteStates = Query(
        "SELECT item, \(stateColumns) FROM remote WHERE scope = ? AND parent = ?")

    /// The items that the store has in a directory, and how it has them.
    package func remoteStates(in parent: ItemID, scope: Int64) throws(DocFSError)
        -> [(item: ItemID, state: ItemState)]
    {
        try connection.all(Self.remoteStates, key(parent, scope)) { row in
            row.identifier(ItemID.self).flatMap { item in
                ItemState(row: row).map { (item, $0) }
            }
        }.compactMap(\.self)
    }

    private static let remoteParent = Query(
        "SELECT parent FROM remote WHERE scope = ? AND item = ?")

    /// The directory that the store has an item in; `nil` when it has no such item.
    package func remoteParent(of item: ItemID, scope: Int64) throws(DocFSError) -> ItemID? {
        try connection.first(Self.remoteParent, key(item, scope)) { $0.identifier(ItemID.self) }
            ?? nil
    }

    private static let remoteDirectories = Query(
        """
        SELECT item FROM remote
        WHERE scope = ? AND parent = ? AND kind = \(ItemKind.directory.rawValue)
        """)

    /// The directories that the store has in a directory.
    package func remoteDirectories(in parent: ItemID, scope: Int64) throws(DocFSError) -> [ItemID] {
        try connection.all(Self.remoteDirectories, key(parent, scope)) {
            $0.identifier(ItemID.self) ?? .root
        }
    }

    private static let remoteEntries = Query(
        """
        SELECT item, name, kind FROM remote WHERE scope = ? AND parent = ? AND name > ?
        ORDER BY name LIMIT ?
        """)

    /// What the store has in a directory, in the order of the names and page by page.
    package func remoteEntries(
        of parent: ItemID, scope: Int64, after name: Name, limit: Int
    ) throws(DocFSError) -> [(item: ItemID, name: Name, isDirectory: Bool)] {
        try connection.all(
            Self.remoteEntries,
            {
                $0.bind(scope)
                $0.bind(parent)
                $0.bind(name.bytes)
                $0.bind(Int64(limit))
            }
        ) {
            (
                $0.identifier(ItemID.self) ?? .root, Name($0.bytes()),
                $0.int() == Int64(ItemKind.directory.rawValue)
            )
        }
    }

    private static let remoteCount = Query("SELECT count(*) FROM remote WHERE scope = ?")

    /// How many items the store has.
    package func remoteCount(scope: Int64) throws(DocFSError) -> Int {
        try connection.first(Self.remoteCount, { $0.bind(scope) }) { Int($0.int()) } ?? 0
    }

    private static let remoteItems = Query(
        "SELECT item FROM remote WHERE scope = ? AND item > ? ORDER BY item LIMIT ?")

    /// All items that the store has, page by page.
    package func remoteItems(scope: Int64, after item: ItemID = .root, limit: Int)
        throws(DocFSError) -> [ItemID]
    {
        try items(Self.remoteItems, scope, item, limit)
    }

    private static let baseItems = Query(
        "SELECT item FROM base WHERE scope = ? AND item > ? ORDER BY item LIMIT ?")

    /// All items that this device and the store agreed on last, page by page.
    package func baseItems(scope: Int64, after item: ItemID = .root, limit: Int)
        throws(DocFSError) -> [ItemID]
    {
        try items(Self.baseItems, scope, item, limit)
    }

    /// The items that a query finds of a scope and one item, in it or after it.
    func items(_ query: Query, _ scope: Int64, _ item: ItemID, _ limit: Int)
        throws(DocFSError) -> [ItemID]
    {
        try connection.all(
            query,
            {
                $0.bind(scope)
                $0.bind(item)
                $0.bind(Int64(limit))
            }
        ) { $0.identifier(ItemID.self) ?? .root }
    }

    private static let remoteConflicts = Query(
        """
        SELECT conflict_of, digest FROM remote
        WHERE scope = ? AND conflict_of IS NOT NULL AND digest IS NOT NULL
        """)

    /// What the store has as conflict versions, by the items that they are versions of.
    ///
    /// Goes through all items.
    package func remoteConflicts(scope: Int64) throws(DocFSError) -> [ItemID: Set<Digest>] {
        var found: [ItemID: Set<Digest>] = [:]
        let rows = try connection.all(Self.remoteConflicts, { $0.bind(scope) }) {
            ($0.identifier(ItemID.self), Digest(bytes: $0.bytes()))
        }
        for case (let item?, let digest?) in rows { found[item, default: []].insert(digest) }
        return found
    }

    /// The path of an item in the remote tree; `nil` when a part of it is not there, or has no name
    /// just now (``CatalogWriter/freeRemoteName(of:for:scope:)``).
    package func remotePath(of item: ItemID, scope: Int64) throws(DocFSError) -> ItemPath? {
        var names: [Name] = []
        var next = item
        while next != .root {
            guard names.count < ItemPath.maximumDepth,
                let state = try state(.remote, of: next, scope: scope),
                state.name.bytes.first != 0
            else { return nil }
            names.append(state.name)
            next = state.parent
        }
        return ItemPath(names.reversed())
    }

    /// The item that the remote tree has at a path; the root's for the empty path.
    package func remoteItem(at path: ItemPath, scope: Int64) throws(DocFSError) -> ItemID? {
        var item = ItemID.root
        for name in path.components {
            guard let next = try remoteChild(name, of: item, scope: scope) else { return nil }
            item = next
        }
        return item
    }

    private static let atRevision = Query(
        "SELECT item FROM remote WHERE scope = ? AND revision = ? LIMIT 4")

    /// A few of the items that the remote tree has at a revision.
    ///
    /// Goes through all items.
    package func remoteItems(at revision: Revision, scope: Int64) throws(DocFSError) -> [ItemID] {
        try connection.all(
            Self.atRevision,
            {
                $0.bind(scope)
                $0.bind(revision.token)
            }
        ) { $0.identifier(ItemID.self) ?? .root }
    }

    // MARK: Pending

    private static let pending = Query("SELECT item FROM pending WHERE scope = ? LIMIT ?")

    /// The items that are to be planned; some of them, where there are more than `limit`.
    package func pending(scope: Int64, limit: Int = .max) throws(DocFSError) -> [ItemID] {
        try connection.all(
            Self.pending,
            {
                $0.bind(scope)
                $0.bind(Int64(limit))
            }, { $0.identifier(ItemID.self) ?? .root })
    }

    private static let isPending = Query("SELECT 1 FROM pending WHERE scope = ? AND item = ?")

    package func isPending(_ item: ItemID, scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.isPending, key(item, scope))
    }

    /// Whether the store has, or may be about to have, an item.
    package func isStored(_ item: ItemID, scope: Int64) throws(DocFSError) -> Bool {
        if try state(.base, of: item, scope: scope) != nil { return true }
        if try state(.remote, of: item, scope: scope) != nil { return true }
        return try isJournalled(item, scope: scope)
    }

    private static let choice = Query(
        "SELECT sibling, revision FROM choice WHERE scope = ? AND document = ?", in: .choice)

    /// The conflict versions that a choice clears, and their revisions when it was made.
    package func choice(for document: ItemID, scope: Int64) throws(DocFSError)
        -> [(sibling: ItemID, revision: Revision)]
    {
        try connection.all(
            Self.choice,
            key(document, scope)
        ) { ($0.identifier(ItemID.self) ?? .root, Revision($0.text() ?? "")) }
    }

    // MARK: Versions and trash

    private static let versionColumns = """
        item, revision, path, size, digest, mtime_s, mtime_n, device, recorded, mode, owner, grp, \
        held, saver, saved
        """

    private static let versions = Query(
        "SELECT \(versionColumns) FROM version WHERE scope = ? AND item = ? ORDER BY recorded")

    /// The earlier bodies of a document, the oldest first.
    package func versions(of item: ItemID, scope: Int64) throws(DocFSError) -> [VersionRecord] {
        try connection.all(
            Self.versions,
            key(item, scope), VersionRecord.init(row:))
    }

    private static let allVersions = Query(
        """
        SELECT \(versionColumns) FROM version WHERE scope = ? AND (item, revision) > (?, ?)
        ORDER BY item, revision LIMIT ?
        """)

    /// The earlier bodies of all documents, page by page.
    package func versions(scope: Int64, after last: VersionRecord?, limit: Int)
        throws(DocFSError) -> [VersionRecord]
    {
        try connection.all(
            Self.allVersions,
            {
                $0.bind(scope)
                $0.bind(last?.item ?? .root)
                $0.bind(last?.revision.token ?? "")
                $0.bind(Int64(limit))
            }, VersionRecord.init(row:))
    }

    private static let version = Query(
        "SELECT \(versionColumns) FROM version WHERE scope = ? AND item = ? AND revision = ?")

    /// One earlier body of a document.
    package func version(of item: ItemID, revision: Revision, scope: Int64) throws(DocFSError)
        -> VersionRecord?
    {
        try connection.first(
            Self.version,
            {
                $0.bind(scope)
                $0.bind(item)
                $0.bind(revision.token)
            }, VersionRecord.init(row:))
    }

    private static let versionAtPath = Query(
        "SELECT \(versionColumns) FROM version WHERE scope = ? AND path = ?")

    /// The earlier body that the container keeps at a path.
    package func version(at path: ItemPath, scope: Int64) throws(DocFSError) -> VersionRecord? {
        try connection.first(
            Self.versionAtPath,
            {
                $0.bind(scope)
                $0.bind(path.bytes)
            }, VersionRecord.init(row:))
    }

    private static let trashColumns = """
        operation, item, path, place, kind, mode, mtime_s, mtime_n, attributes, size, digest, \
        revision, target, recorded, owner, grp, held, directory
        """

    private static let trash = Query(
        """
        SELECT \(trashColumns) FROM trash WHERE scope = ? AND (operation, item) > (?, ?)
        ORDER BY operation, item LIMIT ?
        """)

    /// The deleted documents of a scope, page by page.
    package func trash(scope: Int64, after last: TrashRecord?, limit: Int)
        throws(DocFSError) -> [TrashRecord]
    {
        try connection.all(
            Self.trash,
            {
                $0.bind(scope)
                $0.bind(last?.operation.bytes ?? [])
                $0.bind(last?.item ?? .root)
                $0.bind(Int64(limit))
            }, TrashRecord.init(row:))
    }

    private static let trashOfItem = Query(
        "SELECT \(trashColumns) FROM trash WHERE scope = ? AND item = ? ORDER BY recorded DESC",
        in: .trash)

    package func trash(of item: ItemID, scope: Int64) throws(DocFSError) -> [TrashRecord] {
        try connection.all(
            Self.trashOfItem,
            key(item, scope), TrashRecord.init(row:))
    }

    private static let oneTrash = Query(
        "SELECT \(trashColumns) FROM trash WHERE scope = ? AND operation = ? AND item = ?")

    /// One deleted document.
    package func trash(of item: ItemID, operation: OperationID, scope: Int64) throws(DocFSError)
        -> TrashRecord?
    {
        try connection.first(
            Self.oneTrash,
            {
                $0.bind(scope)
                $0.bind(operation)
                $0.bind(item)
            }, TrashRecord.init(row:))
    }

    private static let anyTrash = Query(
        "SELECT 1 FROM trash WHERE scope = ? AND operation = ? LIMIT 1")

    /// Whether a record tells of anything that `operation` has put into the trash.
    package func hasTrash(of operation: OperationID, scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.anyTrash) {
            $0.bind(scope)
            $0.bind(operation)
        }
    }

    private static let restorable = Query(
        """
        SELECT \(trashColumns) FROM trash INDEXED BY trash_path
        WHERE scope = ? AND path >= ? AND path < ? AND NOT EXISTS (
          SELECT 1 FROM local WHERE local.item = trash.item AND local.scope = trash.scope
            AND (local.parent IS NOT NULL OR local.departing = 1))
        ORDER BY path, recorded, operation, item
        """)

    /// Hands over what can be restored, in the order of the bytes of the paths from `lower` to
    /// below `upper`, until `each` answers false: the deleted items that are not shown here again.
    package func restorable(
        scope: Int64, from lower: [UInt8], to upper: [UInt8], _ each: (TrashRecord) -> Bool
    ) throws(DocFSError) {
        try connection.each(
            Self.restorable,
            {
                $0.bind(scope)
                $0.bind(lower)
                $0.bind(upper)
            }
        ) { each(TrashRecord(row: $0)) }
    }

    /// What can be restored of what was at `path` or below it, in the order of the paths.
    package func restorable(scope: Int64, atOrBelow path: ItemPath)
        throws(DocFSError) -> [TrashRecord]
    {
        var records: [TrashRecord] = []
        let note = { (record: TrashRecord) in
            if record.path.isAtOrBelow(path) { records.append(record) }
            return true
        }
        // Behind every path that begins like this one.
        let end = path.bytes + [UInt8](repeating: 0xFF, count: Name.maximumLength + 1)
        try restorable(scope: scope, from: path.bytes, to: end, note)
        return records
    }

    private static let trashAtPlace = Query(
        "SELECT \(trashColumns) FROM trash WHERE scope = ? AND place = ?")

    /// The deleted document whose body lies at `place`.
    package func trash(at place: ItemPath, scope: Int64) throws(DocFSError) -> TrashRecord? {
        try connection.first(
            Self.trashAtPlace,
            {
                $0.bind(scope)
                $0.bind(place.bytes)
            }, TrashRecord.init(row:))
    }

    /// Whether an item is shown on this device, or just leaving for another scope.
    package func isShown(_ item: ItemID, scope: Int64) throws(DocFSError) -> Bool {
        guard let row = try local(item: item, scope: scope) else { return false }
        return row.parent != nil || row.isDeparting
    }
}

extension ItemState {
    /// Reads the columns of ``CatalogReader`` in their order; `nil` for an unknown kind.
    init?(row: Statement) {
        let parent = row.identifier(ItemID.self) ?? .root
        let name = Name(row.bytes())
        let kind = ItemKind(rawValue: UInt8(clamping: row.int()))
        let mode = UInt16(clamping: row.int())
        let modified = row.timestamp()
        let attributes = AttributeCoding.decode(row.optionalBytes())
        let size = UInt64(clamping: row.int())
        let digest = row.optionalBytes().flatMap { Digest(bytes: $0) }
        let revision = row.text().map(Revision.init)
        let target = row.optionalBytes()
        let conflictOf = ConflictMark(row: row)
        let content: ItemContent
        switch (kind, revision) {
        case (.file, let revision?):
            content = .file(Body(size: size, digest: digest, revision: revision))
        case (.symlink, let revision?):
            content = .symlink(target: target ?? [], revision: revision)
        case (.directory, _): content = .directory
        default: return nil
        }
        self.init(
            parent: parent, name: name,
            metadata: Metadata(mode: mode, modified: modified, attributes: attributes),
            content: content, conflictOf: conflictOf)
    }
}
