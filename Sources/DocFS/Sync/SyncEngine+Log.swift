internal import Logging

extension SyncEngine {
    /// Reads the log to its end, or until the engine is to stop, and applies what it tells.
    func pull(evenWhenStopping: Bool = false) async throws(DocFSError) {
        if container.capabilities.cheapListing || mayBeBehind { try await checkMarker() }
        if mayBeBehind, lastPoll > 0 { try await catchUp() }
        lastPoll = clock.now()
        var next = try await nextRecord()
        replica.cameInReach(scope: scope.id)
        if next != nil, !container.capabilities.cheapListing { try await checkMarker() }
        while evenWhenStopping || !isStopping, let record = next {
            CrashPoint.reached(.recordRead)
            var isDamaged = false
            do throws(DocFSError) {
                next = try await container.record(scope.anchor + 2)
            } catch .corrupt {
                isDamaged = true
            }
            // Who appended the next one has seen to this one. The last is to be in the log for
            // good before anything is made of it: a loss of power there must not take it back.
            if next == nil, !isDamaged { try await container.store.makeDurable() }
            try noticeTwin(in: record)
            try checkOrder(of: record)
            try await apply(record)
            // Told of as what comes next: that can be mended.
            if isDamaged { next = try await nextRecord() }
        }
        if next == nil { try await checkEnd() }
    }

    /// Applies the next record.
    ///
    /// An effect of ours among its changes is acknowledged.
    func apply(_ record: LogRecord) async throws(DocFSError) {
        try noteRecordings(of: record)
        let mine = try await own(record)
        let changes = withOwnBodies(record.changes, mine)
        let device = container.device.id
        let scope = scope
        let objectsMove = container.capabilities.moves
        let voided = try write { (write) throws(DocFSError) in
            var applier = LogApplier(
                write: write, scope: scope, objectsMove: objectsMove, device: device)
            var voided: [(Change, String)] = []
            for change in changes {
                if let objection = try applier.apply(change, from: record) {
                    voided.append((change, objection))
                } else if let effect = mine[change.operation], let verb = effect.verb {
                    try applier.acknowledge(change, verb: verb, sent: effect.sent)
                    try Self.noteSentAside(effect, scope.id, write)
                }
                try write.removeJournal(change.operation)
            }
            try applier.finish()
            try Self.forget(record.collected, scope.id, write)
            try remember(record.breaches, of: scope.anchor + 1, write)
            try write.setAnchor(scope.anchor + 1, record.digest, scope: scope.id)
            return voided
        }
        CrashPoint.reached(.recordApplied)
        self.scope.anchor += 1
        self.scope.digest = record.digest
        if record.device != container.device.id { meetOthers() }
        note(changesOf: record)
        noteBodies(of: record)
        try noteLodgers(of: record)
        replica.applied(
            record.changes.compactMap { mine[$0.operation]?.sent }.map { .sent(ino: $0.ino) })
        try lookAgain(forWhatWasLate: record.changes.compactMap { finished[$0.operation] })
        acknowledge(record, mine)
        try lookAgain(where: record, mine)
        noteMoves(record.changes.compactMap { mine[$0.operation] })
        tell(of: voided, in: record)
    }

    /// Items that a record tells of wait for nothing any more, and are planned again.
    ///
    /// - Parameter mine: what this device has carried out of it.
    private func acknowledge(_ record: LogRecord, _ mine: [OperationID: FinishedEffect]) {
        for change in record.changes {
            if let effect = finished[change.operation], !effect.isPutBack {
                // Others may have recorded it otherwise than it was planned: it is planned anew.
                inFlight.remove(effect.planned)
                enqueue(effect.planned)
            }
            finished.remove(change.operation)
        }
        for change in record.changes {
            if change.isPutBack {
                soleBodies.end(recordedAs: change.operation)
                enqueue(change.item)
                continue
            }
            failures[change.item] = nil
            if change.after == nil { recorded(removalOf: change.item) }
            if let effect = mine[change.operation] {
                inFlight.remove(effect.planned)
                overdue.remove(effect.planned)
                if let document = effect.document {
                    failures[document] = nil
                    enqueue(document)
                }
            }
            enqueue(change.item)
            release(waitersOf: change.item)
        }
    }

    /// What an open document holds is in the store, as its stand-in (S9).
    private static func noteSentAside(
        _ effect: FinishedEffect, _ scope: Int64, _ write: CatalogWriter
    ) throws(DocFSError) {
        guard let document = effect.document, let sent = effect.sent else { return }
        try write.setStandIn(
            StandIn(
                document: document, sibling: effect.change.item, ino: sent.ino,
                generation: sent.generation), scope: scope)
        guard let old = try write.read.local(item: document, scope: scope), old.error != nil,
            old.error != LocalApplier.remnantSentence
        else { return }
        var row = old
        row.error = nil
        try write.update(row, from: old)
    }

