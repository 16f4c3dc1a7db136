internal import Logging

/// A body that another program overwrites or deletes in the container, and that this device still
/// has whole, is put back: to where the container keeps deleted documents and earlier versions
/// (S19).
///
/// A device leaves that to the one that found the body gone, for a while. The record that tells
/// where it lies is a removal that is void.
extension SyncEngine {
    /// Bodies were left by the process before, or when the store was reached last.
    func takeUpSoleBodies() throws(DocFSError) {
        let scopeID = scope.id
        let bodies = try catalog.read { (read) throws(DocFSError) in
            try read.namelessSoleBodies(scope: scopeID)
        }
        note(soleBodies: bodies)
        try write { (write) throws(DocFSError) in try write.removeStraySoleBodies(scope: scopeID) }
    }

    /// Bodies have lost their names here.
    func note(soleBodies bodies: [SoleBody]) {
        let (now, pause) = (clock.now(), settings.putBackPause)
        for body in bodies {
            // A body that another program moves may be found in its new place a moment later; and
            // the others do not all begin at once.
            let rest = body.isFoundHere ? pause / 4 : pause + random.next(upperBound: pause / 2 + 1)
            soleBodies.add(body, at: now + rest)
        }
    }

    /// How long bodies are put back before everything else has its turn, in nanoseconds.
    private static let longestRound: UInt64 = 5_000_000_000

    /// Puts back those whose turn it is, in a task beside the cycle.
    func putBackSoleBodies() {
        guard !soleBodies.isBusy, let next = soleBodies.next else { return }
        guard clock.now() >= next.moment else { return wake(at: next.moment) }
        soleBodies.isBusy = true
        Task {
            let end = clock.now() + Self.longestRound
            while canPutBack, let (key, moment) = soleBodies.next, moment <= clock.now(),
                clock.now() < end
            {
                do throws(DocFSError) {
                    try await putBack(key)
                } catch {
                    log.info("the sole body of \(key.item) is not put back: \(error.sentence)")
                    soleBodies.postpone(key, now: clock.now())
                }
            }
            soleBodies.isBusy = false
            inbox.wake()
        }
    }

    /// While the log is taken up once more nobody knows what the container keeps.
    private var canPutBack: Bool { isAttached && comparison == nil && !isStopping }

    private func putBack(_ key: SoleBodies.Key) async throws(DocFSError) {
        guard let (row, body) = try soleBody(key), let name = body.path.name else {
            return soleBodies.end(key)
        }
        guard row.state == .current, row.divergence == .none else { return try release(key) }
        let snapshot = try await replica.snapshot(of: row)
        guard snapshot.digest == row.sourceDigest ?? snapshot.digest,
            try await !isInContainer(snapshot, of: key.item)
        else { return try release(key) }
        guard canPutBack else { throw .interrupted }
        let (place, operation) = soleBodies.place(for: key, or: newPlace(for: body))
        let metadata = ObjectMetadata(
            item: key.item, operation: operation, digest: snapshot.digest,
            modified: row.modified, mode: row.metadata.mode)
        let revision: Revision
        do throws(DocFSError) {
            revision = try await store(snapshot, at: place, metadata)
        } catch {
            if reason(ofDocument: error) != nil { soleBodies.forgetPlace(of: key) }
            throw error
        }
        // It may have been recorded meanwhile; else it is found to be there the next time.
        guard canPutBack, soleBodies.awaits(operation, for: key) else { throw .interrupted }
        log.notice("\(body.path) was taken away by another program: its bytes are kept")
        let state = ItemState(
            parent: body.directory, name: name, metadata: row.metadata,
            content: .file(
                Body(size: snapshot.size, digest: snapshot.digest, revision: revision)))
        soleBodies.stored(key)
        finished.append(
            FinishedEffect(
                change: .putBack(state, of: key.item, to: place, by: operation), verb: nil,
                sent: nil))
    }

    private func newPlace(for body: SoleBody) -> (path: ItemPath, operation: OperationID) {
        let day = String(SiblingName.text(of: clock.wallTime()).prefix(10))
        let operation = OperationID(using: &random)
        return (ContainerLayout.trash(body.path, day: day, operation: operation), operation)
    }

