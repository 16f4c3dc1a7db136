/// Makes the effect that carries out a step about the store, from what the trees have now.
struct EffectMaker {
    /// What came of it.
    enum Outcome {
        case effect(Effect)
        /// Another item has to be planned or acknowledged first.
        case waitsFor(ItemID)
        /// Nothing to be done, or not now.
        case blocked
    }

    let read: CatalogReader
    let scope: ScopeRecord
    let operation: OperationID
    /// `YYYY-MM-DD`, for the trash.
    let day: String
    /// The store moves objects with their items.
    let objectsMove: Bool
    /// For a conflict version that is made.
    let sibling: Sibling

    /// - Parameter snapshot: the bytes to be sent, for a file that is created or replaced and whose
    ///   body the store does not have.
    func make(_ step: Step, for trio: Trio, snapshot: Snapshot?) throws(DocFSError) -> Outcome {
        switch step {
        case .create: try create(trio, snapshot)
        case .replace: try replace(trio, snapshot)
        case .move: try move(trio)
        case .bringHome: try bringHome(trio)
        case .describe: try describe(trio)
        case .remove: try remove(trio)
        case .sendAside: try sendAside(trio, snapshot)
        default: .blocked
        }
    }

    /// Where the container has a directory; `nil` where it has none, or by now something else under
    /// its identity, below which a store of objects would take whatever is put there.
    private func directory(_ item: ItemID) throws(DocFSError) -> ItemPath? {
        if item != .root,
            try read.state(.remote, of: item, scope: scope.id)?.kind != .directory
        {
            return nil
        }
        return try read.remotePath(of: item, scope: scope.id)
    }

    private func create(_ trio: Trio, _ snapshot: Snapshot?) throws(DocFSError) -> Outcome {
        guard let local = trio.local, let row = trio.row else { return .blocked }
        guard let directory = try directory(local.parent) else {
            return .waitsFor(local.parent)
        }
        var name = local.name
        if let taken = try read.remoteChild(name, of: local.parent, scope: scope.id) {
            guard try waits(taken, for: trio.item) else { return .waitsFor(taken) }
            name = Self.exchangeName(of: trio.item)
        }
        if let hindrance = try hindrance(at: directory.appending(name), for: local.kind) {
            return .waitsFor(hindrance.lodger)
        }
        guard let content = content(row, local, snapshot) else { return .blocked }
        try checkDepth(of: local.kind, in: directory, levels: 0)
        return .effect(
            Effect(
                verb: .create, operation: operation, item: trio.item, before: nil,
                after: ItemState(
                    parent: local.parent, name: name, metadata: local.metadata,
                    content: content, conflictOf: local.conflictOf),
                kind: local.kind, path: directory.appending(name),
                source: try source(of: row)))
    }

    private func replace(_ trio: Trio, _ snapshot: Snapshot?) throws(DocFSError) -> Outcome {
        guard let local = trio.local, let row = trio.row, let remote = trio.remote,
            let revision = remote.content.revision,
            let path = try read.objectPath(of: trio.item, scope: scope.id),
            let content = content(row, local, snapshot)
        else { return .blocked }
        var after = remote
        after.content = content
        after.metadata = local.metadata
        after.conflictOf = local.conflictOf
        return .effect(
            Effect(
                verb: .replace, operation: operation, item: trio.item, before: Place(of: remote),
                after: after, kind: local.kind, path: path,
                keep: ContainerLayout.version(of: trio.item, revision),
                source: try source(of: row)))
    }

