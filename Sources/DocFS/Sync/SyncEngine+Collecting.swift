internal import Logging

/// Earlier versions and deleted documents are kept for a while (S19), and what was left half done
/// is waste when it is old enough. One device at a time removes that, a little now and then.
///
/// A body is announced in the change log before it goes, so that all devices stop counting on it,
/// and goes one lease later: whoever is just making a document of it has finished by then. Ended at
/// any point, the next collection finds in the store what is left.
extension SyncEngine {
    /// Goes on collecting, if this device does, and looks now and then whether it is its turn.
    func collect() async throws(DocFSError) {
        if container.capabilities.deletesRefused != nil { return }
        let retention = settings.retention
        if nextCollecting == 0 {
            nextCollecting = clock.now() + retention.interval / 100
        }
        guard clock.now() >= nextCollecting else { return wake(at: nextCollecting) }
        let begun = clock.now()
        do throws(DocFSError) {
            if collecting == nil {
                try await takeTurn()
            } else {
                try await goOn()
                // At most a twentieth of the time goes into it.
                let pause = max(Self.leastPause, (clock.now() - begun) * 19)
                nextCollecting = max(
                    nextCollecting, clock.now() + min(pause, retention.lease / 3))
            }
        } catch {
            // What is left is found again.
            collecting = nil
            nextCollecting = clock.now() + max(retention.lease, retention.interval / 30)
            if case .offline = error { throw error }
            // Most of the time another device was quicker.
            log.debug("collecting ended early: \(error.sentence)")
        }
        wake(at: nextCollecting)
    }

    /// In nanoseconds.
    private static let leastPause: UInt64 = 20_000_000

    // MARK: Whose turn it is

    private func takeTurn() async throws(DocFSError) {
        let retention = settings.retention
        nextCollecting = clock.now() + retention.interval
        let known = try await container.turn()
        if let known, known.turn.isAtWork {
            if watchedCollector?.revision != known.revision {
                watchedCollector = (known.revision, clock.now())
            }
            let end = watchedCollector!.since + retention.lease
            if clock.now() < end { return nextCollecting = end }
        }
        // The store's answer tells the time.
        var turn = CollectorTurn(
            device: container.device.id, operation: OperationID(using: &random), isAtWork: false,
            collections: known?.turn.collections ?? [])
        let (revision, stored) = try await container.put(turn, over: known?.revision)
        guard let now = stored else {
            return log.debug("the store does not tell how old anything is: nothing is collected")
        }
        let pause = retention.pause(at: now, after: turn.collections.last)
        nextCollecting =
            clock.now() + (pause == 0 ? retention.interval : pause)
            + UInt64.random(in: 0...retention.interval / 10, using: &random)
        guard pause == 0 else { return }
        turn.collections = retention.collections(turn.collections, and: now)
        let limit = retention.limit(at: now, turn.collections)
        try await begin(turn, revision, limit)
    }

    /// - Parameter limit: `nil` when nothing can be old enough: that there was a collection counts.
    private func begin(_ turn: CollectorTurn, _ revision: Revision, _ limit: Timestamp?)
        async throws(DocFSError)
    {
        guard let limit else { return try await finish(turn, revision) }
        let floor = try await container.floor()
        collecting = CollectingRound(
            turn: turn, revision: revision, renewed: 0, limit: limit, floor: floor,
            rest: Container.collected.map {
                (StoredObject(path: $0, kind: .directory, revision: nil, stored: nil), nil)
            })
        nextCollecting = clock.now()
    }

    private func finish(_ turn: CollectorTurn, _ revision: Revision) async throws(DocFSError) {
        var turn = turn
        turn.operation = OperationID(using: &random)
        turn.isAtWork = false
        _ = try await container.put(turn, over: revision)
    }

    /// Tells the others that this device is still at it.
    ///
    /// Its collection counts once it is over: one that was ended early is begun again.
    private func renew() async throws(DocFSError) {
        guard var own = collecting else { return }
        var turn = own.turn
        turn.operation = OperationID(using: &random)
        turn.isAtWork = true
        let whole = turn.collections
        turn.collections.removeLast()
        own.renewed = clock.now()
        own.revision = try await container.put(turn, over: own.revision).revision
        turn.collections = whole
        own.turn = turn
        collecting = own
    }

    // MARK: A step at a time

    private func goOn() async throws(DocFSError) {
        guard let begun = collecting else { return }
        let retention = settings.retention
        if begun.renewed == 0 || clock.now() >= begun.renewed + retention.lease / 3 {
            try await renew()
        }
        guard let own = collecting else { return }
        nextCollecting = 0
        if !own.going.isEmpty {
            guard clock.now() >= own.goes else {
                return nextCollecting = min(own.goes, own.renewed + retention.lease / 3)
            }
            try await removeSome()
        } else if own.found.count < Self.announcedAtOnce, !own.rest.isEmpty {
            try await list()
        } else if !own.found.isEmpty {
            try await announce()
        } else {
            try await finish(own.turn, own.revision)
            collecting = nil
            nextCollecting = clock.now() + retention.interval
        }
    }

