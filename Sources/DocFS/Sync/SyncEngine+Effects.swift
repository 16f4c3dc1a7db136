internal import Logging

extension SyncEngine {
    /// Carries out a step about the store in a task of its own.
    func start(_ step: Step, of item: ItemID) {
        running += 1
        catalog.bulletin.updateHealth(of: scope.id) { $0.uploading += 1 }
        Task {
            do throws(DocFSError) {
                try await carryOut(step, of: item)
            } catch {
                await failed(item, error)
            }
            running -= 1
            catalog.bulletin.updateHealth(of: scope.id) { $0.uploading -= 1 }
            startReady()
            inbox.wake()
        }
    }

    private func carryOut(_ planned: Step, of item: ItemID) async throws(DocFSError) {
        if isReadOnly { throw .readOnly }
        var snapshot: Snapshot?
        let row = try trio(item).row
        if let row, row.isFile, row.divergence != .stored,
            [.create, .replace, .sendAside].contains(planned)
        {
            snapshot = try await self.snapshot(of: row, for: item)
        }
        guard case (var effect, let sent)? = try intend(planned, item, row, snapshot)
        else { return }
        if let source = effect.source, let place = bodies.place(of: source.revision) {
            effect.source?.places.append(place)
        }
        do throws(DocFSError) {
            try await makeIntentsDurable()
        } catch {
            try forget(effect)
            throw error
        }
        CrashPoint.reached(.effectIntended)
        if effect.verb == .remove {
            await keepDirectory(around: effect.path, without: effect.item)
        }
        let (change, takesOver): (Change, Bool)
        do throws(DocFSError) {
            (change, takesOver) = try await container.perform(
                effect, body: snapshot?.source ?? [UInt8]())
        } catch .outcomeUnknown(let reason, let isOfDocument) {
            log.info("settling \(effect.operation): \(reason)")
            let found: Change?
            do throws(DocFSError) {
                found = try await settle(effect)
            } catch .documentRefused(let reason) {
                return wait(toSettle: item, reason)
            }
            guard let settled = found else {
                try forget(effect)
                // A store that takes no writes and says nothing is told of like one that says why.
                throw .outcomeUnknown(reason, ofDocument: isOfDocument)
            }
            (change, takesOver) = (settled, effect.makesDirectory)
        } catch {
            return try await giveUp(effect, of: item, row, error)
        }
        CrashPoint.reached(.effectDone)
        openEdits.end(item, at: clock.now())
        finished.append(
            FinishedEffect(
                change: change, verb: effect.verb, sent: sent,
                document: effect.item == item ? nil : item, takesOver: takesOver,
                place: effect.placeAfter))
    }

    /// An effect was not carried out.
    private func giveUp(
        _ effect: Effect, of item: ItemID, _ row: LocalItem?, _ error: DocFSError
    ) async throws(DocFSError) {
        try forget(effect)
        if error == .revisionGone, effect.source != nil, try !sendOwnBytes(of: item),
            failures[item, default: 0] >= Self.patience
        {
            // The bytes are neither here nor where any record knows of: the user is told.
            if let row { await noteMissingBody(of: row) }
            throw error
        }
        if effect.verb == .bringHome, Self.isRefusal(error) || Self.isOfDocument(error) {
            refusedHomecomings[item, default: 0] += 1
        }
        guard Self.isRefusal(error) else { throw error }
        try refused(effect, of: item)
    }

    /// Returns when the intents written so far are on stable storage, so that the container never
    /// has what its author knows nothing of after a power cut.
    ///
    /// Effects that start together wait for one fdatasync(2).
    private func makeIntentsDurable() async throws(DocFSError) {
        intents.written += 1
        let own = intents.written
        await Task.yield()
        if intents.durable >= own { return }
        let all = intents.written
        try catalog.makeDurable()
        intents.durable = all
    }

    /// Finds out whether an effect took place.
    ///
    /// Until that is known nothing else may be tried: the container is attached again, which begins
    /// with the journal; where only this document's outcome cannot be known, it waits alone.
    ///
    /// - Throws: `.documentRefused` then.
    private func settle(_ effect: Effect) async throws(DocFSError) -> Change? {
        do throws(DocFSError) {
            return try await container.settle(effect)
        } catch .interrupted {
            throw .interrupted
        } catch {
            throw reason(ofDocument: error).map { .documentRefused($0) } ?? .offline(error.sentence)
        }
    }

