internal import Logging

extension SyncEngine {
    /// The most items that one transaction plans: requests of the kernel wait for it.
    private static let batchLimit = 64
    /// The most effects under way at once.
    static let effectLimit = 8

    /// Plans everything that is due, while the container is attached.
    ///
    /// What is left in the journal is settled when it is attached anew, before anything else is
    /// tried.
    ///
    /// - Parameter limit: the most items that are planned.
    func planQueue(atMost limit: Int = .max) throws(DocFSError) {
        var left = limit
        while left > 0, !queue.isEmpty, !isStopping, isAttached, comparison == nil {
            let batch = queue.take(atMost: min(left, Self.batchLimit)).filter {
                !inFlight.contains($0)
            }
            left -= batch.count
            if !batch.isEmpty { try plan(batch) }
        }
        startReady()
    }

    /// Starts what was planned, as far as there is room: the rest is not planned again for it.
    func startReady() {
        while isAttached, comparison == nil, running < Self.effectLimit,
            let (item, step) = ready.first
        {
            if step == .remove, !mayRemove() { continue }
            ready.removeFirst()
            start(step, of: item)
        }
    }

    /// What one round of planning found out.
    private struct Round: Sendable {
        var notices: [LocalNotice] = []
        var events: [DocumentEvent] = []
        /// Conflict versions that ``events`` tell of, with their documents.
        var told: [ItemID: ItemID] = [:]
        /// Documents that got their identities back, with those that their rows had until then.
        var exchanged: [(item: ItemID, other: ItemID)] = []
        /// Items with a step about the store, and that step.
        var effects: [(ItemID, Step)] = []
        var waits: [(ItemID, Step.Reason)] = []
        /// Rows that have to be hashed for an item's sake.
        var hashes: [(item: ItemID, ino: Int64)] = []
        /// Rows of which only what was written goes on.
        var remnants: [(item: ItemID, ino: Int64)] = []
        var resting: [ItemID] = []
        /// Those of ``resting`` that programs have open for writing.
        var open: Set<ItemID> = []
        /// Items that a step made or changed on the way.
        var others: [ItemID] = []
        var unsettled: [ItemID] = []
        /// Items whose objects another device is about to bring to their paths.
        var lodging: [ItemID] = []
        /// Items that go once another scope has nothing to send any more.
        var handedOver: [(item: ItemID, scope: Int64)] = []
        var newer: [NewerVersion] = []
        var soleBodies: [SoleBody] = []
    }

    /// Plans a few items: steps about this device are carried out at once, in one transaction;
    /// steps about the store are made ready.
    private func plan(_ items: [ItemID]) throws(DocFSError) {
        defer {
            replica.release(claims)
            claims.removeAll()
        }
        noteBefore(items)
        for (item, moment) in inbox.withdraw(items) { due[item] = max(due[item] ?? 0, moment) }
        let unsettled = Set(
            items.filter { (due[$0] ?? 0) > clock.now() && !overdue.contains($0) })
        let round = try write { [self] (write) throws(DocFSError) in
            try assumeIsolatedRound(items, unsettled, write)
        }
        CrashPoint.reached(.planApplied)
        replica.applied(round.notices)
        for event in round.events { catalog.bulletin.post(event) }
        for (item, other) in round.exchanged { telling.exchange(item, other) }
        note(told: round.events)
        rest(round.resting, told: round.told)
        wait(for: round.newer, among: items, but: round.unsettled + round.hashes.map(\.item))
        for item in round.resting {
            due[item] = nil
            overdue.remove(item)
            openEdits.rest(item, isOpen: round.open.contains(item))
            release(waitersOf: item)
        }
        storeFailures.forget(round.resting)
        for item in round.unsettled { wakeWhenDue(item) }
        for item in round.others { enqueue(item) }
        for item in round.lodging { look(at: item, at: lodgingSince[item]! + Self.lodgingLease) }
        for (item, scope) in round.handedOver { handedOver[scope, default: []].insert(item) }
        note(soleBodies: round.soleBodies)
        if !round.handedOver.isEmpty { wake(at: clock.now() + Self.handoverInterval) }
        for (item, reason) in round.waits { wait(for: reason, item) }
        for (item, ino) in round.hashes { startHashing(item, ino: ino) }
        for (item, ino) in round.remnants { startKeeping(item, ino: ino) }
        for (item, step) in round.effects where inFlight.insert(item).inserted {
            ready.append((item, step))
        }
    }

