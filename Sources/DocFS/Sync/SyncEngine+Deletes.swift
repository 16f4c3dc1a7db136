internal import Logging

/// Deletes that are too many to be believed at once wait for the user (S23), in either direction:
/// made here, or found in the store.
extension SyncEngine {
    /// More deletes than this, if they are more than half of all documents, wait.
    private static let limit = 500
    /// So many deletes are always believed, and at once.
    static let few = 50
    /// For how long a delete that was recorded counts beside those that follow, in nanoseconds.
    private static let memory: UInt64 = 60_000_000_000
    /// For how long deletes wait at most until no more are being made, in nanoseconds.
    private static let patience: UInt64 = 5_000_000_000

    // MARK: Made here

    /// Keeps the count of the documents that were deleted here and not yet in the store.
    func noteRemoval(_ trio: Trio) {
        guard trio.row == nil, trio.handover == nil, let base = trio.base, base.kind != .directory
        else {
            removals.remove(trio.item)
            return
        }
        if removals.isEmpty { removalsBegan = clock.now() }
        removals.insert(trio.item)
    }

    /// A record of this device says so.
    func recorded(removalOf item: ItemID) {
        guard removals.remove(item) != nil else { return }
        recordedRemovals.append(clock.now())
        if removals.isEmpty { showHeldDeletes() }
    }

    /// Some of the deletes were taken back, perhaps so many that the others need not wait.
    func reconsiderHeldRemovals() throws(DocFSError) {
        guard !heldRemovals.isEmpty, try delayOfRemovals() != .max else { return }
        releaseHeldRemovals()
    }

    /// When deletes that could not be counted are counted again, in nanoseconds.
    private static let countingAgain: UInt64 = 1_000_000_000

    /// Starts the deletes that are ready, or puts all of them off.
    ///
    /// - Returns: whether they may start.
    func mayRemove() -> Bool {
        var delay: UInt64? = Self.countingAgain
        // What cannot be counted now waits until it can be.
        do { delay = try delayOfRemovals() } catch {}
        guard let delay else { return true }
        let doomed = ready.filter { $0.step == .remove }.map(\.item)
        ready.removeAll { $0.step == .remove }
        for item in doomed {
            inFlight.remove(item)
            if delay < .max { retry(item, after: delay) }
        }
        if delay == .max { heldRemovals.formUnion(doomed) }
        return false
    }

    /// Deletes that were held go on when the user has confirmed them, or when they are not too many
    /// any more.
    private func releaseHeldRemovals() {
        queue += heldRemovals.sorted()
        heldRemovals.removeAll()
    }

    /// How long deletes that are ready have to wait, in nanoseconds; `nil` when they need not,
    /// `.max` when for the user.
    ///
    /// Many deletes are counted when no more are being made, so that the first of them do not slip
    /// through.
    func delayOfRemovals() throws(DocFSError) -> UInt64? {
        let now = clock.now()
        // The oldest first: there may be very many.
        let forgotten = recordedRemovals.prefix { $0 + Self.memory < now }.count
        recordedRemovals.removeFirst(forgotten)
        let count = removals.count + recordedRemovals.count
        // What the user is still changing may be deletes too.
        guard count + inbox.unsettledCount > Self.few else { return nil }
        let isMass = try areTooMany(count, alreadyGone: recordedRemovals.count)
        removalsAreHeld = isMass && !removalsAreConfirmed
        showHeldDeletes()
        if removalsAreHeld { return .max }
        let calm = inbox.lastChange + settings.settle
        guard now < min(calm, removalsBegan + Self.patience) else { return nil }
        return min(calm, removalsBegan + Self.patience) - now
    }

    // MARK: Found in the store

