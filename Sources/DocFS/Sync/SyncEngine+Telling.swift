internal import Logging

/// Events of what happens to documents by this device, and of conflicts by whomever (S29).
///
/// What its user does is told when it has settled, so that a save is one event, however its editor
/// writes; and only while anybody reads.
extension SyncEngine {
    // MARK: This device's changes

    /// So many items that wait to be sent are looked at when somebody begins to read.
    private static let looks = 10_000

    /// Finds out how everything is that the user has changed before anybody reads, and which
    /// documents are in conflict: from now on that is news.
    private func beginTelling() throws(DocFSError) {
        if telling.isBegun { return }
        let (scope, inbox) = (scope, inbox)
        let (shown, siblings) = try catalog.readConsistently { (read) throws(DocFSError) in
            var shown: [ItemID: ShownItem?] = [:]
            let pending = try read.pending(scope: scope.id, limit: Self.looks)
            let news = Set(inbox.untold(among: pending))
            for item in pending where !news.contains(item) {
                shown.updateValue(try Self.shown(item, scope, read), forKey: item)
            }
            return (shown, try read.conflictVersions(scope: scope.id))
        }
        telling.shown = shown
        for row in siblings { telling.set(row.item, of: row.conflictOf?.document) }
        telling.isBegun = true
    }

    /// These items are about to be planned: what is to be told of them is told from how they are
    /// in the store now.
    func noteBefore(_ items: [ItemID]) {
        guard catalog.bulletin.isWatched else { return }
        do throws(DocFSError) {
            try beginTelling()
            let scope = scope
            let news = inbox.untold(among: items.filter { telling.shown[$0] == nil })
            if news.isEmpty { return }
            let before = try catalog.readConsistently { (read) throws(DocFSError) in
                var before: [(ItemID, ShownItem?)] = []
                for item in news { before.append((item, try Self.stored(item, scope, read))) }
                return before
            }
            for (item, state) in before { telling.shown.updateValue(state, forKey: item) }
        } catch {
            log.info("not everything that is done here will be told: \(error.sentence)")
        }
    }

    /// Tells of what the user has done to items that have settled since, in reach of the store or
    /// not.
    func tellOwnChanges() {
        guard catalog.bulletin.isWatched else {
            inbox.forgetUntold()
            telling = Telling()
            return
        }
        do throws(DocFSError) {
            try beginTelling()
        } catch {
            log.info("what was done before is told as news: \(error.sentence)")
        }
        let items = inbox.takeUntold()
        tell(changesOf: items)
        // What has come and gone before the store had it comes to rest nowhere.
        for item in items where telling.shown[item] == .some(nil) && !isStored(item) {
            telling.shown[item] = nil
        }
        for item in telling.rested.subtracting(inbox.untold(among: telling.rested)) {
            telling.shown[item] = nil
            telling.records[item] = nil
        }
        telling.rested.removeAll()
        // Many that settle one after the other are not looked at one by one.
        if let next = inbox.nextUntold { wake(at: max(next, clock.now() + settings.settle / 4)) }
    }

    private func tell(changesOf items: [ItemID]) {
        if items.isEmpty { return }
        do throws(DocFSError) {
            try tell(items)
        } catch {
            log.info("what was done here is told later: \(error.sentence)")
            inbox.tellLater(items)
        }
    }

    private func tell(_ items: [ItemID]) throws(DocFSError) {
        let (scope, known, records) = (scope, telling.shown, telling.records)
        var found = try catalog.readConsistently { (read) throws(DocFSError) in
            var found: [Found] = []
            for item in items {
                var old: ShownItem?
                if let told = known[item] {
                    old = told
                } else {
                    old = try Self.stored(item, scope, read)
                }
                let new = try Self.shown(item, scope, read)
                var one = Found(item: item, old: old, new: new)
                one.isMovedOut = records[item]?.isMovedOut == true
                if !one.isMovedOut, new == nil {
                    one.isMovedOut = try isMovedOut(item, scope, read)
                }
                found.append(one)
            }
            return found
        }
        catalog.bulletin.forgetMovedOut(items)
        // Of what was told before, all that is in a directory has moved with it.
        telling.follow(found.compactMap(\.moveOfDirectory))
        for index in found.indices where found[index].moveOfDirectory == nil {
            if let old = telling.shown[found[index].item] { found[index].old = old }
        }
        for one in found { telling.shown.updateValue(one.new, forKey: one.item) }
        // What goes makes room, the deepest first.
        let gone = found.filter { $0.new == nil && $0.old != nil }
            .sorted { $1.depth < $0.depth }
        let rest = found.filter { $0.new != nil }
        // An editor that writes a new file and removes the old one has saved.
        let freed = Set(gone.compactMap(\.old?.place))
        let taken = Set(rest.filter { $0.old == nil }.compactMap(\.new?.place))
        for one in gone {
            guard let old = one.old, !taken.contains(old.place) else { continue }
            post(one.isMovedOut ? .left : .deleted, one.item, old.path)
        }
        for one in rest {
            guard let new = one.new else { continue }
            for change in ShownItem.changes(from: one.old, to: new) {
                switch change {
                case .made: post(freed.contains(new.place) ? .edited : .made, one.item, new.path)
                case .edited: post(.edited, one.item, new.path)
                case .deleted: break
                case .moved(let from): post(.moved, one.item, new.path, .from(from))
                }
            }
        }
    }

