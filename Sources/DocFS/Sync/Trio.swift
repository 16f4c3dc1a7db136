/// One item in the three trees, read in one transaction.
struct Trio {
    let item: ItemID
    var row: LocalItem?
    var local: LocalView?
    var writer = WriterState.none
    var base: ItemState?
    var remote: ItemState?
    var remoteHasChildren = false
    /// Where the row moved on to without the item.
    var handover: Handover?
    /// Its object is not at its path.
    var lodges = false
    /// It is the conflict version that an open document's bytes travel as (S9).
    var standsIn = false

    init(
        _ item: ItemID, scope: ScopeRecord, in read: CatalogReader, replica: any Replica,
        bodies: KnownBodies, fetchFirst: FetchFirst
    ) throws(DocFSError) {
        try self.init(
            item, base: read.state(.base, of: item, scope: scope.id), scope: scope, in: read,
            replica: replica, bodies: bodies, fetchFirst: fetchFirst)
    }

    /// - Parameters:
    ///   - base: what this device and the store have agreed on.
    ///   - bodies: what was found out about the bytes here already.
    ///   - fetchFirst: which newer bodies are brought before they are shown.
    init(
        _ item: ItemID, base: ItemState?, scope: ScopeRecord, in read: CatalogReader,
        replica: any Replica, bodies: KnownBodies, fetchFirst: FetchFirst
    ) throws(DocFSError) {
        self.item = item
        self.base = base
        remote = try read.state(.remote, of: item, scope: scope.id)
        if remote?.kind == .directory {
            remoteHasChildren =
                try !read.remoteChildren(of: item, scope: scope.id, limit: 1).isEmpty
        }
        lodges = try read.lodging(of: item, scope: scope.id) != nil
        row = try read.local(item: item, scope: scope.id)
        if row == nil, base != nil { handover = try read.handover(of: item, scope: scope.id) }
        if row == nil, base != nil || remote != nil {
            standsIn = try Self.standsIn(item, scope.id, in: read)
        }
        guard let row, let kind = row.kind else { return }
        var parent = base?.parent ?? .root
        if let directory = row.parent {
            parent =
                directory == scope.root ? .root : try read.local(directory)?.item ?? parent
        }
        if kind == .file { writer = replica.writer(of: row.ino) }
        local = LocalView(
            row, kind, in: parent, bytes: Self.bytes(of: row, bodies), isHeld: writer != .none,
            hasChildren: kind == .directory ? try read.hasChildren(row.ino) : false)
        if bodies.isLost(row), try read.places(ofSourceOf: row).isEmpty {
            local?.becomeHollow()
        }
        if row.divergence == .written {
            local?.lacksSource = try replica.lacksSource(row, in: read)
        }
        if row.divergence == .none, row.state == .current, row.size > 0,
            let body = remote?.content.body, body.revision != row.basis, body.size > 0
        {
            local?.newer = try Self.newer(body, than: row, fetchFirst, replica, read)
        }
        if kind == .directory, base != nil, remote == nil {
            let children = try read.children(of: row.ino)
            local?.holdsNews = try Self.holdNews(children, of: item, in: read)
            local?.holdsOnlyScratch = !children.isEmpty && children.allSatisfy(\.isExcluded)
        }
        if kind == .directory, let base, base.parent != parent {
            local?.wouldHoldItself = try Self.lies(parent, below: item, scope.id, in: read)
        }
    }

    /// The same item once it is here as the store has it, as reading it again would tell.
    ///
    /// - Parameter row: made in this transaction, as a placeholder: nobody has opened it, and
    ///   nothing is in it.
    func shown(as row: LocalItem) -> Trio? {
        guard let remote, let kind = row.kind else { return nil }
        var trio = self
        trio.row = row
        trio.local = LocalView(
            row, kind, in: remote.parent, bytes: .same, isHeld: false, hasChildren: false)
        trio.base = remote
        (trio.handover, trio.standsIn) = (nil, false)
        return trio
    }

