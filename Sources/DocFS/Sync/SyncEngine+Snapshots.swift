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
        do throws(DocFSError) {
            try await readSnapshot()
        } catch .corrupt(let words) {
            throw trouble(.damaged, .corrupt(words))
        }
    }

    private func readSnapshot() async throws(DocFSError) {
        guard let floor = try await container.floor() else { return try beginAnew() }
        note(floor)
        let worth = Self.manyRecords + Self.recordsOfPage * UInt64(floor.snapshot.pages.count)
        let isQuicker = scope.anchor + worth < floor.snapshot.record
        if scope.anchor + 1 < floor.record || isQuicker {
            // What it stands for is to be what was read here.
            if scope.anchor >= floor.record { try await checkAnchor() }
            try await load(floor.snapshot)
        } else {
            try beginAnew()
        }
    }

    /// A snapshot that was begun, and is none any more, has left a part of itself: the log is read
    /// from its first record.
    private func beginAnew() throws(DocFSError) {
        guard scope.anchor == 0 else { return }
        try removeItems(after: .root, upTo: nil, but: [])
        let scopeID = scope.id
        try write { (write) throws(DocFSError) in try write.removeAllKept(scope: scopeID) }
    }

    /// A snapshot is quicker than more records than these and those that take as long as its pages.
    private static let manyRecords: UInt64 = 1_000
    private static let recordsOfPage: UInt64 = 50

    /// Whether a record that was just appended lies where nobody reads any more.
    func isBelowFloor(_ number: UInt64) async throws(DocFSError) -> Bool {
        guard mayBeBehind, let floor = try await container.floor() else { return false }
        return number < floor.record
    }

    // MARK: Reading

    /// Makes the remote tree what a snapshot says, and plans what changed by that.
    ///
    /// Ended half-way it is begun anew: nothing is planned before it is whole. One page is in
    /// memory at a time, and each is read once.
    private func load(_ snapshot: LogSnapshot) async throws(DocFSError) {
        log.info("reading the snapshot of record \(snapshot.record)")
        let scopeID = scope.id
        var last = ItemID.root
        for number in snapshot.pages.indices {
            let page = try await page(number, of: snapshot)
            if number == 0 { try beginLoading() }
            if let end = page.entries.last?.item {
                try removeItems(after: last, upTo: end, but: Set(page.entries.map(\.item)))
                try take(page.entries, after: last)
                last = end
            }
            try takeKept(of: page)
        }
        try removeItems(after: last, upTo: nil, but: [])
        try checkTree()
        try await acknowledgeVersions()
        try write { (write) throws(DocFSError) in
            try write.setAnchor(snapshot.record, snapshot.digest, scope: scopeID)
            try write.markStrayBodies(scope: scopeID)
        }
        CrashPoint.reached(.recordApplied)
        scope.anchor = snapshot.record
        scope.digest = snapshot.digest
        // Whoever is being attached does so when that has come to its end.
        if isAttached { try queueEverythingPending() }
    }

    /// From here on the remote tree is no record's: who is interrupted begins again.
    func beginLoading() throws(DocFSError) {
        let scopeID = scope.id
        try write { (write) throws(DocFSError) in
            try write.setAnchor(0, nil, scope: scopeID)
            try write.removeAllKept(scope: scopeID)
            try forgetBreaches(write)
        }
        scope.anchor = 0
        scope.digest = nil
        showBreaches()
    }

    private func page(_ number: Int, of snapshot: LogSnapshot) async throws(DocFSError)
        -> SnapshotPage
    {
        if isStopping { throw .interrupted }
        return try await container.page(number, of: snapshot)
    }

    /// So many items change in one transaction: requests of the kernel wait for it.
    private static let loadedAtOnce = 1_000

    /// Removes from the remote tree the items between two that the snapshot does not have.
    ///
    /// - Parameters:
    ///   - end: the last one; `nil`: there is no end.
    ///   - known: those that it has.
    private func removeItems(after last: ItemID, upTo end: ItemID?, but known: Set<ItemID>)
        throws(DocFSError)
    {
        let scopeID = scope.id
        var last = last
        while true {
            let after = last
            let items = try catalog.read { (read) throws(DocFSError) in
                try read.remoteItems(scope: scopeID, after: after, limit: Self.loadedAtOnce)
            }
            let inside = items.prefix { item in end.map { item <= $0 } ?? true }
            let others = inside.filter { !known.contains($0) }
            try inPieces(others) { (write, item) throws(DocFSError) in
                try write.setState(.remote, of: item, scope: scopeID, to: nil)
                try write.markPending(item, scope: scopeID)
            }
            guard let next = inside.last, inside.count == Self.loadedAtOnce else { return }
            last = next
        }
    }

    /// Takes over the items of a page, which are in their order.
    ///
    /// - Parameter last: the last item of the page before.
    private func take(_ entries: [SnapshotPage.Entry], after last: ItemID) throws(DocFSError) {
        let scopeID = scope.id
        var last = last
        for entry in entries {
            guard entry.item > last else { throw .corrupt("a snapshot is not in its order") }
            last = entry.item
        }
        try inPieces(entries) { (write, entry) throws(DocFSError) in
            let old = try write.read.state(.remote, of: entry.item, scope: scopeID)
            if old != entry.state {
                if let old { try Self.follow(entry, old, scopeID, write) }
                // Names change hands: who has this one gets another when its turn comes, or goes.
                try write.freeRemoteName(of: entry.state, for: entry.item, scope: scopeID)
                do throws(DocFSError) {
                    try write.setState(.remote, of: entry.item, scope: scopeID, to: entry.state)
                } catch .exists {
                    throw .corrupt("the snapshot of the log has a name twice")
                }
                try write.markPending(entry.item, scope: scopeID)
            }
            // Older pages do not tell.
            if entry.saver != nil || old?.content != entry.state.content {
                try write.setSaver(of: entry.item, scope: scopeID, to: entry.saver)
            }
            if let lodging = entry.lodging {
                try write.setLodging(of: entry.item, scope: scopeID, to: lodging)
                try write.markPending(entry.item, scope: scopeID)
            }
        }
    }

    /// Makes sure that a snapshot made a tree: every item in a directory that hangs on the root, no
    /// deeper than a container goes.
    ///
    /// - Throws: `.corrupt`; `.interrupted` when the engine is to stop.
    private func checkTree() throws(DocFSError) {
        var found = 0
        var directories = [(item: ItemID.root, depth: 1)]
        while let (directory, depth) = directories.popLast() {
            var last = Name("")
            while true {
                if isStopping { throw .interrupted }
                let (scopeID, after) = (scope.id, last)
                let entries = try catalog.read { (read) throws(DocFSError) in
                    try read.remoteEntries(
                        of: directory, scope: scopeID, after: after, limit: Self.loadedAtOnce)
                }
                guard entries.isEmpty || depth <= ItemPath.maximumDepth else {
                    throw .corrupt("the snapshot of the log lies too deep")
                }
                // One whose name another item has taken got none of its own.
                guard entries.first?.name.bytes.first != 0 else {
                    throw .corrupt("the snapshot of the log has a name twice")
                }
                found += entries.count
                for entry in entries where entry.isDirectory {
                    directories.append((entry.item, depth + 1))
                }
                guard entries.count == Self.loadedAtOnce, let name = entries.last?.name else {
                    break
                }
                last = name
            }
        }
        let scopeID = scope.id
        let count = try catalog.read { (read) throws(DocFSError) in
            try read.remoteCount(scope: scopeID)
        }
        guard found == count else {
            throw .corrupt("the snapshot of the log has items that lie nowhere")
        }
    }

    /// The same bytes may have another revision now.
    private static func follow(
        _ entry: SnapshotPage.Entry, _ old: ItemState, _ scope: Int64, _ write: CatalogWriter
    ) throws(DocFSError) {
        guard case .file(let before) = old.content, case .file(let after) = entry.state.content,
            before.digest != nil, before.digest == after.digest, before.revision != after.revision
        else { return }
        try write.followSource(
            entry.item, scope: scope, from: before.revision, to: after.revision)
    }

    private func takeKept(of page: SnapshotPage) throws(DocFSError) {
        let scopeID = scope.id
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
        let (objectsMove, device) = (container.capabilities.moves, container.device.id)
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
                try LogApplier(
                    write: write, scope: scope, objectsMove: objectsMove, device: device
                ).acknowledge(change, verb: effect.verb, sent: sent)
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
            // Everything that is pending by this is queued at the end, once.
            try catalog.write(isSyncing: true, isTold: false) { (write) throws(DocFSError) in
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
        if container.capabilities.deletesRefused != nil { return }
        // It may become a container's, record by record.
        if container.capabilities.logIsPrivate { return }
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
        try await checkAnchor()
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
        if known != nil { try await removeRecords(below: floor.record) }
        if let former = known?.snapshot { try await removePages(of: former) }
    }

    func writeSnapshot(by operation: OperationID) async throws(DocFSError) -> LogSnapshot {
        guard let digest = scope.digest else { throw .corrupt("the log has no record yet") }
        let directory = ContainerLayout.snapshot(of: scope.anchor, by: operation)
        var snapshot = LogSnapshot(
            record: scope.anchor, digest: digest, directory: directory, pages: [])
        var reader = SnapshotReader(scope: scopeID)
        repeat {
            if isStopping { throw .interrupted }
            let page = try reader.next(from: catalog)
            let number = snapshot.pages.count
            snapshot.pages.append(try await container.write(page, number, in: directory))
        } while !reader.isAtEnd
        try await container.store.makeDurable()
        for number in snapshot.pages.indices {
            _ = try await container.page(number, of: snapshot)
        }
        return snapshot
    }

    /// Removes the records below the floor that are there.
    ///
    /// Whoever wrote the last floor may have named any number.
    private func removeRecords(below end: UInt64) async throws(DocFSError) {
        for record in try await container.records(below: end) {
            if isStopping { return }
            try await container.removeSmall(record)
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
