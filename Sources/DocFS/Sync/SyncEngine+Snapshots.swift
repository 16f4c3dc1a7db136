internal import Logging

/// The change log does not grow for ever. Now and then a device writes down what all records come
/// to, and raises the floor to what the snapshot before stood for: whoever was away for longer
/// reads the snapshot instead.
///
/// A record is removed an interval at least after a snapshot that includes it was written. So a
/// device that has read the log within a fraction of that cannot miss one; others look at the floor
/// before they take "no such record" for "nothing new", or append.
extension SyncEngine {
    /// Whether the log may have been shortened since it was last read.
    var mayBeBehind: Bool { clock.now() >= lastPoll + settings.collection / 4 }

    /// Reads the snapshot if records that this device has not read are kept no more, or so many
    /// that the snapshot is quicker.
    func catchUp() async throws(DocFSError) {
        guard let floor = try await container.floor() else { return }
        note(floor)
        let isQuicker = scope.anchor + Self.manyRecords < floor.snapshot.record
        if scope.anchor + 1 < floor.record || isQuicker { try await load(floor.snapshot) }
    }

    private static let manyRecords: UInt64 = 1_000

    /// Whether a record that was just appended lies where nobody reads any more.
    func isBelowFloor(_ number: UInt64) async throws(DocFSError) -> Bool {
        guard mayBeBehind, let floor = try await container.floor() else { return false }
        return number < floor.record
    }

    // MARK: Reading

    /// Makes the remote tree what a snapshot says, and plans what changed by that.
    ///
    /// Ended half-way it is begun anew: nothing is planned before it is whole.
    private func load(_ snapshot: LogSnapshot) async throws(DocFSError) {
        log.info("reading the snapshot of record \(snapshot.record)")
        var known: Set<ItemID> = []
        // Names that changed hands are free before they are given anew.
        for number in snapshot.pages.indices {
            let page = try await page(number, of: snapshot)
            known.formUnion(page.entries.map(\.item))
            try free(page.entries)
        }
        try removeOthers(than: known)
        let scopeID = scope.id
        try write { (write) throws(DocFSError) in try write.removeAllKept(scope: scopeID) }
        for number in snapshot.pages.indices {
            try take(try await page(number, of: snapshot))
        }
        try await acknowledgeVersions()
        try write { (write) throws(DocFSError) in
            try write.setAnchor(snapshot.record, scope: scopeID)
        }
        CrashPoint.reached(.recordApplied)
        scope.anchor = snapshot.record
        queueEverythingPending()
    }

    private func page(_ number: Int, of snapshot: LogSnapshot) async throws(DocFSError)
        -> SnapshotPage
    {
        if isStopping { throw .interrupted }
        return try await container.page(number, of: snapshot)
    }

    /// So many items change in one transaction: requests of the kernel wait for it.
    private static let loadedAtOnce = 1_000

    /// Removes from the remote tree what is otherwise in the snapshot.
    private func free(_ entries: [SnapshotPage.Entry]) throws(DocFSError) {
        let scopeID = scope.id
        try inPieces(entries) { (write, entry) throws(DocFSError) in
            guard let old = try write.read.state(.remote, of: entry.item, scope: scopeID),
                old != entry.state
            else { return }
            if case .file(let before) = old.content, case .file(let after) = entry.state.content,
                before.digest != nil, before.digest == after.digest,
                before.revision != after.revision
            {
                try write.followSource(
                    entry.item, scope: scopeID, from: before.revision, to: after.revision)
            }
            try write.setState(.remote, of: entry.item, scope: scopeID, to: nil)
            try write.markPending(entry.item, scope: scopeID)
        }
    }

    /// Removes from the remote tree what the snapshot does not have.
    private func removeOthers(than known: Set<ItemID>) throws(DocFSError) {
        let scopeID = scope.id
        var last = ItemID.root
        while true {
            let after = last
            let items = try catalog.read { (read) throws(DocFSError) in
                try read.remoteItems(scope: scopeID, after: after, limit: Self.loadedAtOnce)
            }
            guard let end = items.last else { return }
            try inPieces(items.filter { !known.contains($0) }) { (write, item) throws(DocFSError) in
                try write.setState(.remote, of: item, scope: scopeID, to: nil)
                try write.markPending(item, scope: scopeID)
            }
            last = end
        }
    }

    private func take(_ page: SnapshotPage) throws(DocFSError) {
        let scopeID = scope.id
        try inPieces(page.entries) { (write, entry) throws(DocFSError) in
            if try write.read.state(.remote, of: entry.item, scope: scopeID) == nil {
                try write.setState(.remote, of: entry.item, scope: scopeID, to: entry.state)
                try write.markPending(entry.item, scope: scopeID)
            }
            if let lodging = entry.lodging {
                try write.setLodging(of: entry.item, scope: scopeID, to: lodging)
                try write.markPending(entry.item, scope: scopeID)
            }
        }
        try inPieces(page.versions) { (write, version) throws(DocFSError) in
            try write.addVersion(version, scope: scopeID)
        }
        try inPieces(page.trash) { (write, trash) throws(DocFSError) in
            try write.addTrash(trash, scope: scopeID)
        }
        try inPieces(page.leftovers) { (write, leftover) throws(DocFSError) in
            try write.addLeftover(leftover, scope: scopeID)
        }
    }

