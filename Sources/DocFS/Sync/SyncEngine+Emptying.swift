internal import Logging

/// The trash is emptied when the user says so: what was in it then is announced in the change log,
/// so that no device counts on it any more, and goes one lease later, as what is collected does.
///
/// Ended in between, what was announced is found again when it is old.
extension SyncEngine {
    /// From any thread.
    ///
    /// - Parameter path: what was deleted there or below goes.
    /// - Throws: `.offline` when the store is.
    package nonisolated func emptyTrash(below path: ItemPath) throws(DocFSError) {
        let health = catalog.bulletin.health(of: scopeID)
        guard health.isOnline else { throw .offline(health.problem ?? "the store is not reached") }
        inbox.tell { $0.emptied.append(path) }
    }

    /// Notes what is in the trash below these paths.
    func note(emptied paths: [ItemPath]) throws(DocFSError) {
        let scopeID = scope.id
        for path in paths {
            emptying.unwanted += try catalog.read { (read) throws(DocFSError) in
                // What was in a directory before the directory itself.
                try read.restorable(scope: scopeID, atOrBelow: path).reversed()
            }
        }
        if !paths.isEmpty { log.notice("emptying the trash: \(emptying.unwanted.count) items") }
    }

    /// Goes on with it, a little at a time.
    func emptyTrash() async throws(DocFSError) {
        if emptying.isDone { return }
        if emptying.found.count < Self.announcedTogether, !emptying.unwanted.isEmpty {
            try await findUnwanted()
        } else if !emptying.found.isEmpty {
            try await announceEmptied()
        } else {
            try await removeEmptied()
        }
        let isWaiting = emptying.unwanted.isEmpty && emptying.found.isEmpty
        if let next = emptying.leaving.first, isWaiting { return wake(at: next.goes) }
        if !emptying.isDone { wake(at: clock.now()) }
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
            for path in paths {
                if let body = try await container.store.stored(path) { bodies.append(body) }
            }
            emptying.unwanted.removeFirst()
            emptying.found.append(Emptying.Found(record: record, bodies: bodies))
        }
    }

    /// Tells everybody what goes.
    private func announceEmptied() async throws(DocFSError) {
        let earliest =
            lastAppend + UInt64(container.capabilities.recordIntervalMilliseconds) * 1_000_000
        guard clock.now() >= earliest else { return wake(at: earliest) }
        try await pull()
        let going = try stillUnwanted(emptying.found)
        let collected = going.flatMap(\.announced)
        if !collected.isEmpty {
            guard try await record(collected: collected) else { return }
        }
        let goes = clock.now() + settings.retention.lease
        emptying.found = []
        emptying.leaving += going.flatMap(\.bodies).map { Emptying.Leaving(body: $0, goes: goes) }
    }

    /// What of it nobody has brought back meanwhile, or destroyed, as the log has it now.
    private func stillUnwanted(_ found: [Emptying.Found]) throws(DocFSError) -> [Emptying.Found] {
        let scopeID = scope.id
        return try catalog.readConsistently { (read) throws(DocFSError) in
            var still: [Emptying.Found] = []
            for found in found {
                let (item, operation) = (found.record.item, found.record.operation)
                if try read.isShown(item, scope: scopeID) { continue }
                if try read.state(.remote, of: item, scope: scopeID) != nil { continue }
                if try read.trash(of: item, operation: operation, scope: scopeID) != nil {
                    still.append(found)
                }
            }
            return still
        }
    }

    /// Removes what was announced long enough ago, unless it is another body by now.
    private func removeEmptied() async throws(DocFSError) {
        for _ in 0..<Self.removedTogether {
            guard let next = emptying.leaving.first, next.goes <= clock.now() else { return }
            if isStopping { throw .interrupted }
            if let stored = next.body.stored, try !isKeptAgain(next.body.path) {
                try await container.store.removeOld(next.body, storedUntil: stored)
            }
            emptying.leaving.removeFirst()
        }
    }
}