    /// The most objects of one record.
    private static let announcedAtOnce = 500
    /// The most that are removed, and on stores that list cheaply directories that are listed,
    /// before everything else has its turn.
    private static let removedAtOnce = 8
    private static let listedAtOnce = 32

    /// Looks for what is old.
    private func list() async throws(DocFSError) {
        for _ in 0..<(container.capabilities.cheapListing ? Self.listedAtOnce : 1) {
            guard var own = collecting, let (directory, next) = own.rest.popLast() else { return }
            if isStopping { throw .interrupted }
            var page = StoredPage(objects: [])
            do throws(DocFSError) {
                page = try await container.store.stored(below: directory.path, from: next)
            } catch .notFound {
            }
            if let next = page.next { own.rest.append((directory, next)) }
            // One that nothing has come into or left for as long.
            if page.objects.isEmpty, own.isOld(directory) { own.found.append(directory) }
            for object in page.objects {
                if object.kind == .directory {
                    own.rest.append((object, nil))
                } else if own.isOld(object),
                    ContainerLayout.isWaste(object.path, below: own.floor)
                {
                    own.found.append(object)
                }
            }
            collecting = own
        }
    }

    /// Tells everybody what goes.
    private func announce() async throws(DocFSError) {
        let earliest =
            lastAppend + UInt64(container.capabilities.recordIntervalMilliseconds) * 1_000_000
        guard clock.now() >= earliest else { return nextCollecting = earliest }
        try await pull()
        if isStopping { throw .interrupted }
        guard let own = collecting else { return }
        let going = try mayGo(own.found)
        let bodies = going.filter { $0.kind != .directory && ContainerLayout.keeps($0.path) }
        collecting?.goes = clock.now()
        if !bodies.isEmpty {
            guard try await record(collected: bodies.map(\.path)) else { return }
            collecting?.goes = clock.now() + settings.retention.lease
        }
        collecting?.going = going[...]
        collecting?.found = []
    }

    /// Records that nobody counts on what lies at `collected` any longer, in as many records as
    /// that takes.
    ///
    /// - Returns: whether all is recorded; otherwise another device has recorded something.
    func record(collected: [ItemPath]) async throws(DocFSError) -> Bool {
        var rest = collected[...]
        repeat {
            var size = 0
            let next = rest.prefix { path in
                // A byte of a name that is no text takes three.
                size += 3 * path.bytes.count + 8
                return size <= ContainerRules.fullFile
            }
            guard try await record(someCollected: Array(next)) else { return false }
            rest = rest.dropFirst(next.count)
        } while !rest.isEmpty
        return true
    }

    private func record(someCollected collected: [ItemPath]) async throws(DocFSError) -> Bool {
        let number = scope.anchor + 1
        let record = try await append([], collected: collected)
        lastAppend = clock.now()
        guard let record else { return false }
        if try await isBelowFloor(number) {
            throw .offline("the change log was shortened meanwhile")
        }
        CrashPoint.reached(.recordAppended)
        try await apply(record)
        return true
    }

    /// What of the old the container need not keep, as the log has it now.
    private func mayGo(_ found: [StoredObject]) throws(DocFSError) -> [StoredObject] {
        let scopeID = scope.id
        let retention = settings.retention
        // Of a document's versions the oldest go first; directories after what was in them.
        let sorted = found.sorted { ($0.stored ?? .zero, $1.path) < ($1.stored ?? .zero, $0.path) }
        return try catalog.readConsistently { (read) throws(DocFSError) in
            var surplus: [ItemID: Int] = [:]
            var going: [StoredObject] = []
            for object in sorted {
                if let item = try read.version(at: object.path, scope: scopeID)?.item {
                    var left = 0
                    if let known = surplus[item] {
                        left = known
                    } else {
                        let state = try read.state(.remote, of: item, scope: scopeID)
                        let trash = try read.trash(of: item, scope: scopeID)
                        let isThere = state != nil || !trash.isEmpty
                        let count = try read.versions(of: item, scope: scopeID).count
                        left = retention.surplus(of: count, isThere: isThere)
                    }
                    surplus[item] = max(0, left - 1)
                    if left == 0 { continue }
                }
                going.append(object)
            }
            return going
        }
    }

    private func removeSome() async throws(DocFSError) {
        for _ in 0..<Self.removedAtOnce {
            guard let object = collecting?.going.first, let limit = collecting?.limit else {
                return
            }
            if isStopping { throw .interrupted }
            if try !isKeptAgain(object.path) {
                try await container.store.removeOld(object, storedUntil: limit)
                log.debug("collected \(object.path)")
            }
            collecting?.going.removeFirst()
        }
    }

    /// A store may name two bodies alike that hold the same: then it is counted on again.
    func isKeptAgain(_ path: ItemPath) throws(DocFSError) -> Bool {
        let scopeID = scope.id
        return try catalog.read { (read) throws(DocFSError) in
            try read.version(at: path, scope: scopeID) != nil
        }
    }
}