    /// The bytes of an open document go to the conflict version that stands in for it, made now or
    /// earlier (S9).
    private func sendAside(_ trio: Trio, _ snapshot: Snapshot?) throws(DocFSError) -> Outcome {
        guard let local = trio.local, let row = trio.row, let remote = trio.remote,
            let content = content(row, local, snapshot),
            let directory = try read.remotePath(of: remote.parent, scope: scope.id)
        else { return .blocked }
        let source = try source(of: row)
        let mark = ConflictMark(
            aside: trio.item, remote: remote.conflictOf, own: row.conflictOf, madeFrom: row.basis)
        // One that another device has edited since is its own from now on.
        if let item = try read.standIn(for: trio.item, scope: scope.id)?.sibling,
            let before = try read.state(.remote, of: item, scope: scope.id),
            let revision = before.content.revision,
            try read.state(.base, of: item, scope: scope.id)?.content.revision == revision
        {
            guard let path = try read.objectPath(of: item, scope: scope.id) else {
                return .blocked
            }
            var after = before
            after.content = content
            after.metadata = local.metadata
            after.conflictOf = before.conflictOf?.replaced(by: mark)
            return .effect(
                Effect(
                    verb: .replace, operation: operation, item: item, before: Place(of: before),
                    after: after, kind: .file, path: path,
                    keep: ContainerLayout.version(of: item, revision), source: source))
        }
        let name = try sibling.name(for: remote.name) { (name) throws(DocFSError) in
            try read.remoteChild(name, of: remote.parent, scope: scope.id) != nil
        }
        if let hindrance = try hindrance(at: directory.appending(name), for: .file) {
            return .waitsFor(hindrance.lodger)
        }
        let after = ItemState(
            parent: remote.parent, name: name, metadata: local.metadata, content: content,
            conflictOf: mark)
        return .effect(
            Effect(
                verb: .create, operation: operation, item: sibling.item, before: nil,
                after: after, kind: .file, path: directory.appending(name), source: source))
    }

    private func move(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard let local = trio.local, let remote = trio.remote,
            let path = try read.remotePath(of: trio.item, scope: scope.id),
            let object = try read.objectPath(of: trio.item, scope: scope.id)
        else { return .blocked }
        guard let directory = try directory(local.parent) else {
            return .waitsFor(local.parent)
        }
        var after = remote
        after.parent = local.parent
        after.name = local.name
        after.conflictOf = local.conflictOf
        if let taken = try read.remoteChild(local.name, of: local.parent, scope: scope.id),
            taken != trio.item
        {
            guard try waits(taken, for: trio.item) else { return .waitsFor(taken) }
            after.name = Self.exchangeName(of: trio.item)
            if Place(of: after) == Place(of: remote) { return .waitsFor(taken) }
        }
        let destination = directory.appending(after.name)
        if local.kind == .directory {
            if destination.isAtOrBelow(path) { return .blocked }
            if local.parent != remote.parent {
                try checkDepth(of: .directory, in: directory, levels: levels(below: trio.item))
            }
        }
        return .effect(
            Effect(
                verb: .move, operation: operation, item: trio.item, before: Place(of: remote),
                after: after, kind: local.kind, path: object,
                destination: objectsMove ? destination : nil))
    }

    /// Makes sure that an item lies no deeper in `directory` than others would take it; a directory
    /// with `levels` of directories below it.
    ///
    /// - Throws: `.unstorable`.
    private func checkDepth(of kind: ItemKind, in directory: ItemPath, levels: Int)
        throws(DocFSError)
    {
        let depth = directory.components.count + 1 + levels + (kind == .directory ? 1 : 0)
        guard depth <= ItemPath.maximumDepth else {
            throw .unstorable("it lies deeper than \(ItemPath.maximumDepth) directories")
        }
    }

    /// How many levels of directories the store has below one.
    private func levels(below directory: ItemID) throws(DocFSError) -> Int {
        var levels = 0
        var level = try read.remoteDirectories(in: directory, scope: scope.id)
        while !level.isEmpty, levels < ItemPath.maximumDepth {
            levels += 1
            var below: [ItemID] = []
            for item in level { below += try read.remoteDirectories(in: item, scope: scope.id) }
            level = below
        }
        return levels
    }

    // MARK: Circles

    /// Where an item steps aside, in the directory that it is bound for, when what has its name
    /// waits for it in turn: items change places, a document goes into a new directory of its own
    /// name, a directory makes way for what was in it.
    static func exchangeName(of item: ItemID) -> Name { Name(".docfs-exchange-\(item)") }