    /// What is missing in the store is deleted only when nothing speaks against it: the right
    /// marker is there, and it is not most of it.
    func adopt(gone: [ItemPath: ItemID]) async throws(DocFSError) {
        guard !gone.isEmpty else { return }
        try await checkMarker()
        missingAndHeld.merge(gone) { _, new in new }
        var doomed: [(ItemID, ItemState)] = []
        var seen: Set<ItemID> = []
        for (path, item) in missingAndHeld.sorted(by: { $0.key < $1.key })
        where !finished.contains(item) && !seen.contains(item) {
            doomed += try statesBelow(item, at: path).filter {
                !finished.contains($0.0) && seen.insert($0.0).inserted
            }
        }
        let documents = doomed.filter { $0.1.kind != .directory }.count
        if !missingIsConfirmed, try areTooMany(documents, alreadyGone: 0) {
            heldMissing = documents
            log.warning("\(documents) documents are missing in the store and wait to be confirmed")
            return showHeldDeletes()
        }
        missingAndHeld.removeAll()
        heldMissing = 0
        missingIsConfirmed = false
        showHeldDeletes()
        // What lies deepest goes first: a directory goes when it is empty.
        for (item, state) in doomed.reversed() { finish(gone: item, state) }
        if container.capabilities.directories { return }
        // Whoever removes a directory with all that is in it takes those with it that are only
        // there because it is.
        let directories = Set(doomed.filter { $0.1.kind == .directory }.map(\.0))
        let above = gone.filter { directories.contains($0.value) && !$0.key.parent.isRoot }
        guard !above.isEmpty else { return }
        suspects.formUnion(above.keys.map(\.parent))
        wake(at: clock.now())
    }

    /// The store has the object again.
    func found(_ path: ItemPath) {
        guard missingAndHeld.removeValue(forKey: path) != nil else { return }
        heldMissing = missingAndHeld.isEmpty ? 0 : heldMissing - 1
        showHeldDeletes()
    }

    func finish(gone item: ItemID, _ state: ItemState) {
        let change = Change(
            operation: OperationID(using: &random), item: item, before: Place(of: state),
            after: nil)
        finished.append(FinishedEffect(change: change, verb: nil, sent: nil))
    }

    /// An item with everything that the remote tree has below it, the item first; without what lies
    /// elsewhere in the store, and the directories that are on the way to it.
    ///
    /// - Parameter missing: where the item's object was.
    private func statesBelow(_ item: ItemID, at missing: ItemPath) throws(DocFSError)
        -> [(ItemID, ItemState)]
    {
        let scope = scope
        return try catalog.read { (read) throws(DocFSError) in
            var found: [(ItemID, ItemState)] = []
            var rest = [(item, try read.remotePath(of: item, scope: scope.id)?.parent)]
            var parents: [ItemID: ItemID] = [:]
            var elsewhere: Set<ItemID> = []
            while let (next, directory) = rest.popLast() {
                // A part would be counted as all (S23).
                if isStopping { throw .interrupted }
                guard let state = try read.state(.remote, of: next, scope: scope.id) else {
                    continue
                }
                found.append((next, state))
                parents[next] = state.parent
                let path = directory.map { $0.appending(state.name) } ?? missing
                if state.kind == .directory {
                    rest += try read.remoteChildren(of: next, scope: scope.id).map { ($0, path) }
                }
                let place = try read.lodging(of: next, scope: scope.id) ?? path
                guard !place.isAtOrBelow(missing) else { continue }
                var kept: ItemID? = next
                while let one = kept, elsewhere.insert(one).inserted { kept = parents[one] }
            }
            return found.filter { !elsewhere.contains($0.0) }
        }
    }

    // MARK: Both

    /// - Parameter alreadyGone: how many of the deletes the remote tree does not have any more.
    private func areTooMany(_ deletes: Int, alreadyGone: Int) throws(DocFSError) -> Bool {
        guard deletes > Self.limit else { return false }
        let documents = try documentsInStore()
        return deletes * 2 > documents + alreadyGone
    }

    /// How many documents the store has, as of the last few seconds: counting takes long where
    /// there are many.
    func documentsInStore() throws(DocFSError) -> Int {
        let now = clock.now()
        if let counted = documentCount, now < counted.moment + Self.patience {
            return counted.count
        }
        let scopeID = scopeID
        let count = try catalog.read { (read) throws(DocFSError) in
            try read.counts(scope: scopeID).documents
        }
        documentCount = (now, count)
        return count
    }

    /// What is held now may go; what comes later is counted anew.
    func confirmHeldDeletes() {
        if removalsAreHeld { removalsAreConfirmed = true }
        if heldMissing > 0 { missingIsConfirmed = true }
        releaseHeldRemovals()
        inbox.tell { $0.lookAtEverything = true }
    }

    func showHeldDeletes() {
        if removals.isEmpty { (removalsAreHeld, removalsAreConfirmed) = (false, false) }
        let held = heldMissing + (removalsAreHeld ? removals.count : 0)
        catalog.bulletin.updateHealth(of: scopeID) { $0.heldDeletes = held }
    }
}
