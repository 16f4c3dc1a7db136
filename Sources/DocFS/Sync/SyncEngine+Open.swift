/// Documents that programs keep open for writing (S14).
extension SyncEngine {
    /// So many copies of one have failed when its user is told.
    private static let toldFailure = 3
    /// How often one is looked at whose copy failed, in nanoseconds.
    private static let pause: UInt64 = 1_000_000_000
    /// So many settle times more a document waits under a backup's name.
    private static let saveGap: UInt64 = 4

    /// Whether the bytes of a document are not sent, nor hashed, since a program may be in the
    /// middle of writing them, or the store has them already, beside its own (S9); or its new name
    /// is not sent, since it may be one half of a save.
    ///
    /// - Parameter isUnsettled: it was changed a moment ago.
    func waitsForWriter(
        _ step: Step, of trio: Trio, isUnsettled: Bool, _ read: CatalogReader
    ) throws(DocFSError) -> Bool {
        if step == .move, try isHalfSaved(trio, read) { return true }
        guard trio.writer != .none else { return false }
        if isUnsettled { return step == .wait(.digest) }
        switch step {
        case .create, .replace, .sendAside:
            let standIn = try read.standIn(for: trio.item, scope: scopeID)
            if standIn != nil, standIn?.generation == trio.row?.generation { break }
            return !isDue(trio.item, for: trio.writer)
        case .wait(.digest): return !isDue(trio.item, for: trio.writer)
        default: break
        }
        // Nothing of it is to be sent, whoever was in a hurry.
        openEdits.rest(trio.item, isOpen: true)
        overdue.remove(trio.item)
        return [.create, .replace, .sendAside].contains(step)
    }

    /// Whether a document was renamed to a backup and its new version may still be to come under
    /// the old name, as soon as the disk lets the editor go on (S14).
    private func isHalfSaved(_ trio: Trio, _ read: CatalogReader) throws(DocFSError) -> Bool {
        guard let moment = due[trio.item], !overdue.contains(trio.item),
            clock.now() < moment + Self.saveGap * settings.settle,
            let former = Planner.placeBeforeBackup(
                local: trio.local, base: trio.base, scratch: settings.scratch)
        else { return false }
        // Something else that was moved to its name is no second half.
        let directory =
            former.parent == .root
            ? scope.root : try read.local(item: former.parent, scope: scope.id)?.ino
        guard let directory else { return false }
        return try read.child(former.name, of: directory) == nil
    }

    /// The version of another device that waits until programs here close the document (S9), if one
    /// does.
    func newerVersions(_ trio: Trio, _ step: Step, _ read: CatalogReader) throws(DocFSError)
        -> [NewerVersion]
    {
        guard trio.writer != .none, !inFlight.contains(trio.item), comparison == nil,
            let row = trio.row, let content = trio.remote?.content, let basis = row.basis
        else { return [] }
        // The same bytes, as the record says that gave them another revision.
        if row.divergence == .none, row.sourceRevision == content.revision { return [] }
        let isOldBasis =
            basis == trio.base?.content.revision
            ? false : try read.version(of: trio.item, revision: basis, scope: scopeID) != nil
        guard
            Planner.isOutdated(
                step, local: trio.local, base: trio.base, remote: trio.remote,
                isOldBasis: isOldBasis)
        else { return [] }
        if let told = openEdits.newer[trio.item], told.content == content { return [told] }
        var saver = try read.saver(of: trio.item, scope: scopeID)
        // Whoever finds another program's version in the container records it.
        let isOfProgram = saver?.device == settings.deviceName
        if isOfProgram { saver = nil }
        let event = DocumentEvent(
            kind: .outdated, scope: scopeID, item: trio.item,
            path: try read.path(of: row.ino, root: scope.root), time: clock.wallTime(),
            by: saver.map { .device($0.device) }, detail: saver.map { .saved($0.time) },
            sentence: Self.sentence(onNewerOf: row, by: saver, isOfProgram: isOfProgram))
        return [NewerVersion(item: trio.item, content: content, saver: saver, event: event)]
    }

    private static func sentence(onNewerOf row: LocalItem, by saver: Saver?, isOfProgram: Bool)
        -> String
    {
        let end =
            row.divergence == .none
            ? "it is shown when this one is closed"
            : "what is written into this one becomes a conflict version"
        if isOfProgram {
            return "another program has put a newer version into the container; \(end)"
        }
        let name = saver.map { $0.device.isEmpty ? "another device" : $0.device }
        return "\(name ?? "another device") has saved a newer version; \(end)"
    }

    /// These wait of the planned items, and no others.
    ///
    /// - Parameter unknown: items of which nothing was found out.
    func wait(for found: [NewerVersion], among items: [ItemID], but unknown: [ItemID]) {
        if found.isEmpty, openEdits.newer.isEmpty { return }
        let skipped = inFlight.union(unknown)
        let known = comparison == nil ? items.filter { !skipped.contains($0) } : []
        let before = openEdits.newer.mapValues(\.saver)
        let news = openEdits.wait(for: found, among: known)
        let savers = openEdits.newer.mapValues(\.saver)
        if savers != before {
            catalog.bulletin.updateHealth(of: scopeID) { $0.outdated = savers }
        }
        for version in news { catalog.bulletin.post(version.event) }
    }

    /// Whether the user has changed something within so many nanoseconds.
    nonisolated func hasChanged(within time: UInt64) -> Bool {
        let last = inbox.lastChange
        return last > 0 && clock.now() < last + time
    }

    private func isDue(_ item: ItemID, for writer: WriterState) -> Bool {
        openEdits.wait(
            item, for: writer, isOverdue: overdue.contains(item), at: clock.now())
    }

    /// The bytes of a row; a copy of them where programs have it open.
    ///
    /// Throws `.bodyChanged` where they are not to be sent after all: a program has begun to write.
    func snapshot(of row: LocalItem, for item: ItemID) async throws(DocFSError) -> Snapshot {
        let writer = replica.writer(of: row.ino)
        if writer != .none {
            guard isDue(item, for: writer) else { throw .bodyChanged }
            openEdits.begin(item, at: clock.now())
        }
        let snapshot = try await replica.snapshot(of: row)
        switch (writer, snapshot.writer) {
        case (.none, .held), (.none, .heldAndSynced), (.heldAndSynced, .held):
            openEdits.cancel(item)
            throw .bodyChanged
        default: return snapshot
        }
    }

    /// Programs wrote into an open document for as long as it took to copy it.
    func copyFailed(of item: ItemID) {
        if openEdits.fail(item, at: clock.now()) == Self.toldFailure {
            report(.bodyChanged, of: item)
        }
        retry(item, after: Self.pause)
    }
}