    /// The transaction's closure runs on this actor's thread while the actor waits for it.
    private nonisolated func assumeIsolatedRound(
        _ items: [ItemID], _ unsettled: Set<ItemID>, _ write: CatalogWriter
    ) throws(DocFSError) -> Round {
        let writer = Unchecked(value: write)
        let result: Result<Round, DocFSError> = assumeIsolated { engine in
            do throws(DocFSError) {
                return .success(try engine.round(items, unsettled, writer.value))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private struct Unchecked: @unchecked Sendable {
        let value: CatalogWriter
    }

    private func round(_ items: [ItemID], _ unsettled: Set<ItemID>, _ write: CatalogWriter)
        throws(DocFSError) -> Round
    {
        var round = Round()
        var applier = LocalApplier(
            write: write, scope: scope, settings: settings, replica: replica,
            now: clock.wallTime(), newItem: { ItemID(using: &self.random) },
            bodies: bodies, inFlight: inFlight.subtracting(self.unsettled),
            records: telling.isBegun ? telling.records : nil)
        applier.keepsSoleBodies = !isReadOnly
        // Also when the transaction fails, and even if only at its end.
        defer { claims += applier.claims }
        var identity = Identity(write: write, scope: scope, scratch: settings.scratch)
        for item in items {
            let base = try write.read.state(.base, of: item, scope: scope.id)
            let restored = try identity.restore(item, base)
            if !restored.isEmpty { applier.lastHome = nil }
            round.others += restored.filter { $0 != item }
            let trio = try applier.trio(item, base: base)
            try plan(trio, isUnsettled: unsettled.contains(item), write, &applier, &round)
        }
        try applier.settleParked()
        round.others += applier.directories
        round.soleBodies = applier.soleBodies
        round.notices = applier.notices
        (round.events, round.told) = (applier.events, applier.told)
        round.exchanged = identity.exchanged
        return round
    }

    private func plan(
        _ found: Trio, isUnsettled: Bool, _ write: CatalogWriter,
        _ applier: inout LocalApplier, _ round: inout Round
    ) throws(DocFSError) {
        let item = found.item
        var trio = found
        // Each step makes a facet agree; more rounds than facets mean that nothing moves.
        for _ in 0..<8 {
            noteRemoval(trio)
            if isUnsettled && (trio.isAwayFromBase || trio.base == nil) {
                return round.unsettled.append(item)
            }
            let step = trio.step
            round.newer += try newerVersions(trio, step, write.read)
            if try waitsForWriter(step, of: trio, isUnsettled: isUnsettled, write.read) {
                if isUnsettled { return round.unsettled.append(item) }
                return round.waits.append((item, .writer))
            }
            if Planner.fetches(with: step, trio.local) { try applier.fetch(trio) }
            switch step {
            case .rest:
                if trio.row != nil { round.others += try applier.clearChosen(for: item) }
                round.others += try applier.endStandIn(for: trio)
                try applier.dropBodies(of: trio)
                try write.clearPending(item, scope: scope.id)
                if trio.writer != .none { round.open.insert(item) }
                return round.resting.append(item)
            case .wait(let reason):
                if let row = trio.row {
                    if reason == .digest { round.hashes.append((item, row.ino)) }
                    if reason == .departure {
                        round.notices.append(.departureReady(ino: row.ino))
                        // Who brings the document there brings its newest version.
                        try applier.dropBodies(of: trio, but: .earlier)
                    }
                }
                return round.waits.append((item, reason))
            case .keepWritten:
                guard !isUnsettled, let row = trio.row else { return round.unsettled.append(item) }
                return round.remnants.append((item, row.ino))
            case .bringHome where !isOurs(toBringHome: item):
                return round.lodging.append(item)
            case .create, .replace, .move, .describe, .bringHome, .remove, .sendAside:
                if isUnsettled { return round.unsettled.append(item) }
                return try planEffect(step, of: trio, write, &round)
            case .fetch:
                // Nobody needs to be told: once the body is whole, the item is planned again.
                try write.clearPending(item, scope: scope.id)
                return round.resting.append(item)
            default:
                switch try applier.apply(step, to: trio) {
                case .done: trio = try applier.again(item)
                case .blocked: return round.waits.append((item, .writer))
                case .needsDigest(let ino): return round.hashes.append((item, ino))
                }
            }
        }
        log.error("planning \(item) came to no end")
    }

    private func planEffect(
        _ step: Step, of trio: Trio, _ write: CatalogWriter, _ round: inout Round
    ) throws(DocFSError) {
        if step == .remove, case .container(let scope)? = trio.handover,
            try write.read.hasPending(scope: scope)
        {
            return round.handedOver.append((trio.item, scope))
        }
        if step == .move, var row = trio.row, try !keepsMark(row, trio.base, write.read) {
            row.conflictOf = nil
            try write.update(row)
        }
        round.effects.append((trio.item, step))
    }

    private func keepsMark(_ row: LocalItem, _ base: ItemState?, _ read: CatalogReader)
        throws(DocFSError) -> Bool
    {
        guard let mark = row.conflictOf else { return true }
        let document = try read.local(item: mark.document, scope: scope.id)
        return ConflictPlacement.keepsMark(
            hasOwnName: row.name == base?.name, directory: row.parent, document: document?.parent)
    }

    private func wakeWhenDue(_ item: ItemID) {
        let moment = due[item] ?? clock.now()
        look(at: item, at: moment)
    }

    private func wait(for reason: Step.Reason, _ item: ItemID) {
        switch reason {
        case .writer:
            // The last close makes the item pending again; this is only for what did not.
            retry(item, after: 1_000_000_000)
        case .digest, .children, .departure:
            // The child, the hash or the arrival brings it back.
            break
        }
    }

    /// Plans `item` again after a while.
    func retry(_ item: ItemID, after delay: UInt64) {
        look(at: item, at: clock.now() + delay)
    }

    func look(at item: ItemID, at moment: UInt64) {
        later[item] = min(later[item] ?? .max, moment)
        nextLater = min(nextLater, moment)
        wake(at: moment)
    }

    /// Moves what has become due into the queue.
    func collectLater() {
        let now = clock.now()
        if now >= nextLater {
            nextLater = .max
            var isDue: [(moment: UInt64, item: ItemID)] = []
            for (item, moment) in later {
                if moment <= now {
                    isDue.append((moment, item))
                } else {
                    nextLater = min(nextLater, moment)
                }
            }
            for (_, item) in isDue.sorted(by: <) {
                later[item] = nil
                queue.append(item)
            }
            // Many that become due one after the other are not looked through for each.
            if nextLater < .max { nextLater = max(nextLater, now + Self.laterInterval) }
        }
        if nextLater < .max { wake(at: nextLater) }
    }

    /// How often what is to be looked at later is looked through at most, in nanoseconds.
    static let laterInterval: UInt64 = 10_000_000

    /// How often it is looked whether what moved to another container has arrived there, in
    /// nanoseconds.
    private static let handoverInterval: UInt64 = 500_000_000

    /// Items whose bytes are safe in another container by now go from this one (S24): nothing waits
    /// to be sent there any more.
    func releaseHandedOver() throws(DocFSError) {
        for (scope, items) in handedOver.sorted(by: { $0.key < $1.key }) {
            let isBusy = try catalog.read { (read) throws(DocFSError) in
                try read.hasPending(scope: scope)
            }
            if isBusy {
                wake(at: clock.now() + Self.handoverInterval)
            } else {
                handedOver[scope] = nil
                queue += items.sorted()
            }
        }
    }

    // MARK: Digests

    /// Hashes a row, and the store's body where its digest is not known, then plans again.
    private func startHashing(_ item: ItemID, ino: Int64) {
        guard inFlight.insert(item).inserted else { return }
        Task {
            do throws(DocFSError) {
                try await hash(item, ino: ino)
                give(back: item)
            } catch {
                log.info("hashing for \(item): \(error.sentence)")
                await failed(item, error)
            }
            inbox.wake()
        }
    }

    private func hash(_ item: ItemID, ino: Int64) async throws(DocFSError) {
        let scope = scope
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
        // Other bodies have a digest, whether they are here or not, unless another program made
        // them.
        if let row, row.divergence == .written || row.sourceDigest == nil,
            bodies.digest(of: row) == nil
        {
            try await hash(row, for: item)
        }
        let remote = try catalog.read { (read) throws(DocFSError) in
            try read.state(.remote, of: item, scope: scope.id)
        }
        guard var remote, case .file(var body) = remote.content, body.digest == nil else { return }
        body.digest = try await digest(of: item, at: body.revision, size: body.size)
        remote.content = .file(body)
        let state = remote
        try write { (write) throws(DocFSError) in
            if try write.read.state(.remote, of: item, scope: scope.id)?.content.revision
                == state.content.revision
            {
                try write.setState(.remote, of: item, scope: scope.id, to: state)
            }
        }
    }

    private func hash(_ row: LocalItem, for item: ItemID) async throws(DocFSError) {
        do throws(DocFSError) {
            let snapshot = try await snapshot(of: row, for: item)
            bodies.add(snapshot.digest, of: row.ino, generation: snapshot.generation)
            if snapshot.isCopy { try noteCopied(snapshot, of: row) }
            openEdits.cancel(item)
        } catch {
            if error == .wouldBlock, failures[item, default: 0] >= Self.triesBeforeLooking {
                await lookForBody(of: row)
            }
            throw error
        }
    }

    /// An open document was hashed, which was written into since.
    ///
    /// If its bytes were nobody else's, it is taken that they still are not: what is sent is hashed
    /// in its turn.
    ///
    /// Throws `.bodyChanged` if they were.
    private func noteCopied(_ snapshot: Snapshot, of row: LocalItem) throws(DocFSError) {
        let scopeID = scope.id
        let (now, others) = try catalog.read { (read) throws(DocFSError) in
            let base = try read.state(.base, of: row.item, scope: scopeID)
            let remote = try read.state(.remote, of: row.item, scope: scopeID)
            return (
                try read.local(row.ino),
                [base, remote].compactMap { $0?.content.body?.digest }
            )
        }
        guard let now, now.generation != snapshot.generation else { return }
        if others.contains(snapshot.digest) { throw .bodyChanged }
        bodies.add(snapshot.digest, of: row.ino, generation: now.generation)
    }

    /// So often the bytes of a row are waited for before it is asked whether they can be had.
    private static let triesBeforeLooking = 4

    /// Looks whether the stored body that a row is made of can be had at all.
    private func lookForBody(of row: LocalItem) async {
        guard row.divergence == .stored, row.wanted > 0, let source = row.sourceItem,
            let revision = row.sourceRevision, (row.sourceScope ?? scope.id) == scope.id
        else { return }
        let scopeID = scope.id
        do throws(DocFSError) {
            let stored = try catalog.read { (read) throws(DocFSError) in
                try EffectMaker.body(of: source, at: revision, scope: scopeID, in: read)
            }
            try await container.fetch(stored, range: 0..<1, into: HashingSink())
            bodies.find(row)
        } catch .revisionGone {
            await noteMissingBody(of: row)
        } catch {
            // It is asked again with the next try.
        }
    }

    /// The stored body that a row is made of is at none of its places.
    func noteMissingBody(of row: LocalItem) async {
        if let item = row.sourceItem, let revision = row.sourceRevision {
            if isLookOwed || isUnexplained(item) { return }
            switch await unrecordedTrash(of: item, at: revision, row.sourceDigest) {
            case .found(let place): return bodies.find(row, at: place)
            case .unknown, .unanswered: return
            case .nowhere: break
            }
        }
        guard bodies.miss(row, at: clock.now(), news: lastRecordOfOthers) else { return }
        log.warning("\(row.item): its body is nowhere: what the container has takes its place")
    }

    /// The digest of the body that the container has of an item.
    func digest(of item: ItemID, at revision: Revision, size: UInt64)
        async throws(DocFSError) -> Digest
    {
        let (scopeID, container) = (scope.id, container)
        let stored = try catalog.read { (read) throws(DocFSError) in
            try EffectMaker.body(of: item, at: revision, scope: scopeID, in: read)
        }
        return try await HashingSink.digest(of: size) {
            (piece, sink) async throws(DocFSError) in
            try await container.fetch(stored, range: piece, into: sink)
        }
    }
}
