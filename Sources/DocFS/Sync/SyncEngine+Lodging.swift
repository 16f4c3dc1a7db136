internal import Logging

/// Stores that cannot move an object: a move is a record, and so is seen by all devices at once.
/// The objects follow one by one: the device that moved brings each to its path, others do when it
/// has not for a while. What stays at the former path is removed once that is recorded.
extension SyncEngine {
    /// How long the device that moved an item has to bring its object home, in nanoseconds.
    static let lodgingLease: UInt64 = 60_000_000_000
    /// How long the device that brought an object home has to remove what it left, in nanoseconds.
    private static let leftoverLease: UInt64 = 60_000_000_000

    /// Takes up at the start what this device may have been doing when it ended.
    ///
    /// Whose moves they were is not kept. If another device is just bringing the same objects home,
    /// the store's conditions let one of the two win.
    func takeUpMoves() {
        let scopeID = scope.id
        // Where the catalog cannot be read, the next start does it.
        let found = try? catalog.read { (read) throws(DocFSError) in
            (try read.lodgers(scope: scopeID), try read.leftovers(scope: scopeID))
        }
        guard let (lodgers, leftovers) = found else { return }
        homeward.formUnion(lodgers.map(\.item))
        ownLeftovers.formUnion(leftovers.map(\.place))
    }

    /// Whether this device is to bring the item's object to its path now.
    func isOurs(toBringHome item: ItemID) -> Bool {
        if homeward.contains(item) { return true }
        guard let since = lodgingSince[item] else {
            lodgingSince[item] = clock.now()
            return false
        }
        return clock.now() >= since + Self.lodgingLease
    }

    /// A record was applied: what this device has moved, it also brings home.
    func noteLodgers(of record: LogRecord) throws(DocFSError) {
        guard !container.capabilities.moves else { return }
        let scopeID = scope.id
        let lodgers = try catalog.read { (read) throws(DocFSError) in
            try read.lodgers(scope: scopeID)
        }
        let now = Set(lodgers.map(\.item))
        if record.device == container.device.id {
            homeward.formUnion(now.subtracting(lodgingSince.keys))
        }
        homeward.formIntersection(now)
        refusedHomecomings = refusedHomecomings.filter { now.contains($0.key) }
        for item in lodgingSince.keys where !now.contains(item) { lodgingSince[item] = nil }
        for item in now where lodgingSince[item] == nil { lodgingSince[item] = clock.now() }
        for item in now.intersection(homeward).sorted() where !inFlight.contains(item) {
            enqueue(item)
        }
        guard record.device == container.device.id else { return }
        let leftovers = try catalog.read { (read) throws(DocFSError) in
            try read.leftovers(scope: scopeID)
        }
        ownLeftovers.formUnion(leftovers.map(\.place).filter { leftoverSince[$0] == nil })
        if !leftovers.isEmpty { wake(at: clock.now()) }
    }

    /// Removes what items have left behind: at once what this device has, and later what others
    /// have not removed.
    func removeLeftovers() async throws(DocFSError) {
        let scopeID = scope.id
        let leftovers = try catalog.read { (read) throws(DocFSError) in
            try read.leftovers(scope: scopeID)
        }
        let known = Set(leftovers.map(\.place))
        leftoverSince = leftoverSince.filter { known.contains($0.key) }
        ownLeftovers.formIntersection(known)
        let now = clock.now()
        let due = leftovers.filter { isDue($0, at: now) }
            .map { ($0, leftoverSince[$0.place] ?? now) }
        if due.count > LeftoverTurn.limit { wake(at: now) }
        for group in LeftoverTurn.groups(of: due, size: Self.effectLimit) where !isStopping {
            try await remove(group)
        }
    }

    /// - Parameter now: of all that are seen together: who of these goes first is for
    ///   ``LeftoverTurn`` to say.
    private func isDue(_ leftover: Leftover, at now: UInt64) -> Bool {
        let since = leftoverSince[leftover.place] ?? now
        leftoverSince[leftover.place] = since
        let due = ownLeftovers.contains(leftover.place) ? since : since + Self.leftoverLease
        if now >= due { return true }
        wake(at: due)
        return false
    }

    /// Removes them at once: each takes requests that wait for the store.
    private func remove(_ leftovers: [Leftover]) async throws(DocFSError) {
        let removals = leftovers.map { leftover in
            Task { () async -> Result<Void, DocFSError> in
                do throws(DocFSError) {
                    return .success(try await remove(leftover))
                } catch {
                    return .failure(error)
                }
            }
        }
        let results = await withTaskCancellationHandler {
            var results: [Result<Void, DocFSError>] = []
            for removal in removals { results.append(await removal.value) }
            return results
        } onCancel: {
            for removal in removals { removal.cancel() }
        }
        for result in results { try result.get() }
    }