    /// What is to become of the bytes of a row that are here, now that the store has others.
    private static func newer(
        _ body: Body, than row: LocalItem, _ fetchFirst: FetchFirst, _ replica: any Replica,
        _ read: CatalogReader
    ) throws(DocFSError) -> LocalView.NewerBody {
        let known = try read.namelessRow(.newer, of: row.item, scope: row.scope)
        var fetches = NewerFetches()
        if known?.sourceRevision == body.revision {
            if known?.state == .current { return .here }
            // It has been asked for: only the option may speak against it by now.
        } else {
            fetches = try read.newerFetches(of: row.item, scope: row.scope)
            if fetches.used != replica.lastUse(of: row) { fetches.count = 0 }
            if let known, Self.isSuperseded(known) { fetches.superseded += 1 }
        }
        let applies = fetchFirst.applies(
            isPinned: try read.isPinned(row), size: body.size, fetches: fetches.count,
            superseded: fetches.superseded)
        return applies ? .missing : .unwanted
    }

    /// Whether a newer body would have come, had yet a newer one not taken its place.
    static func isSuperseded(_ newer: LocalItem) -> Bool {
        newer.state != .current && newer.error == nil
    }

    private static func standsIn(_ item: ItemID, _ scope: Int64, in read: CatalogReader)
        throws(DocFSError) -> Bool
    {
        guard let standIn = try read.standIn(by: item, scope: scope),
            let row = try read.local(standIn.ino)
        else { return false }
        return row.item == standIn.document && row.parent != nil
    }

    /// Whether something among a directory's entries is new here, came back as an edit, or was
    /// moved into it.
    private static func holdNews(
        _ children: [LocalItem], of directory: ItemID, in read: CatalogReader
    ) throws(DocFSError) -> Bool {
        for child in children where !child.isExcluded {
            guard let base = try read.state(.base, of: child.item, scope: child.scope) else {
                return true
            }
            if base.parent != directory,
                try read.state(.remote, of: child.item, scope: child.scope) != nil
            {
                return true
            }
        }
        return false
    }

    /// Whether the store has `directory` at or below `item`.
    private static func lies(
        _ directory: ItemID, below item: ItemID, _ scope: Int64, in read: CatalogReader
    ) throws(DocFSError) -> Bool {
        var next = directory
        for _ in 0...ItemPath.maximumDepth where next != .root {
            if next == item { return true }
            guard let state = try read.state(.remote, of: next, scope: scope) else { break }
            next = state.parent
        }
        return false
    }

    private static func bytes(of row: LocalItem, _ bodies: KnownBodies) -> LocalView.Bytes {
        switch row.divergence {
        case .none: .same
        case .stored:
            .changed(digest: row.sourceDigest ?? bodies.digest(of: row), size: row.size)
        case .written: .changed(digest: bodies.digest(of: row), size: row.size)
        }
    }

    /// The step that planning wants.
    var step: Step {
        Planner.step(
            local: local, base: base, remote: remote, remoteHasChildren: remoteHasChildren,
            standsIn: standsIn, lodges: lodges)
    }

    /// Whether the item was moved or deleted here, which may be one half of a save.
    var isAwayFromBase: Bool {
        guard let base else { return false }
        guard let local else { return true }
        return local.parent != base.parent || local.name != base.name
    }
}

extension LocalView {
    fileprivate init(
        _ row: LocalItem, _ kind: ItemKind, in parent: ItemID, bytes: Bytes, isHeld: Bool,
        hasChildren: Bool
    ) {
        self.init(
            parent: parent, name: row.name, metadata: row.metadata, kind: kind,
            target: row.target, bytes: bytes, basis: row.basis, conflictOf: row.conflictOf,
            isHeld: isHeld, isExcluded: row.isExcluded, isDeparting: row.isDeparting,
            hasChildren: hasChildren)
    }
}
