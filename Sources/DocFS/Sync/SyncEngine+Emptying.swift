internal import Logging

/// The trash is emptied, and earlier versions go, when the user says so: that is announced in the
/// change log, so that no device counts on it any more, and the bodies go one lease later, as what
/// is collected does.
///
/// Ended in between, what was announced from the trash is found again when it is old; versions that
/// the user has removed are remembered in the catalog.
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

    /// From any thread: an earlier version goes, at the latest when the store is back.
    ///
    /// - Throws: `.busy` while an unsent edit here still needs bytes of it, `.documentRefused`
    ///   where nothing may be deleted.
    package nonisolated func remove(_ version: VersionRecord) throws(DocFSError) {
        if let words = container.capabilities.deletesRefused { throw .documentRefused(words) }
        let scopeID = scopeID
        let kept = try catalog.write { (write) throws(DocFSError) -> Int64? in
            if try write.read.isNeeded(version.revision, scope: scopeID) { throw DocFSError.busy }
            try write.addUnwanted(version.path, scope: scopeID)
            guard let body = try write.read.namelessRow(of: version, scope: scopeID) else {
                return nil
            }
            try write.removeNamelessBody(body.ino)
            return body.ino
        }
        if let kept { replica.applied([.dropped(ino: kept)]) }
        log.notice("removing version \(version.revision) of \(version.item)")
        inbox.tell { $0.versionsAreUnwanted = true }
    }

    /// Begins with the versions that the user has removed, unless that has begun.
    ///
    /// Where nothing may be deleted by now, those that other devices still count on are shown
    /// again; while nothing may be written, they wait.
    func takeUpUnwantedVersions() throws(DocFSError) {
        let scopeID = scope.id
        let all = try catalog.read { (read) throws(DocFSError) in
            try read.unwantedVersions(scope: scopeID)
        }
        if all.isEmpty || isReadOnly { return }
        guard let words = container.capabilities.deletesRefused else {
            return emptying.add(all.subtracting(emptying.versions).sorted().map(Unwanted.version))
        }
        let kept = try write { (write) throws(DocFSError) in
            var kept = 0
            for path in all {
                if try write.read.version(at: path, scope: scopeID) != nil { kept += 1 }
                try write.removeUnwanted(path, scope: scopeID)
            }
            return kept
        }
        if kept == 0 { return }
        let sentence =
            "removed earlier versions in \(scope.name) are shown again (\(kept)): \(words)"
        log.warning("\(sentence)")
        catalog.bulletin.note(sentence)
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
            } else if !emptying.leaving.isEmpty {
                try await removeEmptied()
            } else {
                emptying.unwanted = emptying.stuck[...]
                emptying.stuck = []
                pauseEmptying()
            }
        } catch {
            try warn(error)
            pauseEmptying()
        }
        if !emptying.isDone { wake(at: emptying.next) }
    }

    /// Everything else goes on: no document waits for this.
    private func warn(_ error: DocFSError) throws(DocFSError) {
        switch error {
        case .offline, .interrupted: throw error
        default: log.warning("destroying versions or trash: \(error.sentence)")
        }
    }

    private func pauseEmptying() {
        emptying.failures += 1
        emptying.next =
            clock.now()
            + Backoff.pause(after: emptying.failures, from: 5_000_000_000, to: 600_000_000_000)
    }

    /// The most deleted items and versions of one record.
    private static let announcedTogether = 200
    /// The most that the store is asked about, or rid of, before everything else has its turn.
    private static let removedTogether = 8

    /// Asks the store what it has of the next ones.
    private func findUnwanted() async throws(DocFSError) {
        for _ in 0..<Self.removedTogether {
            guard let what = emptying.unwanted.first else { return }
            if isStopping { throw .interrupted }
            do throws(DocFSError) {
                emptying.add(Emptying.Found(what: what, bodies: try await bodies(of: what)))
            } catch {
                emptying.postpone(what)
                try warn(error)
            }
        }
    }

    /// What the store has of it.
    private func bodies(of unwanted: Unwanted) async throws(DocFSError) -> [StoredObject] {
        var bodies: [StoredObject] = []
        // Other devices say where a body lies.
        for path in try places(of: unwanted) where ContainerLayout.keeps(path) {
            if let body = try await container.store.stored(path) { bodies.append(body) }
        }
        return bodies
    }

    /// Where the container keeps the bodies that are to go.
    private func places(of unwanted: Unwanted) throws(DocFSError) -> [ItemPath] {
        let scopeID = scope.id
        switch unwanted {
        case .version(let place): return [place]
        case .deleted(let record):
            let places = record.content == .directory ? [] : [record.place]
            return try places
                + catalog.readConsistently { (read) throws(DocFSError) in
                    // Of what came back and was deleted again its versions go with the last one.
                    guard try read.state(.remote, of: record.item, scope: scopeID) == nil else {
                        return []
                    }
                    return try read.versions(of: record.item, scope: scopeID).map(\.path)
                }
        }
    }

    /// Tells everybody what goes.
    private func announceEmptied() async throws(DocFSError) {
        emptying.next =
            lastAppend + UInt64(container.capabilities.recordIntervalMilliseconds) * 1_000_000
        guard clock.now() >= emptying.next else { return }
        try await pull()
        let (going, collected, stuck) = try stillUnwanted(emptying.found)
        if !collected.isEmpty {
            guard try await record(collected: collected) else { return }
        }
        let goes = clock.now() + settings.retention.lease
        emptying.found = []
        emptying.stuck += stuck
        if !collected.isEmpty { emptying.failures = 0 }
        for found in going {
            emptying.leaving += found.bodies.map {
                Emptying.Leaving(what: found.what, body: $0, goes: goes)
            }
            if found.bodies.isEmpty { try forget(found.what) }
        }
        if emptying.unwanted.isEmpty { emptying.next = emptying.leaving.first?.goes ?? 0 }
    }

    /// What of it nobody has brought back meanwhile, as the log has it now; what of that is to be
    /// announced, which is all but what somebody has destroyed; and what cannot go yet.
    private func stillUnwanted(_ found: [Emptying.Found]) throws(DocFSError) -> (
        going: [Emptying.Found], announced: [ItemPath], stuck: [Unwanted]
    ) {
        let scopeID = scope.id
        return try catalog.readConsistently { (read) throws(DocFSError) in
            var going: [Emptying.Found] = []
            var announced: [ItemPath] = []
            var stuck: [Unwanted] = []
            // What stays on this device has not got all its bytes yet (S15).
            let awaited = try read.sourcesOfScratch()
            for found in found {
                switch found.what {
                case .deleted(let record):
                    if awaited.contains(record.item) { continue }
                    if try Self.isBack(record.item, scopeID, in: read) { continue }
                    let (item, operation) = (record.item, record.operation)
                    if try read.trash(of: item, operation: operation, scope: scopeID) == nil {
                        continue
                    }
                    announced += found.announced
                case .version(let place):
                    guard try read.isUnwanted(place, scope: scopeID) else { continue }
                    // Before it ended, this device may have announced it.
                    if let version = try read.version(at: place, scope: scopeID) {
                        // A document that was edited since may need it until it is sent.
                        if try read.isNeeded(version.revision, scope: scopeID) {
                            stuck.append(found.what)
                            continue
                        }
                        announced += found.announced
                    }
                }
                going.append(found)
            }
            return (going, announced, stuck)
        }
    }

    /// Removes what was announced long enough ago, unless it is another body by now, or what it is
    /// of has come back.
    private func removeEmptied() async throws(DocFSError) {
        for _ in 0..<Self.removedTogether {
            guard let next = emptying.leaving.first else { return }
            guard next.goes <= clock.now() else { return emptying.next = next.goes }
            if isStopping { throw .interrupted }
            if try isCountedOn(next) {
                // The user may have removed it once more.
                if case .version = next.what { emptying.unwanted.append(next.what) }
            } else {
                do throws(DocFSError) {
                    try await remove(next.body)
                    try forget(next.what)
                } catch {
                    try warn(error)
                    if case .version = next.what { emptying.stuck.append(next.what) }
                }
            }
            emptying.leaving.removeFirst()
            if emptying.stuck.isEmpty { emptying.failures = 0 }
        }
    }

    /// Whether somebody has brought back what a body is of, or the container keeps it again.
    private func isCountedOn(_ leaving: Emptying.Leaving) throws(DocFSError) -> Bool {
        let scopeID = scope.id
        if case .deleted(let record) = leaving.what {
            let isBack = try catalog.readConsistently { (read) throws(DocFSError) in
                try Self.isBack(record.item, scopeID, in: read)
            }
            if isBack { return true }
        }
        return try isKeptAgain(leaving.body.path)
    }

    /// The body of a version that the user had removed is gone.
    private func forget(_ unwanted: Unwanted) throws(DocFSError) {
        guard case .version(let place) = unwanted else { return }
        let scopeID = scope.id
        try write { (write) throws(DocFSError) in
            try write.removeUnwanted(place, scope: scopeID)
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
        // The store tells no age: the revision has to do.
        guard let revision = body.revision else { return }
        do throws(DocFSError) {
            try await container.store.remove(body.path, expecting: revision)
        } catch .notFound {
            return
        }
    }

    /// Whether the user of this device has just taken out of the trash what lies there.
    static func isComingBack(
        _ place: ItemPath, _ scope: Int64, _ write: CatalogWriter
    ) throws(DocFSError) -> Bool {
        guard let record = try write.read.trash(at: place, scope: scope),
            try write.read.isShown(record.item, scope: scope)
        else { return false }
        // With a base it is only to be hidden yet, unless an edit needs its bytes.
        if try write.read.state(.base, of: record.item, scope: scope) == nil { return true }
        guard let revision = record.content.revision else { return false }
        return try write.read.isNeeded(revision, scope: scope)
    }
}