    private func remove(_ leftover: Leftover) async throws(DocFSError) {
        if try isDocument(leftover) { return try forget(leftover) }
        do throws(DocFSError) {
            await keepDirectory(around: leftover.place)
            try await container.removeLeftover(leftover.place, leftover.revision)
        } catch .notEmpty {
            if try isAwaited(below: leftover.place) {
                leftoverSince[leftover.place] = clock.now() + Self.leftoverPause
                return wake(at: clock.now() + Self.leftoverPause)
            }
            // Another program has put something there.
            inbox.tell { $0.suspects.insert(leftover.place) }
        } catch .refused {
            // Somebody wrote there since: that is looked at.
            inbox.tell { $0.suspects.insert(leftover.place) }
        } catch .notDirectory {
            inbox.tell { $0.suspects.insert(leftover.place) }
        } catch {
            guard Self.isOfDocument(error) || reason(ofDocument: error) != nil else { throw error }
            log.warning("\(leftover.place) cannot be removed: \(error.sentence)")
            leftoverSince[leftover.place] = clock.now() + Self.leftoverLease
            return wake(at: clock.now() + Self.leftoverLease)
        }
        try forget(leftover)
    }

    /// Whether the log tells by now that the very object is an item's: another device that found
    /// it has recorded it.
    private func isDocument(_ leftover: Leftover) throws(DocFSError) -> Bool {
        let scopeID = scope.id
        return try catalog.readConsistently { (read) throws(DocFSError) in
            guard let item = try read.objectItem(at: leftover.place, scope: scopeID),
                let state = try read.state(.remote, of: item, scope: scopeID)
            else { return false }
            return state.content.revision == leftover.revision
        }
    }

    private func forget(_ leftover: Leftover) throws(DocFSError) {
        let scopeID = scope.id
        try write { (write) throws(DocFSError) in
            try write.removeLeftover(at: leftover.place, scope: scopeID)
        }
    }

    static func isOfDocument(_ error: DocFSError) -> Bool {
        switch error {
        case .documentRefused, .nameTooLong: true
        default: false
        }
    }

    /// Whether what lies below a directory that was left behind is on its way too.
    private func isAwaited(below directory: ItemPath) throws(DocFSError) -> Bool {
        let scopeID = scope.id
        return try catalog.read { (read) throws(DocFSError) in
            let places =
                try read.lodgers(scope: scopeID).map(\.place)
                + read.leftovers(scope: scopeID).map(\.place)
            return places.contains { $0 != directory && $0.isAtOrBelow(directory) }
        }
    }

    /// How long a directory that is not empty yet is left alone, in nanoseconds.
    private static let leftoverPause: UInt64 = 1_000_000_000

    // MARK: Looking

    /// The items whose objects are not at their paths, by the directories where they are.
    func lodgersByDirectory() throws(DocFSError) -> [ItemPath: [(item: ItemID, place: ItemPath)]] {
        guard !container.capabilities.moves else { return [:] }
        let scopeID = scope.id
        let lodgers = try catalog.read { (read) throws(DocFSError) in
            try read.lodgers(scope: scopeID)
        }
        return Dictionary(grouping: lodgers) { $0.place.parent }
    }

    /// Whether an object is what an item has left behind.
    func isLeft(_ object: ObjectInfo) throws(DocFSError) -> Bool {
        let scopeID = scope.id
        let leftover = try catalog.read { (read) throws(DocFSError) in
            try read.leftover(at: object.path, scope: scopeID)
        }
        guard let leftover else { return false }
        return leftover.revision == object.revision
    }

    /// Records for a device that is gone that it has brought an object home, or that another
    /// program has done so.
    ///
    /// - Returns: whether the object is such a one.
    func adoptHomecoming(_ object: ObjectInfo) async throws(DocFSError) -> Bool {
        guard !container.capabilities.moves, let metadata = object.metadata else { return false }
        let scopeID = scope.id
        let found = try catalog.read { (read) throws(DocFSError) -> (ItemState, ItemPath)? in
            guard let item = try read.remoteItem(at: object.path, scope: scopeID),
                item == metadata.item, let former = try read.lodging(of: item, scope: scopeID),
                let state = try read.state(.remote, of: item, scope: scopeID)
            else { return nil }
            return (state, former)
        }
        guard let (state, former) = found, state.kind == object.kind else { return false }
        var after = state
        switch (state.content, object.revision) {
        case (.file(var body), let revision?):
            guard body.size == object.size, body.digest == nil || body.digest == metadata.digest
            else { return false }
            body.revision = revision
            after.content = .file(body)
        case (.symlink(let target, _), let revision?):
            guard object.target == target else { return false }
            after.content = .symlink(target: target, revision: revision)
        default: break
        }
        // A device copies it; another program that moves it leaves nothing behind.
        let isCopied = try await container.store.head(former) != nil
        finished.append(
            FinishedEffect(
                change: Change(
                    operation: metadata.operation, item: metadata.item, before: Place(of: state),
                    after: after, object: object.path, keepsBody: isCopied),
                verb: nil, sent: nil))
        return true
    }

    /// What another program put where the object of an item is to come gets a name of its own.
    func besideLodger(_ state: ItemState, of item: ItemID?) throws(DocFSError) -> ItemState {
        guard !container.capabilities.moves else { return state }
        let scopeID = scope.id
        let time = clock.wallTime()
        var state = state
        let sibling = Sibling(
            item: ItemID(using: &random), device: settings.deviceName, time: time)
        let own = state
        state.name = try catalog.read { (read) throws(DocFSError) in
            guard let taken = try read.remoteChild(own.name, of: own.parent, scope: scopeID),
                taken != item, try read.lodging(of: taken, scope: scopeID) != nil
            else { return own.name }
            return try sibling.name(for: own.name) { (name) throws(DocFSError) in
                try read.remoteChild(name, of: own.parent, scope: scopeID) != nil
            }
        }
        return state
    }
}
