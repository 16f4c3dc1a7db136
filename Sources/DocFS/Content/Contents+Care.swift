internal import Synchronization

/// Keeping, dropping and recovering contents.
extension Contents {
    // MARK: What the user wants to have here

    /// Downloads a content that is not here, in the background.
    package func hydrate(_ ino: Int64) throws(DocFSError) {
        let (content, row) = try open(ino, forWriting: false, evenNameless: true)
        defer { close(content, forWriting: false) }
        if content.isComplete { return }
        if let reason = offlineReason(for: content) { throw reason }
        // What is asked for anew has not failed yet. Where that cannot be noted, its arrival is.
        if row.error != nil {
            try? change(ino) { (row, _) throws(DocFSError) in
                if row.divergence == .none { row.error = nil }
            }
        }
        content.hydrate()
    }

    /// Drops the bytes of a content and keeps the placeholder.
    ///
    /// Throws `.busy` when it is open or pinned, or the store does not have these bytes (S11).
    package func evict(_ ino: Int64) throws(DocFSError) {
        try refuseDoubts(about: try row(ino))
        let body = try catalog.read { (read) throws(DocFSError) in try read.namelessBody(at: ino) }
        if let body { return try evict(body) }
        var newer: Int64?
        try dropBytes(of: ino) { (row, transaction) throws(DocFSError) in
            guard row.isFile, row.divergence == .none, row.sourceRevision != nil else {
                throw .busy
            }
            // Nobody else has what another program has removed from the store since.
            if row.isDeparting,
                try transaction.read.state(.base, of: row.item, scope: row.scope) == nil
            {
                throw .busy
            }
            // On its way to `Local/` it is brought again at once, in the store's newest version.
            if !row.isDeparting, try transaction.read.isPinned(row) { throw .busy }
            row.state = .none
            row.wanted = row.size
            // Nothing is to be here of the document.
            newer = try transaction.removeNewerBody(of: row)
        }
        if let newer { drop(newer) }
        post(.evicted, of: ino)
    }

    /// The user has said whether a document, or what is in a directory, is always to be here.
    package func tell(pin: PinState, of ino: Int64) { post(.pinned, of: ino, detail: .pin(pin)) }

    /// Nobody knows while the log is in trouble whether the store still has what it had (S23).
    private func refuseDoubts(about row: LocalItem) throws(DocFSError) {
        let health = catalog.bulletin.health(of: row.scope)
        if health.logTrouble != nil || health.isRepairing { throw .busy }
    }

    /// A document on its way to `Local/` of which the store has a newer body becomes a placeholder
    /// of it, and this device counts as having seen it: what leaves the container then is what
    /// arrives (S24).
    ///
    /// Not one that came after the document had gone from the store, unless there is nothing else
    /// to arrive: nobody may keep the bytes that are here, and the other version is a document of
    /// its own by now (S20).
    ///
    /// - Returns: whether there was a newer one.
    /// - Throws: `.offline` while that cannot be fetched: what is here stays readable then;
    ///   `.busy` while the document is open.
    package func takeNewest(ofDeparting ino: Int64) throws(DocFSError) -> Bool {
        let (row, isOutdated) = try catalog.readConsistently { (read) throws(DocFSError) in
            guard let row = try read.local(ino) else { throw DocFSError.stale }
            return (row, try Self.isOutdated(row, in: read))
        }
        guard isOutdated else { return false }
        try refuseDoubts(about: row)
        let health = catalog.bulletin.health(of: row.scope)
        guard health.isOnline else { throw .offline(health.problem ?? "the store is not reached") }
        var newer: Int64?
        try dropBytes(of: ino) { (row, transaction) throws(DocFSError) in
            // It may have been removed or moved on meanwhile: then nobody has seen that body.
            guard row.isDeparting, try Self.isOutdated(row, in: transaction.read),
                let newest = try transaction.read.newerState(than: row)
            else { throw .busy }
            let seen = try transaction.read.state(.base, of: row.item, scope: row.scope)
            var base = seen ?? newest
            row.fill(from: newest)
            // An effect under way that sends the former body does not speak of this one.
            row.generation += 1
            if seen == nil {
                // Nobody knows which of the rest the user has set since.
                row.modified = newest.metadata.modified
            } else if row.metadata == base.metadata {
                row.describe(newest.metadata)
                base.metadata = newest.metadata
            } else if row.modified == base.metadata.modified {
                row.modified = newest.metadata.modified
            }
            base.content = newest.content
            try transaction.setState(.base, of: row.item, scope: row.scope, to: base)
            newer = try transaction.removeNewerBody(of: row)
        }
        if let newer { drop(newer) }
        return true
    }