    /// What two looks at an item found.
    private struct Found {
        let item: ItemID
        var old: ShownItem?
        let new: ShownItem?
        /// It is not here any more since it was moved out of the container.
        var isMovedOut = false

        /// From where to where it has moved, if it is a directory that has.
        var moveOfDirectory: (from: ItemPath, to: ItemPath)? {
            guard let old, let new, old.isDirectory, old.path != new.path else { return nil }
            return (old.path, new.path)
        }

        var depth: Int { (new ?? old)?.path.components.count ?? 0 }
    }

    /// Whether what is not here any more was moved to where this scope does not reach.
    private nonisolated func isMovedOut(
        _ item: ItemID, _ scope: ScopeRecord, _ read: CatalogReader
    ) throws(DocFSError) -> Bool {
        if catalog.bulletin.isMovedOut(item) { return true }
        if try read.local(item: item, scope: scope.id)?.isDeparting == true { return true }
        return try read.handover(of: item, scope: scope.id) != nil
    }

    private func isStored(_ item: ItemID) -> Bool {
        let scopeID = scopeID
        // What cannot be found out stays known, which harms nobody.
        return
            (try? catalog.read { (read) throws(DocFSError) in
                try read.state(.base, of: item, scope: scopeID) != nil
            }) ?? true
    }

    private func post(
        _ kind: DocumentEvent.Kind, _ item: ItemID, _ path: ItemPath?,
        by author: DocumentEvent.Author? = .here, _ detail: DocumentEvent.Detail? = nil
    ) {
        catalog.bulletin.post(
            DocumentEvent(
                kind: kind, scope: scopeID, item: item, path: path, time: clock.wallTime(),
                by: author, detail: detail))
    }

    /// The item as this device shows it; `nil` where it has no name.
    private static func shown(_ item: ItemID, _ scope: ScopeRecord, _ read: CatalogReader)
        throws(DocFSError) -> ShownItem?
    {
        guard let row = try read.local(item: item, scope: scope.id), row.parent != nil,
            !row.isExcluded, let path = try read.path(of: row.ino, root: scope.root)
        else { return nil }
        var bytes = ShownItem.Bytes.none
        if row.isSymlink { bytes = .link(target: row.target) }
        if row.isFile {
            bytes =
                row.divergence == .none
                ? .stored(row.sourceRevision) : .own(ino: row.ino, generation: row.generation)
        }
        return ShownItem(
            path: path, isDirectory: row.isDirectory, bytes: bytes, metadata: row.metadata)
    }

    /// The item as this device and the store agreed on it last.
    private static func stored(_ item: ItemID, _ scope: ScopeRecord, _ read: CatalogReader)
        throws(DocFSError) -> ShownItem?
    {
        guard let base = try read.state(.base, of: item, scope: scope.id),
            let path = try path(of: base, scope, read)
        else { return nil }
        let bytes: ShownItem.Bytes =
            switch base.content {
            case .file(let body): .stored(body.revision)
            case .symlink(let target, _): .link(target: target)
            case .directory: .none
            }
        return ShownItem(
            path: path, isDirectory: base.kind == .directory, bytes: bytes,
            metadata: base.metadata)
    }

    /// Where an item was: in its directory as that is called now, if it is still there.
    private static func path(of base: ItemState, _ scope: ScopeRecord, _ read: CatalogReader)
        throws(DocFSError) -> ItemPath?
    {
        var (names, next) = ([base.name], base.parent)
        while next != .root, names.count < ItemPath.maximumDepth {
            if let row = try read.local(item: next, scope: scope.id), row.parent != nil {
                guard let above = try read.path(of: row.ino, root: scope.root) else { return nil }
                return ItemPath(above.components + names.reversed())
            }
            guard let state = try read.state(.base, of: next, scope: scope.id) else { return nil }
            names.append(state.name)
            next = state.parent
        }
        return next == .root ? ItemPath(names.reversed()) : nil
    }

    /// Syncing has done and told this: it is no change of the user's.
    func note(told events: [DocumentEvent]) {
        guard telling.isBegun else { return }
        do throws(DocFSError) {
            for event in events { try note(told: event) }
        } catch {
            log.info("what syncing has done may be told twice: \(error.sentence)")
        }
    }