    private func trio(_ item: ItemID) throws(DocFSError) -> Trio {
        let scope = scope
        return try catalog.read { [self] (read) throws(DocFSError) in
            try Trio(
                item, scope: scope, in: read, replica: replica, bodies: KnownBodies(),
                fetchFirst: settings.fetchFirst)
        }
    }

    /// Writes the intent into the journal, if the plan still is what the trees want.
    private func intend(
        _ planned: Step, _ item: ItemID, _ row: LocalItem?, _ snapshot: Snapshot?
    ) throws(DocFSError) -> (Effect, SentBody?)? {
        let scope = scope
        let operation = OperationID(using: &random)
        let sibling = Sibling(
            item: ItemID(using: &random), device: settings.deviceName, time: clock.wallTime())
        let day = String(SiblingName.text(of: clock.wallTime()).prefix(10))
        let bodies = bodies
        let objectsMove = container.capabilities.moves
        let outcome = try write { [self] (write) throws(DocFSError) -> EffectMaker.Outcome in
            guard
                let trio = try trio(
                    item, stillFor: planned, row, snapshot, bodies, scope, in: write.read)
            else { return .blocked }
            let maker = EffectMaker(
                read: write.read, scope: scope, operation: operation, day: day,
                objectsMove: objectsMove, sibling: sibling)
            let outcome = try maker.make(planned, for: trio, snapshot: snapshot)
            if case .effect(let effect) = outcome {
                try effect.check()
                try write.addJournal(
                    JournalEntry(
                        operation: operation, scope: scope.id, item: effect.item,
                        effect: ContainerCoding.encode(effect)))
                if effect.item != item, let row {
                    try stand(in: effect.item, for: row, write)
                }
            }
            return outcome
        }
        switch outcome {
        case .effect(let effect):
            let sent = row.map {
                SentBody(ino: $0.ino, generation: snapshot?.generation ?? $0.generation)
            }
            return (effect, sent)
        case .waitsFor(let other):
            inFlight.remove(item)
            openEdits.cancel(item)
            waiters[other, default: []].insert(item)
            // If its object is in the way, it is not waited for that another device brings it home.
            homeward.insert(other)
            enqueue(other)
            return nil
        case .blocked:
            // What the plan was made from has changed, or nothing can be done now.
            inFlight.remove(item)
            openEdits.cancel(item)
            let count = (failures[item] ?? 0) + 1
            failures[item] = count
            retry(item, after: Backoff.pause(after: count, from: 10_000_000, to: 2_000_000_000))
            return nil
        }
    }

    /// An item as it is now; `nil` when the plan is not what the trees want any more, or the bytes
    /// are not those of the document.
    ///
    /// - Parameters:
    ///   - row: its row before the bytes were looked at.
    ///   - known: what planning knew: it may have found that the bytes are the store's.
    private nonisolated func trio(
        _ item: ItemID, stillFor planned: Step, _ row: LocalItem?, _ snapshot: Snapshot?,
        _ known: KnownBodies, _ scope: ScopeRecord, in read: CatalogReader
    ) throws(DocFSError) -> Trio? {
        var bodies = known
        if let snapshot, let row, snapshot.isCopy, let now = try read.local(row.ino) {
            bodies.add(snapshot.digest, of: row.ino, generation: now.generation)
        }
        var trio = try Trio(
            item, scope: scope, in: read, replica: replica, bodies: bodies,
            fetchFirst: settings.fetchFirst)
        guard trio.step == planned, trio.row?.ino == row?.ino,
            snapshot?.mayBeSent(for: trio.row, openBy: trio.writer, before: row) != false
        else { return nil }
        if let snapshot, trio.row?.generation != snapshot.generation {
            trio.local?.metadata.modified = snapshot.modified
        }
        return trio
    }

    /// `sibling` stands in for an open document from now on (S9); an earlier one does no more.
    private nonisolated func stand(
        in sibling: ItemID, for row: LocalItem, _ write: CatalogWriter
    ) throws(DocFSError) {
        let known = try write.read.standIn(for: row.item, scope: scopeID)
        if known?.sibling == sibling { return }
        if let known { try write.markPending(known.sibling, scope: scopeID) }
        try write.setStandIn(
            StandIn(document: row.item, sibling: sibling, ino: row.ino), scope: scopeID)
    }