    /// Whether a newer body is to arrive in place of the one that a row departs with.
    private static func isOutdated(_ row: LocalItem, in read: CatalogReader) throws(DocFSError)
        -> Bool
    {
        guard try read.newerState(than: row) != nil else { return false }
        if row.state != .current { return true }
        return try read.state(.base, of: row.item, scope: row.scope) != nil
    }

    /// A document that was made of another's body, which is nowhere any more, is made of the body
    /// that the other has now.
    ///
    /// - Parameter row: as it was when that was found out.
    /// - Throws: `.busy` while it is open, or where it is made of something else by now.
    package func follow(_ row: LocalItem, to state: ItemState) throws(DocFSError) {
        guard case .file(let body) = state.content else { throw .busy }
        try dropBytes(of: row.ino) { (now, _) throws(DocFSError) in
            guard now.divergence == .stored, now.state != .current,
                now.sourceItem == row.sourceItem, now.sourceRevision == row.sourceRevision
            else { throw .busy }
            now.sourceRevision = body.revision
            now.sourceDigest = body.digest
            (now.sourceSize, now.size, now.wanted) = (body.size, body.size, body.size)
            now.modified = state.metadata.modified
            now.state = body.size == 0 ? .current : .none
            // An effect under way that sends the former body does not speak of this one.
            now.generation += 1
        }
    }

    /// - Throws: `.busy` while it is open.
    private func dropBytes(
        of ino: Int64,
        _ update: (inout LocalItem, CatalogWriter) throws(DocFSError) -> Void
    ) throws(DocFSError) {
        let isClosed = table.withLock { table in
            guard table.entries[ino] == nil, !table.claimed.contains(ino) else { return false }
            return table.closing.insert(ino).inserted
        }
        guard isClosed else { throw .busy }
        defer { table.withLock { _ = $0.closing.remove(ino) } }
        var place = ContentPlace.state
        try change(ino) { (row, transaction) throws(DocFSError) in
            try update(&row, transaction)
            place = row.place
            row.place = .state
        }
        try files.remove(ino, place)
    }

    /// When a document was closed last; its content file remembers that.
    ///
    /// What cannot be found out counts as long ago.
    package func lastUse(of row: LocalItem) -> Timestamp {
        if isOpen(row.ino) { return clock.wallTime() }
        return (try? files.status(row.ino, row.place))?.accessed ?? .zero
    }

    /// Whether a download is under way, from the moment on when somebody asks for bytes.
    package func isComing(_ ino: Int64) -> Bool {
        openContent(ino)?.state.withLock { $0.isHydrating && $0.phase != .complete } ?? false
    }

    /// How much of a row's content is here, in percent.
    package func percent(of row: LocalItem) -> Int {
        if row.state == .current { return 100 }
        return openContent(row.ino)?.percent ?? (row.size == 0 ? 100 : 0)
    }

    /// How much of a row's content is here, downloads under way included.
    package func state(of row: LocalItem) -> ContentState {
        guard row.state != .current, let content = openContent(row.ino) else { return row.state }
        if content.isComplete { return .current }
        return content.percent > 0 ? .partial : row.state
    }

    /// How far the upload of a row is, in percent; `nil` when there is none.
    package func uploadPercent(of ino: Int64) -> Int? { traffic.percent(of: ino) }

    /// How far what goes to the store of `scope` is.
    package func sending(scope: Int64) -> TransferProgress { traffic.sending(scope: scope) }

