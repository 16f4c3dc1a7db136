internal import Logging

/// The trash is emptied when the user says so: what was in it then is announced in the change log,
/// so that no device counts on it any more, and goes one lease later, as what is collected does.
///
/// Ended in between, what was announced is found again when it is old.
extension SyncEngine {
    /// From any thread: what can be restored at this moment of what was at `path` or below goes.
    ///
    /// - Throws: `.offline` when the store is; it is given up too when the store goes offline
    ///   before it was announced. `.documentRefused` where nothing may be deleted.
    package nonisolated func emptyTrash(below path: ItemPath) throws(DocFSError) {
        if let words = container.capabilities.deletesRefused { throw .documentRefused(words) }
        let health = catalog.bulletin.health(of: scopeID)
        guard health.isOnline else { throw .offline(health.problem ?? "the store is not reached") }
        let unwanted = try catalog.read { (read) throws(DocFSError) in
            // What was in a directory before the directory itself.
            try read.restorable(scope: scopeID, atOrBelow: path).reversed()
        }
        log.notice("emptying the trash: \(unwanted.count) items")
        inbox.tell { $0.unwanted += unwanted }
    }

    /// Goes on with it, a little at a time.
    func emptyTrash() async throws(DocFSError) {
        guard !emptying.isDone else { return }
        guard clock.now() >= emptying.next else { return wake(at: emptying.next) }
        do throws(DocFSError) {
            if emptying.found.count < Self.announcedTogether, !emptying.unwanted.isEmpty {
                try await findUnwanted()
            } else if !emptying.found.isEmpty {
                try await announceEmptied()
            } else {
                try await removeEmptied()
            }
        } catch {
            switch error {
            case .offline, .interrupted: throw error
            default:
                // Everything else goes on: no document waits for this.
                log.warning("emptying the trash: \(error.sentence)")
                emptying.failures += 1
                emptying.next =
                    clock.now()
                    + Backoff.pause(
                        after: emptying.failures, from: 5_000_000_000, to: 600_000_000_000)
            }
        }
        if !emptying.isDone { wake(at: emptying.next) }
    }

    /// The most deleted items of one record.
    private static let announcedTogether = 200
    /// The most that the store is asked about, or rid of, before everything else has its turn.
    private static let removedTogether = 8

    /// Asks the store what it has of the next ones.
    private func findUnwanted() async throws(DocFSError) {
        let scopeID = scope.id
        for _ in 0..<Self.removedTogether {
            guard let record = emptying.unwanted.first else { return }
            if isStopping { throw .interrupted }
            var paths = record.content == .directory ? [] : [record.place]
            paths += try catalog.readConsistently { (read) throws(DocFSError) in
                // Of what came back and was deleted again its versions go with the last one.
                guard try read.state(.remote, of: record.item, scope: scopeID) == nil else {
                    return []
                }
                return try read.versions(of: record.item, scope: scopeID).map(\.path)
            }
            var bodies: [StoredObject] = []
            // Other devices say where a body lies.
            for path in paths where ContainerLayout.keeps(path) {
                if let body = try await container.store.stored(path) { bodies.append(body) }
            }
            emptying.add(Emptying.Found(record: record, bodies: bodies))
        }
    }

    /// Tells everybody what goes.
    private func announceEmptied() async throws(DocFSError) {
        emptying.next =
            lastAppend + UInt64(container.capabilities.recordIntervalMilliseconds) * 1_000_000
        guard clock.now() >= emptying.next else { return }
        try await pull()
        let going = try stillUnwanted(emptying.found)
        let collected = going.flatMap(\.announced)
        if !collected.isEmpty {
            guard try await record(collected: collected) else { return }
        }
        let goes = clock.now() + settings.retention.lease
        emptying.found = []
        emptying.failures = 0
        for found in going {
            emptying.leaving += found.bodies.map {
                Emptying.Leaving(item: found.record.item, body: $0, goes: goes)
            }
        }
        if emptying.unwanted.isEmpty { emptying.next = emptying.leaving.first?.goes ?? 0 }
    }

    /// What of it nobody has brought back meanwhile, or destroyed, as the log has it now.
    private func stillUnwanted(_ found: [Emptying.Found]) throws(DocFSError) -> [Emptying.Found] {
        let scopeID = scope.id
        return try catalog.readConsistently { (read) throws(DocFSError) in
            var still: [Emptying.Found] = []
            // What stays on this device has not got all its bytes yet (S15).
            let awaited = try read.sourcesOfScratch()
            for found in found {
                let (item, operation) = (found.record.item, found.record.operation)
                if awaited.contains(item) { continue }
                if try Self.isBack(item, scopeID, in: read) { continue }
                if try read.trash(of: item, operation: operation, scope: scopeID) != nil {
                    still.append(found)
                }
            }
            return still
        }
    }

    /// Removes what was announced long enough ago, unless it is another body by now, or what it is
    /// of has come back.
    private func removeEmptied() async throws(DocFSError) {
        for _ in 0..<Self.removedTogether {
            guard let next = emptying.leaving.first else { return }
            guard next.goes <= clock.now() else { return emptying.next = next.goes }
            if isStopping { throw .interrupted }
            let (item, scopeID) = (next.item, scope.id)
            let isBack = try catalog.readConsistently { (read) throws(DocFSError) in
                try Self.isBack(item, scopeID, in: read)
            }
            if !isBack, try !isKeptAgain(next.body.path) {
                do throws(DocFSError) {
                    try await remove(next.body)
                } catch {
                    if case .offline = error { throw error }
                    log.warning("\(next.body.path) stays: \(error.sentence)")
                }
            }
            emptying.leaving.removeFirst()
            emptying.failures = 0
        }
    }

    /// Whether somebody has brought an item back: the user of this device, or the container has it.
    private static func isBack(_ item: ItemID, _ scope: Int64, in read: CatalogReader)
        throws(DocFSError) -> Bool
    {
        if try read.isShown(item, scope: scope) { return true }
        return try read.state(.remote, of: item, scope: scope) != nil
    }

    private func remove(_ body: StoredObject) async throws(DocFSError) {
        if let stored = body.stored {
            return try await container.store.removeOld(body, storedUntil: stored)
        }
        // The store tells no age; what is in the trash is written once.
        guard let revision = body.revision else { return }
        do throws(DocFSError) {
            try await container.store.remove(body.path, expecting: revision)
        } catch .notFound {
            return
        }
    }
}
