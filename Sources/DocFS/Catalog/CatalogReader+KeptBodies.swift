/// How rows of the tables `version` and `trash` are read.
extension VersionRecord {
    init(row: Statement) {
        self.init(
            item: row.identifier(ItemID.self) ?? .root, revision: Revision(row.text() ?? ""),
            path: ItemPath(bytes: row.bytes()), size: UInt64(clamping: row.int()),
            digest: row.optionalBytes().flatMap { Digest(bytes: $0) },
            modified: row.timestamp(), device: row.text() ?? "", recorded: row.int(),
            mode: row.optionalInt().map { UInt16(truncatingIfNeeded: $0) },
            ownership: Ownership(row: row), saver: Saver(row: row))
    }
}

extension TrashRecord {
    init(row: Statement) {
        let operation = row.identifier(OperationID.self) ?? OperationID(high: 0, low: 0)
        let item = row.identifier(ItemID.self) ?? .root
        let path = ItemPath(bytes: row.bytes())
        let place = ItemPath(bytes: row.bytes())
        let kind = ItemKind(rawValue: UInt8(clamping: row.int())) ?? .file
        let mode = UInt16(clamping: row.int())
        let modified = row.timestamp()
        let metadata = Metadata(
            mode: mode, modified: modified,
            attributes: AttributeCoding.decode(row.optionalBytes()))
        let size = UInt64(clamping: row.int())
        let digest = row.optionalBytes().flatMap { Digest(bytes: $0) }
        let revision = Revision(row.text() ?? "")
        let target = row.optionalBytes()
        let content: ItemContent =
            switch kind {
            case .file: .file(Body(size: size, digest: digest, revision: revision))
            case .directory: .directory
            case .symlink: .symlink(target: target ?? [], revision: revision)
            }
        self.init(
            operation: operation, item: item, path: path, place: place, metadata: metadata,
            content: content, recorded: row.int(),
            ownership: Ownership(row: row),
            directory: row.identifier(ItemID.self))
    }
}

extension Ownership {
    /// From three columns that are `NULL` together.
    fileprivate init?(row: Statement) {
        let (user, group, mode) = (row.optionalInt(), row.optionalInt(), row.optionalInt())
        guard let user, let group, let mode else { return nil }
        self.init(
            user: UInt32(truncatingIfNeeded: user), group: UInt32(truncatingIfNeeded: group),
            mode: UInt32(truncatingIfNeeded: mode))
    }
}

/// Whose stored items were.
extension CatalogReader {
    private static let former = Query(
        "SELECT revision, owner, grp, held FROM former WHERE scope = ? AND item = ?")

    /// Whose the bytes were on this device that the store has of `item` as `revision`; a directory
    /// has none.
    ///
    /// - Returns: `nil` where that is not known for certain: two users have had the document, and
    ///   nothing says whose these bytes were.
    package func ownership(of item: ItemID, revision: Revision?, scope: Int64)
        throws(DocFSError) -> Ownership?
    {
        let token = revision?.token ?? ""
        var known = try connection.all(Self.former, key(item, scope)) {
            (revision: $0.text() ?? "", ownership: Ownership(row: $0))
        }
        if let row = try local(item: item, scope: scope), row.parent != nil {
            let isThat = row.divergence == .none && row.basis == revision
            known.append((isThat ? token : "", row.ownership))
        }
        let exact = known.filter { $0.revision == token }
        let those = (exact.isEmpty ? known : exact).map(\.ownership)
        return those.dropFirst().reduce(those.first ?? nil) { result, next in
            next.flatMap { result?.merged(with: $0) }
        }
    }

    private static let keptAtRevision = Query(
        """
        SELECT path FROM version WHERE scope = ?1 AND revision = ?2
        UNION SELECT place FROM trash WHERE scope = ?1 AND revision = ?2 LIMIT 4
        """)

    /// A few of the places where the container keeps what any item was at a revision.
    ///
    /// Goes through all versions and all of the trash.
    package func keptPlaces(at revision: Revision, scope: Int64) throws(DocFSError) -> [ItemPath] {
        try connection.all(
            Self.keptAtRevision,
            {
                $0.bind(scope)
                $0.bind(revision.token)
            }
        ) { ItemPath(bytes: $0.bytes()) }
    }

    /// Where the stored body that a row is made of is, or was put, as far as records tell.
    ///
    /// Goes through all items, versions and trash where nothing nearer has it.
    package func places(ofSourceOf row: LocalItem) throws(DocFSError) -> Set<ItemPath> {
        guard let item = row.sourceItem, let revision = row.sourceRevision else { return [] }
        let scope = row.sourceScope ?? row.scope
        var places: Set<ItemPath> = []
        if let version = try version(of: item, revision: revision, scope: scope) {
            places.insert(version.path)
        }
        for trash in try trash(of: item, scope: scope) where trash.content.revision == revision {
            places.insert(trash.place)
        }
        if !places.isEmpty { return places }
        let state = try state(.remote, of: item, scope: scope)
        let others =
            state?.content.revision == revision
            ? [item] : try remoteItems(at: revision, scope: scope)
        for other in others {
            if let path = try objectPath(of: other, scope: scope) { places.insert(path) }
        }
        if places.isEmpty { places.formUnion(try keptPlaces(at: revision, scope: scope)) }
        return places
    }
}
