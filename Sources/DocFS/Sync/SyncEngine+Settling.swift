internal import Logging

/// Finding out what became of effects whose answers never came.
extension SyncEngine {
    /// After a restart: finds out about every intended effect whether it took place.
    func settleJournal() async throws(DocFSError) {
        let scopeID = scope.id
        let entries = try catalog.read { (read) throws(DocFSError) in
            try read.journal(scope: scopeID)
        }
        for entry in entries where finished[entry.operation] == nil {
            let document = try document(of: entry)
            let planned = document ?? entry.item
            if inFlight.contains(planned) { continue }
            if let words = container.capabilities.writesRefused {
                wait(toSettle: planned, words)
                continue
            }
            let effect = try ContainerCoding.decodeEffect(entry.effect)
            let settled: Change?
            do throws(DocFSError) {
                settled = try await container.settle(effect)
            } catch {
                guard let reason = reason(ofDocument: error) else { throw error }
                wait(toSettle: planned, reason)
                continue
            }
            if let change = settled {
                CrashPoint.reached(.effectSettled)
                finished.append(
                    FinishedEffect(
                        change: change, verb: effect.verb,
                        sent: try await sentBody(of: effect, to: planned), document: document,
                        takesOver: effect.makesDirectory, place: effect.placeAfter))
                inFlight.insert(planned)
            } else {
                try write { (write) throws(DocFSError) in
                    try Self.dropJournal(entry.operation, of: scopeID, write)
                }
            }
        }
        try await appendFinished(evenEarly: true)
    }

    /// Whether the bytes here still are those that an effect sent before the crash.
    ///
    /// - Parameter item: whose row's bytes they are.
    func sentBody(of effect: Effect, to item: ItemID) async throws(DocFSError) -> SentBody? {
        guard effect.verb == .create || effect.verb == .replace else { return nil }
        let scopeID = scope.id
        let row = try catalog.read { (read) throws(DocFSError) in
            try read.local(item: item, scope: scopeID)
        }
        guard let row else { return nil }
        let whole = SentBody(ino: row.ino, generation: row.generation)
        if row.isDirectory { return whole }
        // What was renamed over the document since has not been sent.
        if row.isSymlink { return effect.after?.isLink(to: row.target) == true ? whole : nil }
        if row.divergence == .stored {
            return effect.source?.revision == row.sourceRevision ? whole : nil
        }
        if replica.isSuspect(row) { return whole }
        guard case .file(let body) = effect.after?.content,
            let snapshot = try? await replica.snapshot(of: row), snapshot.digest == body.digest
        else { return nil }
        return SentBody(ino: row.ino, generation: snapshot.generation)
    }

    // MARK: Effects that the store hides

    /// Blocks an item until the store lets us see whether its effect took place.
    func wait(toSettle item: ItemID, _ reason: String) {
        openEdits.cancel(item)
        inFlight.insert(item)
        unsettled.insert(item)
        nextSettling = clock.now() + Self.settlingPause
        wake(at: nextSettling)
        log.warning("\(item): it is not known whether it was sent: \(reason)")
        report(.documentRefused(reason), of: item)
    }

    /// Why nothing can be found out about one document, in words; `nil` where that is the
    /// container's trouble.
    func reason(ofDocument error: DocFSError) -> String? {
        switch error {
        case .documentRefused(let reason): reason
        case .outcomeUnknown(let reason, ofDocument: true): reason
        default: nil
        }
    }

    /// Nanoseconds.
    private static let settlingPause: UInt64 = 60_000_000_000

    /// Looks again for the effects that the store has hidden so far.
    func settleRefused() async throws(DocFSError) {
        guard !unsettled.isEmpty else { return }
        guard clock.now() >= nextSettling else { return wake(at: nextSettling) }
        inFlight.subtract(unsettled)
        let items = unsettled
        unsettled.removeAll()
        try await settleJournal()
        for item in items.sorted() where !inFlight.contains(item) { enqueue(item) }
    }
}

extension ItemState {
    fileprivate func isLink(to target: [UInt8]?) -> Bool {
        if case .symlink(let own, _) = content { return own == target }
        return false
    }
}