    /// What this device has sent, and others have recorded and replaced since, is among the
    /// versions: it is acknowledged, as the record would have done.
    private func acknowledgeVersions() async throws(DocFSError) {
        let scope = scope
        let objectsMove = container.capabilities.moves
        let entries = try catalog.read { (read) throws(DocFSError) in
            try read.journal(scope: scope.id)
        }
        for entry in entries {
            let effect = try ContainerCoding.decodeEffect(entry.effect)
            guard effect.verb == .create || effect.verb == .replace, var after = effect.after,
                case .file(var body) = after.content, let digest = body.digest
            else { continue }
            let versions = try catalog.read { (read) throws(DocFSError) in
                try read.versions(of: effect.item, scope: scope.id)
            }
            guard let version = versions.first(where: { $0.digest == digest }) else { continue }
            body.revision = version.revision
            after.content = .file(body)
            let planned = try document(of: entry) ?? entry.item
            let sent = try await sentBody(of: effect, to: planned)
            let change = Change(
                operation: effect.operation, item: effect.item, before: effect.before,
                after: after)
            try write { (write) throws(DocFSError) in
                try LogApplier(write: write, scope: scope, objectsMove: objectsMove)
                    .acknowledge(change, verb: effect.verb, sent: sent)
                try write.removeJournal(effect.operation)
                try write.markPending(effect.item, scope: scope.id)
            }
            finished.remove(effect.operation)
            inFlight.remove(planned)
        }
    }

    private func inPieces<Element>(
        _ elements: [Element], _ body: (CatalogWriter, Element) throws(DocFSError) -> Void
    ) throws(DocFSError) {
        var rest = elements[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.loadedAtOnce)
            rest = rest.dropFirst(piece.count)
            try write { (write) throws(DocFSError) in
                for element in piece { try body(write, element) }
            }
        }
    }

    // MARK: Writing

    /// Remembers since when this device knows of the snapshot.
    private func note(_ floor: Floor) {
        knownFloor = floor.record
        guard floor.snapshot.record != knownSnapshot.record else { return }
        knownSnapshot = (floor.snapshot.record, clock.now())
    }

    /// Writes a snapshot when the last one is old, and there are many records since.
    func collectRecords() async throws(DocFSError) {
        let due = max(nextCollection, knownSnapshot.since + settings.collection)
        guard clock.now() >= due else { return wake(at: due) }
        if nextCollection == 0 {
            // Whoever has just started knows of nothing yet.
            nextCollection = clock.now() + settings.collection / 2
            return wake(at: nextCollection)
        }
        // Not all at the same time.
        nextCollection =
            clock.now() + settings.collection / 2
            + UInt64.random(in: 0...settings.collection / 2, using: &random)
        let known = try await container.floor()
        if let known, known.snapshot.record != knownSnapshot.record {
            return note(known)
        }
        let last = known?.snapshot.record ?? 0
        guard scope.anchor >= last + settings.collectedRecords else { return }
        let operation = OperationID(using: &random)
        let snapshot = try await writeSnapshot(by: operation)
        let floor = Floor(record: max(1, known == nil ? 1 : last + 1), snapshot: snapshot)
        do throws(DocFSError) {
            try await container.raise(floor, over: known)
        } catch .refused {
            // Another device was quicker: its snapshot counts.
            return try await removePages(of: snapshot)
        }
        note(floor)
        log.info("the change log is kept from record \(floor.record) on")
        if let known { try await removeRecords(from: known.record, to: floor.record) }
        if let former = known?.snapshot { try await removePages(of: former) }
    }

    private func writeSnapshot(by operation: OperationID) async throws(DocFSError) -> LogSnapshot {
        let directory = ContainerLayout.snapshot(of: scope.anchor, by: operation)
        var snapshot = LogSnapshot(record: scope.anchor, directory: directory, pages: [])
        var last = ItemID.root
        repeat {
            if isStopping { throw .interrupted }
            let after = last
            let (page, end) = try page(after: after)
            let number = snapshot.pages.count
            snapshot.pages.append(try await container.write(page, number, in: directory))
            last = end ?? .root
        } while last != .root
        try await container.store.makeDurable()
        for number in snapshot.pages.indices {
            _ = try await container.page(number, of: snapshot)
        }
        return snapshot
    }

    /// Items of one page.
    private static let pageSize = 20_000

    /// The items after one, and with the first page what the log told beside them.
    ///
    /// - Returns: the page, and its last item; `nil` when it is the last page.
    private func page(after item: ItemID) throws(DocFSError) -> (SnapshotPage, ItemID?) {
        let scopeID = scope.id
        return try catalog.readConsistently { (read) throws(DocFSError) in
            var page = SnapshotPage()
            let items = try read.remoteItems(scope: scopeID, after: item, limit: Self.pageSize)
            for item in items {
                guard let state = try read.state(.remote, of: item, scope: scopeID) else {
                    continue
                }
                page.entries.append(
                    SnapshotPage.Entry(
                        item: item, state: state,
                        lodging: try read.lodging(of: item, scope: scopeID)))
            }
            if item == .root {
                page.versions = try read.versions(scope: scopeID)
                page.trash = try read.trash(scope: scopeID)
                page.leftovers = try read.leftovers(scope: scopeID)
            }
            return (page, items.count < Self.pageSize ? nil : items.last)
        }
    }

    private func removeRecords(from first: UInt64, to end: UInt64) async throws(DocFSError) {
        for number in first..<end {
            if isStopping { return }
            try await container.removeSmall(ContainerLayout.record(number))
        }
    }

    private func removePages(of snapshot: LogSnapshot) async throws(DocFSError) {
        for number in snapshot.pages.indices {
            try await container.removeSmall(
                ContainerLayout.page(number, in: snapshot.directory))
        }
        do throws(DocFSError) {
            try await container.store.removeDirectory(snapshot.directory)
        } catch {
            log.debug("\(snapshot.directory) stays: \(error.sentence)")
        }
    }
}