    /// The effect did not take place.
    ///
    /// When that cannot be written down, the container is attached again, which begins with the
    /// journal.
    private func forget(_ effect: Effect) throws(DocFSError) {
        do throws(DocFSError) {
            try write { (write) throws(DocFSError) in try write.removeJournal(effect.operation) }
        } catch {
            throw .offline(error.sentence)
        }
        CrashPoint.reached(.effectForgotten)
    }

    /// The store cannot copy the body that a row was to be made from: another program replaced it,
    /// or it has moved on.
    ///
    /// Bytes that are here are sent instead.
    ///
    /// - Returns: whether the bytes are here, or are the store's no more.
    private func sendOwnBytes(of item: ItemID) throws(DocFSError) -> Bool {
        let scopeID = scope.id
        return try write { (write) throws(DocFSError) in
            guard let old = try write.read.local(item: item, scope: scopeID),
                old.divergence == .stored
            else { return true }
            guard old.state == .current else { return false }
            var row = old
            row.divergence = .written
            try write.update(row, from: old)
            return true
        }
    }

    /// How often the log is read again for a body that is not found, before its user is told.
    private static let patience = 4

    /// `item` is planned again at once.
    func give(back item: ItemID) {
        inFlight.remove(item)
        enqueue(item)
    }

    private static func isRefusal(_ error: DocFSError) -> Bool {
        switch error {
        case .refused, .exists, .notFound, .notEmpty, .notDirectory, .isDirectory, .revisionGone:
            true
        default: false
        }
    }

    /// The store has moved on.
    ///
    /// That is no conflict yet: first the log is read, and what no record tells of is looked at.
    private func refused(_ effect: Effect, of item: ItemID) throws(DocFSError) {
        inFlight.remove(item)
        openEdits.cancel(item)
        let count = (failures[item] ?? 0) + 1
        failures[item] = count
        inbox.tell { contents in
            contents.logGrew = true
            contents.suspects.insert(effect.path)
            if let destination = effect.destination, effect.verb != .remove {
                contents.suspects.insert(destination)
            }
        }
        retry(item, after: Backoff.pause(after: count, from: 20_000_000, to: 5_000_000_000))
    }

    /// An effect failed; what is here stays, and is tried again (S32).
    func failed(_ item: ItemID, _ error: DocFSError) async {
        inFlight.remove(item)
        let count = (failures[item] ?? 0) + 1
        failures[item] = count
        switch error {
        case .bodyChanged where openEdits.isTried(item): return copyFailed(of: item)
        case .bodyChanged, .wouldBlock, .interrupted:
            openEdits.cancel(item)
            // Whose download fails waits for more than a moment.
            let most: UInt64 = isInTrouble(item) ? 60_000_000_000 : 2_000_000_000
            return retry(item, after: Backoff.pause(after: count, from: 50_000_000, to: most))
        case .offline:
            openEdits.cancel(item)
            queue.append(item)
            return goOffline(error)
        case .readOnly where isReadOnly:
            openEdits.cancel(item)
            // It is planned again when that is over.
            return report(error, of: item)
        default: openEdits.cancel(item)
        }
        log.warning("\(item): \(error.sentence)")
        report(error, of: item)
        retry(item, after: Backoff.pause(after: count, from: 1_000_000_000, to: 60_000_000_000))
    }

    private func isInTrouble(_ item: ItemID) -> Bool {
        // Where that cannot be read, no event tells that it is over.
        let row = try? catalog.read { (read) throws(DocFSError) in
            try read.local(item: item, scope: scope.id)
        }
        return row?.error != nil
    }

    func report(_ error: DocFSError, of item: ItemID) {
        let scope = scope
        // Where the catalog takes nothing, the event says it, and the next try again.
        let found = try? write { (write) throws(DocFSError) -> (path: ItemPath?, isHere: Bool) in
            guard var row = try write.read.local(item: item, scope: scope.id) else {
                return (try write.read.remotePath(of: item, scope: scope.id), false)
            }
            row.error = error.sentence
            try write.update(row)
            return (try write.read.path(of: row.ino, root: scope.root), true)
        }
        catalog.bulletin.post(
            DocumentEvent(
                kind: .savingError, scope: scope.id, item: item, path: found?.path,
                time: clock.wallTime(), sentence: error.sentence))
        guard let found, !found.isHere, let path = found.path else { return }
        storeFailures.add(deleteOf: item, at: path, error)
    }
}