    /// Writes the bytes to a place in the trash, unless an earlier try has.
    private func store(
        _ snapshot: Snapshot, at place: ItemPath, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> Revision {
        var stored: ObjectInfo?
        do throws(DocFSError) {
            stored = try await container.store.write(
                place,
                ObjectWrite(
                    payload: .bytes(snapshot.source, size: snapshot.size), metadata: metadata),
                condition: .absent, keeping: nil)
        } catch .exists {
            stored = try await container.store.head(place)
            guard stored?.metadata?.operation == metadata.operation else { throw .exists }
        }
        guard let revision = stored?.revision else { throw .exists }
        return revision
    }

    /// The row of a sole body; `nil` where there is none any more.
    private func soleBody(_ key: SoleBodies.Key) throws(DocFSError) -> (LocalItem, SoleBody)? {
        let scopeID = scope.id
        return try catalog.readConsistently { (read) throws(DocFSError) in
            guard let row = try read.namelessRow(.sole, of: key.item, scope: scopeID),
                row.sourceRevision == key.revision,
                let body = try read.soleBody(of: key.item, at: key.revision, scope: scopeID)
            else { return nil }
            return (row, body)
        }
    }

    /// Whether the container has the bytes all the same.
    private func isInContainer(_ snapshot: Snapshot, of item: ItemID) async throws(DocFSError)
        -> Bool
    {
        let scopeID = scope.id
        let (isKept, state) = try catalog.readConsistently { (read) throws(DocFSError) in
            (
                try Self.isKept(snapshot.digest, of: item, scopeID, in: read),
                try read.state(.remote, of: item, scope: scopeID)
            )
        }
        guard !isKept, let body = state?.content.body, body.digest == nil,
            body.size == snapshot.size, !container.capabilities.cheapListing
        else { return isKept }
        // Another program may only have copied it: elsewhere that was found out before.
        return try await digest(of: item, at: body.revision, size: body.size) == snapshot.digest
    }

    /// Whether the container has a body with that digest: as the document, as a version of it, or
    /// in the trash.
    static func isKept(_ digest: Digest, of item: ItemID, _ scope: Int64, in read: CatalogReader)
        throws(DocFSError) -> Bool
    {
        let current = try read.state(.remote, of: item, scope: scope)?.content.body?.digest
        let versions = try read.versions(of: item, scope: scope).map(\.digest)
        let trash = try read.trash(of: item, scope: scope).map { $0.content.body?.digest }
        return PutBack.isKept(digest, current: current, versions: versions, trash: trash)
    }

    /// Whether a body is still to be put back: no other device was quicker, and nobody has
    /// destroyed what that one had put there.
    static func isAwaited(_ change: Change, _ scope: Int64, in read: CatalogReader)
        throws(DocFSError) -> Bool
    {
        guard let digest = change.removed?.content.body?.digest,
            try read.hasSoleBody(of: change.item, scope: scope)
        else { return false }
        return try !isKept(digest, of: change.item, scope, in: read)
    }

    /// What this device has stored for a change that is not recorded goes, unless the log counts on
    /// it all the same.
    func takeAway(_ change: Change) throws(DocFSError) {
        soleBodies.look(atStoredBy: change.operation)
        guard let place = change.kept, let revision = change.removed?.content.revision else {
            return
        }
        let scopeID = scope.id
        let isCountedOn = try catalog.readConsistently { (read) throws(DocFSError) in
            if try read.trash(at: place, scope: scopeID) != nil { return true }
            return try read.version(at: place, scope: scopeID) != nil
        }
        if isCountedOn { return }
        Task {
            do throws(DocFSError) {
                try await container.store.remove(place, expecting: revision)
            } catch {
                // It goes with the retention.
                log.debug("\(place) stays in the trash: \(error.sentence)")
            }
        }
    }

    /// A body need not be put back: planning drops it.
    private func release(_ key: SoleBodies.Key) throws(DocFSError) {
        let scopeID = scope.id
        try write { (write) throws(DocFSError) in
            try write.removeSoleBody(key.item, at: key.revision, scope: scopeID)
            try write.markPending(key.item, scope: scopeID)
        }
        soleBodies.end(key)
        enqueue(key.item)
    }
}