    /// Whether `item` waits for `end` to have its place, through any number of others.
    ///
    /// When there are too many others to tell, it does: stepping aside is never wrong, only longer.
    private func waits(_ item: ItemID, for end: ItemID) throws(DocFSError) -> Bool {
        var open = [item]
        var seen: Set<ItemID> = []
        while let next = open.popLast() {
            if next == end || seen.count >= Self.searchLimit { return true }
            if seen.insert(next).inserted { open += try whatHinders(next) }
        }
        return false
    }

    private static let searchLimit = 256

    /// The items that have to have moved or gone before this one can take its place here or go.
    private func whatHinders(_ item: ItemID) throws(DocFSError) -> [ItemID] {
        guard let row = try read.local(item: item, scope: scope.id), let ino = row.parent else {
            return try read.remoteChildren(of: item, scope: scope.id, limit: Self.searchLimit)
        }
        var parent = ItemID.root
        if ino != scope.root {
            guard let directory = try read.local(ino)?.item else { return [] }
            parent = directory
            if try read.state(.remote, of: parent, scope: scope.id) == nil { return [parent] }
        }
        let taken = try read.remoteChild(row.name, of: parent, scope: scope.id)
        return taken == item ? [] : taken.map { [$0] } ?? []
    }

    private func describe(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard let local = trio.local, let remote = trio.remote,
            let path = try read.objectPath(of: trio.item, scope: scope.id)
        else { return .blocked }
        var after = remote
        after.metadata = local.metadata
        after.conflictOf = local.conflictOf
        return .effect(
            Effect(
                verb: .describe, operation: operation, item: trio.item,
                before: Place(of: remote), after: after, kind: remote.kind, path: path))
    }

    private func remove(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard let remote = trio.remote,
            let path = try read.remotePath(of: trio.item, scope: scope.id),
            let object = try read.objectPath(of: trio.item, scope: scope.id)
        else { return .blocked }
        return .effect(
            Effect(
                verb: .remove, operation: operation, item: trio.item, before: Place(of: remote),
                after: nil, kind: remote.kind, path: object,
                destination: ContainerLayout.trash(path, day: day, operation: operation),
                isMovedOut: trio.handover != nil))
    }

    // MARK: Bodies

    /// What the item will hold; its revision is the store's to give.
    private func content(_ row: LocalItem, _ local: LocalView, _ snapshot: Snapshot?)
        -> ItemContent?
    {
        let unknown = Revision("")
        switch local.kind {
        case .directory: return .directory
        case .symlink: return .symlink(target: row.target ?? [], revision: unknown)
        case .file:
            if let snapshot {
                return .file(
                    Body(size: snapshot.size, digest: snapshot.digest, revision: unknown))
            }
            guard row.divergence == .stored else { return nil }
            return .file(Body(size: row.size, digest: row.sourceDigest, revision: unknown))
        }
    }

    private func source(of row: LocalItem) throws(DocFSError) -> StoredBody? {
        guard row.isFile, row.divergence == .stored, let item = row.sourceItem,
            let revision = row.sourceRevision
        else { return nil }
        return try Self.body(of: item, at: revision, scope: scope.id, in: read)
    }

    /// The places where the container may keep a body: the document itself, its versions, its
    /// trash; and where no record tells of it, another document that is or was this very object:
    /// what moved unrecorded and was recorded as new.
    static func body(
        of item: ItemID, at revision: Revision, scope: Int64, in read: CatalogReader
    ) throws(DocFSError) -> StoredBody {
        var places: [ItemPath] = []
        if let state = try read.state(.remote, of: item, scope: scope),
            state.content.revision == revision,
            let path = try read.objectPath(of: item, scope: scope)
        {
            places.append(path)
        }
        let version = try read.version(of: item, revision: revision, scope: scope)
        places.append(version?.path ?? ContainerLayout.version(of: item, revision))
        for trash in try read.trash(of: item, scope: scope)
        where trash.content.revision == revision {
            places.append(trash.place)
        }
        if version == nil, places.count == 1 {
            for other in try read.remoteItems(at: revision, scope: scope) {
                if let path = try read.objectPath(of: other, scope: scope) { places.append(path) }
            }
            if places.count == 1 { places += try read.keptPlaces(at: revision, scope: scope) }
        }
        return StoredBody(revision: revision, places: places)
    }
}