    /// How far the documents are that come whole from the store of `scope`.
    package func receiving(scope: Int64) -> TransferProgress {
        var progress = TransferProgress()
        for content in table.withLock({ $0.entries.values.map(\.content) }) {
            content.state.withLock { state in
                guard state.isHydrating, state.wantsAll, state.phase == .incomplete,
                    state.source?.scope == scope
                else { return }
                progress.done += state.here.count
                for fetch in state.fetches.values { progress.done += fetch.sink.count }
                progress.total += state.wanted
            }
        }
        // What is fetched a second time comes twice.
        progress.done = min(progress.done, progress.total)
        progress.rate = traffic.receivingRate(scope: scope)
        return progress
    }

    /// Size and time of what was written and is not in the row yet.
    package func unrecorded(_ ino: Int64) -> (size: UInt64, modified: Timestamp)? {
        openContent(ino)?.unrecorded
    }

    /// Brings a row up to date with what was written.
    package func flush(_ ino: Int64) throws(DocFSError) {
        try openContent(ino)?.flush()
    }

    /// Changes a row in one transaction, together with what was written to its content before.
    ///
    /// Throws `.stale` when it is gone.
    package func changeWritten(
        _ ino: Int64, _ body: (inout LocalItem, CatalogWriter) throws(DocFSError) -> Void
    ) throws(DocFSError) {
        if let content = openContent(ino) { return try content.change(body) }
        try change(ino, body)
    }

    // MARK: Rows that nobody needs any more

    /// The kernel knows this number from now on.
    package func retain(_ ino: Int64) { table.withLock { _ = $0.known.insert(ino) } }

    /// The kernel forgot this number.
    ///
    /// Returns at once.
    package func forget(_ ino: Int64) {
        let held = table.withLock { table in
            table.known.remove(ino)
            return table.letGo(ino)
        }
        if let held { return workers.submit { [self] in unhold(held) } }
        dropIfUnneeded(ino)
    }

    /// A row lost its name: it goes, with its content, as soon as nobody has it open and the
    /// kernel has forgotten it.
    package func unlinked(_ ino: Int64) {
        table.withLock { _ = $0.unlinked.insert(ino) }
        dropIfUnneeded(ino)
    }

    func dropIfUnneeded(_ ino: Int64) {
        guard table.withLock({ $0.takeIfUnneeded(ino) }) else { return }
        let isFirst = dropping.withLock { dropping in
            dropping.append(ino)
            return dropping.count == 1
        }
        if isFirst { workers.submit(after: Self.pauseBeforeDropping) { [self] in dropRows() } }
    }

    /// How long rows are gathered that lost their names, in microseconds.
    private static let pauseBeforeDropping: UInt32 = 20_000

    /// Deletes rows that lost their names, many in one transaction, and their content files.
    private func dropRows() {
        let taken = dropping.withLock { dropping in
            defer { dropping.removeAll() }
            return dropping
        }
        let inos = table.withLock { table in taken.filter { table.mayGo($0) } }
        for first in stride(from: 0, to: inos.count, by: Self.batchLimit) {
            remove(Array(inos[first...].prefix(Self.batchLimit)))
        }
    }

    /// Forgets rows without a name and removes their content files.
    func remove(_ inos: [Int64]) {
        // Rows that stay are orphans, which the next start removes.
        let gone = try? catalog.write { (transaction) throws(DocFSError) in
            var gone: [LocalItem] = []
            for ino in inos {
                guard let row = try transaction.read.local(ino), row.parent == nil,
                    !row.isDeparting, try transaction.read.namelessBody(at: ino) == nil
                else { continue }
                try transaction.delete(ino)
                gone.append(row)
            }
            return gone
        }
        guard let gone = gone?.filter(\.isFile), !gone.isEmpty else { return }
        // Until then a loss of power may bring a row back, which then needs its bytes: the sweep
        // removes what stays.
        do throws(DocFSError) {
            try catalog.makeDurable()
        } catch {
            return
        }
        lostSources.withLock { lost in for row in gone { lost[row.ino] = nil } }
        refusals.withLock { refusals in for row in gone { refusals.end(row.ino) } }
        for row in gone {
            // What stays is removed by the sweep.
            try? files.remove(row.ino, row.place)
            guard row.isLinked, let item = row.sourceItem else { continue }
            linked.remove(LinkedFiles.name(for: item))
        }
    }
}
