internal import Logging
internal import Synchronization

/// A place that this device may only read, and where there is no container: its documents are
/// shown by a change log that this device keeps for itself (``PrivateLog``).
///
/// Once this device may write, it makes a container of that log, in which all is as it was. Where
/// another device was quicker, its log counts, and what was read before comes from there like
/// anything else; until that is done the scope takes no change, which would be one of a document
/// that is about to be another one.
extension SyncEngine {
    /// How long the scope takes no change at most, in nanoseconds, where other programs never rest.
    private static let longestLeaving: UInt64 = 60_000_000_000

    private var privateLogKey: String { "private-log \(scopeID)" }

    /// Attaches the container, or the one that has taken the place of a private log.
    func attachContainer() async throws(DocFSError) -> ContainerID {
        let drawn = ContainerID(using: &random)
        let key = privateLogKey
        privateLogUse = try catalog.read { (read) throws(DocFSError) in
            try read.fact(key).map(PrivateLogUse.init(fact:))
        }
        let isLeaving = privateLogUse == .left
        if isLeaving, leavingSince == nil { beginLeaving() }
        let new = settings.makesContainers && !isLeaving ? drawn : nil
        do throws(DocFSError) {
            let id = try await container.attach(known: scope.container, new: new)
            try notePublished()
            try await checkPlace()
            return id
        } catch {
            guard case .noContainer = error, privateLogUse == .current,
                // Where none is, the disk with all that was there may only be away (S23).
                let found = try await container.marker(), found != scope.container
            else { throw error }
            try await checkPlace()
            try leavePrivateLog()
            return try await container.attach(known: nil, new: nil)
        }
    }

    /// Makes sure that something of what a private log has is there still, unless the user has
    /// said that all of it may go.
    ///
    /// Else another disk may lie in its place, or nothing but what it was mounted on (S23).
    func checkPlace() async throws(DocFSError) {
        guard privateLogUse == .current else { return }
        catalog.bulletin.updateHealth(of: scopeID) { $0.logIsPrivate = true }
        if try await isSamePlace() { return forgetDoubt() }
        placeIsDoubted.store(true, ordering: .relaxed)
        if placeIsConfirmed.load(ordering: .relaxed) { return missingIsConfirmed = true }
        let documents = try documentsInStore()
        catalog.bulletin.updateHealth(of: scopeID) { $0.heldDeletes = max(1, documents) }
        throw .offline("nothing is left of what was there: perhaps a disk is not mounted")
    }

    private func forgetDoubt() {
        placeIsConfirmed.store(false, ordering: .relaxed)
        placeIsDoubted.store(false, ordering: .relaxed)
        showHeldDeletes()
    }

    /// Whether what lies there is what the log tells of.
    private func isSamePlace() async throws(DocFSError) -> Bool {
        let scopeID = scopeID
        // Identifiers are drawn: the first ones are any.
        let known = try catalog.readConsistently { (read) throws(DocFSError) in
            var known: [(path: ItemPath, state: ItemState)] = []
            let items = try read.remoteItems(
                scope: scopeID, after: .root, limit: PlaceEvidence.lookedForAtMost)
            for item in items {
                guard let state = try read.state(.remote, of: item, scope: scopeID),
                    let path = try read.objectPath(of: item, scope: scopeID)
                else { continue }
                known.append((path, state))
            }
            return known
        }
        // Where each look is a request there are no disks.
        guard known.isEmpty || container.capabilities.cheapListing else {
            return try await !container.store.isEmpty()
        }
        var evidence = PlaceEvidence(lookingFor: known.count)
        for (path, state) in known where !evidence.isEnough {
            do throws(DocFSError) {
                guard let object = try await container.store.head(path) else { continue }
                evidence.add(object.kind, object.revision, at: state)
            } catch .documentRefused {
                evidence.addUnknown()
            }
        }
        return evidence.isEnough
    }

    /// A private log that has become a container's is one like any other.
    func notePublished() throws(DocFSError) {
        guard !container.capabilities.logIsPrivate, privateLogUse == .current else { return }
        try forgetPrivateLogUse()
        forgetDoubt()
    }

    private func forgetPrivateLogUse() throws(DocFSError) {
        let key = privateLogKey
        try write { (write) throws(DocFSError) in try write.removeFact(key) }
        privateLogUse = nil
    }

    private func beginLeaving() {
        leavingSince = clock.now()
        isLookOwed = true
    }

    /// Remembers, with the scope's new container, if that is one of a private log.
    func notePrivateLog(_ write: CatalogWriter) throws(DocFSError) {
        guard container.capabilities.logIsPrivate else { return }
        try write.setFact(privateLogKey, PrivateLogUse.current.fact)
    }

    /// To be called once the transaction of ``notePrivateLog(_:)`` is committed.
    func notePrivateLogIsCurrent() {
        guard container.capabilities.logIsPrivate else { return }
        (privateLogUse, leavingSince) = (.current, nil)
    }

    /// Makes a container of a private log, once everything was looked at and this device may.
    func publishLog() async throws(DocFSError) {
        let capabilities = container.capabilities
        let mayWrite = capabilities.rightsAreKnown && capabilities.writesRefused == nil
        guard let privateLog = container.privateLog, capabilities.logIsPrivate, mayWrite,
            clock.now() >= nextPublishing, lastLook.requests > 0, isQuiet, queue.isEmpty,
            missingAndHeld.isEmpty, !isStopping
        else { return }
        // Where it fails, it is tried again when the rights are asked for next.
        nextPublishing = clock.now() + pauseBetweenQuestions
        do throws(DocFSError) {
            try await privateLog.publish()
            log.notice("\(scope.name) can be written by now: it is a container")
        } catch {
            switch error {
            case .offline, .interrupted: throw error
            case .refused: log.warning("\(scope.name): another container's log is there")
            default: return log.warning("\(scope.name) becomes no container: \(error.sentence)")
            }
        }
        isLookOwed = true
        attachAgain()
    }

    /// Forgets the container of a private log, and what its log came to.
    private func leavePrivateLog() throws(DocFSError) {
        let (key, scopeID) = (privateLogKey, scopeID)
        log.notice("\(scope.name): what was read there is read once more, as a container")
        forgetFinished()
        (knownFloor, knownSnapshot, nextCollection) = (0, (0, 0), 0)
        (collecting, watchedCollector, nextCollecting) = (nil, nil, 0)
        (missingAndHeld, heldMissing) = ([:], 0)
        forgetDoubt()
        missing.removeAll()
        strangers.removeAll()
        voided.removeAll()
        try write { (write) throws(DocFSError) in
            try write.setContainer(nil, scope: scopeID)
            try write.setAnchor(0, nil, scope: scopeID)
            try write.setFact(key, PrivateLogUse.left.fact)
        }
        privateLogUse = .left
        (scope.container, scope.anchor, scope.digest) = (nil, 0, nil)
        beginLeaving()
        try beginLoading()
    }

    /// The scope takes changes, if this device may make any, once it shows what the container has.
    func endLeaving() async throws(DocFSError) {
        guard let since = leavingSince else { return }
        let isRead = onlyFollows || isQuiet || clock.now() >= since + Self.longestLeaving
        guard isRead, !isLookOwed || onlyFollows, queue.isEmpty else { return }
        try await container.privateLog?.forget()
        try forgetPrivateLogUse()
        leavingSince = nil
        try showRights()
    }
}