    /// Says which changes of a record count for nobody.
    private func tell(of voided: [(Change, String)], in record: LogRecord) {
        if !record.breaches.isEmpty {
            log.warning(
                "record \(self.scope.anchor): \(record.breaches.count) changes are set aside")
            showBreaches()
        }
        for (change, objection) in voided.prefix(Self.toldOfRecord) {
            log.info("record \(self.scope.anchor), \(change.item): void: \(objection)")
        }
        if voided.count > Self.toldOfRecord {
            log.info("record \(self.scope.anchor): \(voided.count) changes in all are void")
        }
    }

    /// So many void changes of one record are logged one by one.
    private static let toldOfRecord = 20

    /// What this device found under a name is not what others have found, put or removed there
    /// since: it looks again.
    ///
    /// - Parameter mine: what this device knows that it has carried out of the record.
    private func lookAgain(where record: LogRecord, _ mine: [OperationID: FinishedEffect])
        throws(DocFSError)
    {
        if record.device == container.device.id {
            return try lookWhereDropped(record.changes.filter { mine[$0.operation] == nil })
        }
        for change in record.changes {
            for place in [change.before, change.after.map(Place.init(of:))].compactMap(\.self) {
                if let found = finished.discovery(at: place) { try drop(found) }
            }
        }
    }

    /// What became of an object before it was recorded was told of too early, or under a path that
    /// is no more.
    private func lookAgain(forWhatWasLate effects: [FinishedEffect]) throws(DocFSError) {
        defer { if finished.count == effects.count, inFlight.isEmpty { finished.missed = [] } }
        let objectsMove = container.capabilities.moves
        if effects.isEmpty || !objectsMove && finished.missed.isEmpty { return }
        let scopeID = scope.id
        let paths = try catalog.readConsistently { (read) throws(DocFSError) in
            var directories: [ItemID: ItemPath?] = [:]
            var paths: [ItemPath] = []
            for effect in effects {
                guard let place = effect.place, let after = effect.change.after else { continue }
                if !finished.missed.contains(place) {
                    guard objectsMove else { continue }
                    if directories[after.parent] == nil {
                        directories[after.parent] = try read.remotePath(
                            of: after.parent, scope: scopeID)
                    }
                    if directories[after.parent] == place.parent { continue }
                }
                let item = effect.change.item
                if let path = try read.objectPath(of: item, scope: scopeID) { paths.append(path) }
            }
            return paths
        }
        suspects.formUnion(paths)
    }

    /// Another device may have found what this one did before this one could record it: only this
    /// one knows then where the body is that was replaced.
    private func withOwnBodies(_ changes: [Change], _ mine: [OperationID: FinishedEffect])
        -> [Change]
    {
        var changes = changes
        for index in changes.indices where changes[index].kept == nil {
            changes[index].kept = mine[changes[index].operation]?.change.kept
        }
        return changes
    }

    /// What this device has carried out of a record's changes.
    private func own(_ record: LogRecord) async throws(DocFSError)
        -> [OperationID: FinishedEffect]
    {
        var mine: [OperationID: FinishedEffect] = [:]
        let hasJournal = try catalog.read { (read) throws(DocFSError) in try read.hasJournal() }
        for change in record.changes {
            var effect = finished[change.operation]
            // No record that was read has an operation that is journalled later.
            if effect == nil, hasJournal { effect = try await journalled(change, of: record) }
            if let effect, change.agrees(with: effect.change.after) {
                mine[change.operation] = effect
            } else if let sent = try await converged(change) {
                mine[change.operation] = FinishedEffect(
                    change: change, verb: change.before == nil ? .create : .replace, sent: sent)
            }
        }
        return mine
    }

    /// The bytes here, when a record of others tells of the very same: they converge (S16).
    ///
    /// Before the record is applied, since the next one may replace or remove them, as what
    /// everybody has seen. They may even be this device's own: it sent them, lost the answer, and
    /// did not find them where others had moved on.
    private func converged(_ change: Change) async throws(DocFSError) -> SentBody? {
        guard !change.keepsBody, !inFlight.contains(change.item),
            let body = change.after?.content.body, let digest = body.digest
        else { return nil }
        let scopeID = scope.id
        let row = try catalog.read { (read) throws(DocFSError) in
            try read.local(item: change.item, scope: scopeID)
        }
        guard let row, row.isFile, row.divergence == .written, row.size == body.size,
            row.basis == change.before?.revision,
            let snapshot = try? await replica.snapshot(of: row), snapshot.digest == digest
        else { return nil }
        return SentBody(ino: row.ino, generation: snapshot.generation)
    }