    private func note(told event: DocumentEvent) throws(DocFSError) {
        guard let item = event.item else { return }
        if case .from(let old)? = event.detail, let path = event.path {
            telling.follow([(old, path)])
        }
        let isOwn = event.kind == .deleted && event.author == .here
        guard telling.shown[item] != nil || isOwn else { return }
        let scope = scope
        var now = try catalog.readConsistently { (read) throws(DocFSError) in
            try Self.shown(item, scope, read)
        }
        if case .some(.some(let known)) = telling.shown[item] {
            // Its other facets may be the user's, and are told of as such.
            if event.kind == .changed { now?.path = known.path }
            if event.kind == .moved {
                now?.bytes = known.bytes
                now?.metadata = known.metadata
            }
        }
        telling.shown.updateValue(now, forKey: item)
    }

    // MARK: Records

    /// A record was applied: its device is who changes these items here.
    func note(changesOf record: LogRecord) {
        guard telling.isBegun else { return }
        let isOwn = record.device == container.device.id
        for change in record.changes where !change.isPutBack {
            telling.records[change.item] = LastRecord(
                device: isOwn ? nil : record.deviceName, isMovedOut: change.isMovedOut)
        }
    }

    /// Tells of what has been recorded as sent.
    func tell(sent batch: [FinishedEffect]) {
        guard catalog.bulletin.isWatched else {
            // Others than readers look: bytes that are stored may be dropped.
            return catalog.bulletin.tell()
        }
        tell(changesIn: batch)
        for effect in batch where effect.verb == .create || effect.verb == .replace {
            guard let after = effect.change.after, after.kind == .file else { continue }
            let (item, scopeID) = (effect.change.item, scopeID)
            // An event without a path names the item.
            let path = try? catalog.read { (read) throws(DocFSError) in
                try read.remotePath(of: item, scope: scopeID)
            }
            post(.uploaded, item, path ?? nil)
        }
    }

    /// Tells of the changes that were sent, before it tells that they were.
    private func tell(changesIn batch: [FinishedEffect]) {
        guard telling.isBegun else { return }
        let scopeID = scopeID
        let named = batch.map(\.planned).filter { item in
            // A row without a name may be half of the next save. One that cannot be read waits.
            let row = try? catalog.read { (read) throws(DocFSError) in
                try read.local(item: item, scope: scopeID)
            }
            return row?.parent != nil
        }
        tell(changesOf: inbox.takeUntold(among: named))
    }

    // MARK: Conflicts

    /// These items are at rest: conflicts may have come or gone with them.
    ///
    /// - Parameter told: conflict versions that were told of already, with their documents.
    func rest(_ items: [ItemID], told: [ItemID: ItemID]) {
        guard telling.isBegun else { return }
        for (sibling, document) in told { telling.set(sibling, of: document) }
        tell(changesOf: inbox.takeUntold(among: items))
        telling.rested.formUnion(items)
        let scopeID = scopeID
        do throws(DocFSError) {
            let concerned = try catalog.readConsistently { [telling] (read) throws(DocFSError) in
                var concerned: [ItemID] = []
                for item in items {
                    let row = try read.local(item: item, scope: scopeID)
                    if row?.conflictOf != nil || telling.siblings[item] != nil {
                        concerned.append(item)
                    }
                    // A document may come later than its conflict versions.
                    concerned += try read.conflictVersions(of: item, scope: scopeID).map(\.item)
                }
                return concerned
            }
            for sibling in concerned { try tellConflict(sibling) }
        } catch {
            log.info("conflicts are not told: \(error.sentence)")
        }
    }

    /// - Parameter item: what may be a conflict version, or may have been one.
    private func tellConflict(_ item: ItemID) throws(DocFSError) {
        let (scope, former) = (scope, telling.siblings[item])
        let name = settings.deviceName
        let (document, sibling, own, old, saver) = try catalog.readConsistently {
            (read) throws(DocFSError) in
            let row = try read.local(item: item, scope: scope.id)
            let document = row?.parent == nil ? nil : row?.conflictOf?.document
            return (
                document, try Self.shown(item, scope, read)?.path,
                try document.flatMap { (id) throws(DocFSError) in
                    try Self.shown(id, scope, read)?.path
                },
                try former.flatMap { (id) throws(DocFSError) in
                    try Self.shown(id, scope, read)?.path
                },
                try read.saver(of: item, scope: scope.id)?.device
            )
        }
        if document == former { return }
        if let document {
            // Without its document it is told of when that comes.
            guard let own, let sibling else { return }
            telling.set(item, of: document)
            // What was made here is told of by who made it.
            let device = telling.records[item]?.device ?? (saver == name ? nil : saver)
            post(.conflict, document, own, by: device.map { .device($0) }, .sibling(sibling))
        } else {
            telling.set(item, of: nil)
        }
        guard let former, let old, !telling.isInConflict(former) else { return }
        post(.resolved, former, old, by: telling.author(of: item))
    }
}