    /// The effect of a change by its intent.
    ///
    /// The journal tells of what a process did that was killed when it had appended the record, and
    /// of what another device found in the store and recorded before its author did: what such an
    /// effect left half done in the store is finished first.
    private func journalled(_ change: Change, of record: LogRecord) async throws(DocFSError)
        -> FinishedEffect?
    {
        let entry = try catalog.read { (read) throws(DocFSError) in
            try read.journalled(change.operation)
        }
        guard let entry else { return nil }
        let effect = try ContainerCoding.decodeEffect(entry.effect)
        let document = try document(of: entry)
        let planned = document ?? entry.item
        var kept = change.kept
        if record.device != container.device.id, !inFlight.contains(planned), !isReadOnly {
            do throws(DocFSError) {
                kept = try await container.settle(effect)?.kept ?? kept
            } catch {
                // The store hides how far it got, so nothing is finished for it.
                if reason(ofDocument: error) == nil { throw error }
            }
        }
        guard change.agrees(with: effect.after) else { return nil }
        var change = change
        change.kept = kept
        return FinishedEffect(
            change: change, verb: effect.verb, sent: try await sentBody(of: effect, to: planned),
            document: document, takesOver: effect.makesDirectory)
    }

    /// The open document that an effect's item stands in for, if it does (S9).
    func document(of entry: JournalEntry) throws(DocFSError) -> ItemID? {
        let scopeID = scope.id
        return try catalog.read { (read) throws(DocFSError) in
            try read.standIn(by: entry.item, scope: scopeID)?.document
        }
    }

    /// Records what was carried out: at most one record in the store's interval, so that changes
    /// that come together travel together, unless they fill one.
    func appendFinished(evenEarly: Bool) async throws(DocFSError) {
        // What found no room may have been recorded by another device meanwhile.
        guard !finished.isEmpty, !onlyFollows else { return setProblem(nil) }
        let earliest =
            lastAppend + UInt64(container.capabilities.recordIntervalMilliseconds) * 1_000_000
        let due = finished.count >= Self.recordLimit ? fullUntil : max(earliest, fullUntil)
        guard evenEarly || clock.now() >= due else { return wake(at: due) }
        if mayBeBehind { try await pull(evenWhenStopping: true) }
        while !finished.isEmpty {
            let batch = Self.fitting(try stillValid(finished.first(Self.recordLimit)))
            if batch.isEmpty { continue }
            let record: LogRecord?
            try noteDiscoveries(batch)
            do throws(DocFSError) {
                record = try await append(batch.map(\.change))
            } catch .storeFull {
                // What the store has can be read all the same: only this waits for room.
                setProblem(DocFSError.storeFull.sentence)
                fullUntil = clock.now() + Self.pauseWhenFull
                return wake(at: fullUntil)
            }
            lastAppend = clock.now()
            if let record {
                if try await isBelowFloor(scope.anchor + 1) {
                    throw .offline("the change log was shortened meanwhile")
                }
                CrashPoint.reached(.recordAppended)
                try await apply(record)
                tell(sent: batch)
                // Shown before the next one is recorded, which others may wait for.
                if !isStopping { try planQueue(atMost: Self.recordLimit) }
            } else {
                try await pull(evenWhenStopping: true)
            }
        }
        setProblem(nil)
    }

    /// The first of `batch` that one record holds; the others come with the next.
    private static func fitting(_ batch: [FinishedEffect]) -> [FinishedEffect] {
        var size = 0
        let end = batch.firstIndex { effect in
            size += effect.change.recordSize
            return size > ContainerRules.fullFile && size > effect.change.recordSize
        }
        return Array(batch[..<(end ?? batch.endIndex)])
    }

    /// How long a record waits that found no room, in nanoseconds.
    private static let pauseWhenFull: UInt64 = 1_000_000_000
    /// The most changes of one record.
    private static let recordLimit = 500

    /// Drops from ``finished`` what would be void: its item is planned anew from what the store
    /// has now.
    ///
    /// Removals stay, void as they are: they tell where bodies are that others may wait for.
    private func stillValid(_ batch: [FinishedEffect]) throws(DocFSError)
        -> [FinishedEffect]
    {
        let scope = scope
        let recorded = try catalog.read { (read) throws(DocFSError) in
            var recorded: [FinishedEffect?] = []
            // What precedes in the batch counts, as it will in the record.
            var view = PendingTreeView(
                below: RemoteTreeView(read: read, scope: scope.id))
            for effect in batch {
                // What this device has removed was empty: the store's word counts.
                view.isEmpty = effect.verb == nil ? nil : effect.change.item
                if try effect.change.objection(in: view) == nil {
                    view.apply(effect.change)
                    recorded.append(effect)
                } else {
                    recorded.append(try Self.telling(of: effect, scope.id, read))
                }
            }
            return recorded
        }
        for (effect, recorded) in zip(batch, recorded) where recorded == nil { try drop(effect) }
        return recorded.compactMap(\.self)
    }

    /// A removal that is void, with what it removed: others have found the item gone, or changed
    /// it, before this device could record it, and only this one knows where the body is.
    private static func telling(
        of effect: FinishedEffect, _ scope: Int64, _ read: CatalogReader
    ) throws(DocFSError) -> FinishedEffect? {
        if effect.isPutBack { return try isAwaited(effect.change, scope, in: read) ? effect : nil }
        let change = effect.change
        guard change.after == nil, change.kept != nil,
            var removed = try read.state(.base, of: change.item, scope: scope)
        else { return nil }
        if case .file(var body) = removed.content, let revision = change.before?.revision {
            body.revision = revision
            removed.content = .file(body)
        }
        var telling = effect
        telling.change.removed = removed
        return telling
    }

    private func drop(_ effect: FinishedEffect) throws(DocFSError) {
        let operation = effect.change.operation
        finished.remove(operation)
        if effect.isPutBack { return try takeAway(effect.change) }
        inFlight.remove(effect.planned)
        let scopeID = scope.id
        let (paths, left) = try write { (write) throws(DocFSError) in
            var left: ItemPath?
            try Self.dropJournal(operation, of: scopeID, write)
            if effect.change.keepsBody, let old = effect.change.before?.revision,
                let new = effect.change.after?.content.revision, new != old
            {
                // Void or not, that is what the store calls these bytes now.
                try write.followSource(effect.change.item, scope: scopeID, from: old, to: new)
            }
            try LogApplier.acknowledge(dropped: effect, scopeID, write)
            var paths: [ItemPath] = []
            var place = effect.change.object
            if let path = try write.read.remotePath(of: effect.change.item, scope: scopeID) {
                paths.append(path)
            }
            if let after = effect.change.after,
                let parent = try write.read.remotePath(of: after.parent, scope: scopeID)
            {
                let path = parent.appending(after.name)
                paths.append(path)
                // Where objects can move, what was created is where the change says.
                if effect.change.before == nil, place == nil { place = path }
            }
            // Below a directory that another device recorded first it has none.
            if paths.isEmpty, place == nil, effect.verb == nil, let found = effect.place {
                paths.append(found)
            }
            if let place {
                paths.append(place)
                if try Self.leave(effect, at: place, scopeID, write) { left = place }
            }
            return (paths, left)
        }
        if let left {
            ownLeftovers.insert(left)
            wake(at: clock.now())
        }
        // The store has what no record tells of: look there, and plan again.
        if effect.verb == nil { for path in paths { lookAgain(at: path) } }
        inbox.tell { contents in
            if effect.verb != nil { contents.suspects.formUnion(paths) }
            // All that was in a directory has moved with it.
            if effect.verb == .move, effect.change.after?.kind == .directory {
                contents.lookAtEverything = true
            }
        }
        enqueue(effect.planned)
        release(waitersOf: effect.change.item)
    }

    /// What was written where the item's object has been until another device brought it home is
    /// nobody's, and so is what was created under a name that another item has.
    ///
    /// It is here too, and sent anew; what another program wrote there is nowhere else.
    ///
    /// - Returns: whether there is something to be removed.
    private static func leave(
        _ effect: FinishedEffect, at place: ItemPath, _ scope: Int64, _ write: CatalogWriter
    ) throws(DocFSError) -> Bool {
        let change = effect.change
        guard effect.verb != nil, let after = change.after else { return false }
        let revision = after.content.revision
        let own = try write.read.objectPath(of: change.item, scope: scope)
        let other = try write.read.objectItem(at: place, scope: scope)
        if change.before != nil {
            guard let own, own != place, other == nil else { return false }
        } else {
            guard let other, own == nil, revision != nil,
                try write.read.state(.remote, of: other, scope: scope)?.content.revision
                    != revision
            else { return false }
        }
        try write.addLeftover(Leftover(place: place, revision: revision), scope: scope)
        return true
    }

    /// Nobody counts any more on what lies there.
    private static func forget(
        _ collected: [ItemPath], _ scope: Int64, _ write: CatalogWriter
    ) throws(DocFSError) {
        for path in collected {
            if let gone = ContainerLayout.deletedDirectory(saidBy: path) {
                try write.removeTrash(
                    ofDirectory: gone.path, operation: gone.operation, scope: scope)
            } else if try !isComingBack(path, scope, write) {
                if let version = try write.read.version(at: path, scope: scope),
                    try write.read.namelessRow(of: version, scope: scope) != nil
                {
                    // Its bytes go from here too.
                    try write.markPending(version.item, scope: scope)
                }
                try write.removeKeptBody(at: path, scope: scope)
            }
        }
    }
}
