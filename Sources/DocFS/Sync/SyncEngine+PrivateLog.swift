internal import Logging
internal import Synchronization

/// A place that this device may only read, and where there is no container: its documents are
/// shown by a change log that this device keeps for itself (``PrivateLogStore``).
///
/// Once this device may write, it makes a container of that log, in which all is as it was. Where
/// another device was quicker, its log counts, and what was read before comes from there like
/// anything else; until that is done the scope takes no change, which would be one of a document
/// that is about to be another one.
extension SyncEngine {
    /// What the fact of a private log says.
    private enum PrivateLog {
        static let isInUse: [UInt8] = []
        static let isBeingLeft: [UInt8] = [1]
    }

    /// How long the scope takes no change at most, in nanoseconds, where other programs never rest.
    private static let longestLeaving: UInt64 = 60_000_000_000

    private static func privateLog(_ scope: Int64) -> String { "private-log \(scope)" }

    /// Attaches the container, or the one that has taken the place of a private log.
    func attachContainer() async throws(DocFSError) -> ContainerID {
        let drawn = ContainerID(using: &random)
        let isLeaving = try privateLog == PrivateLog.isBeingLeft
        if isLeaving, leavingSince == nil { beginLeaving() }
        let new = settings.makesContainers && !isLeaving ? drawn : nil
        do throws(DocFSError) {
            let id = try await container.attach(known: scope.container, new: new)
            try notePublished()
            try await checkPlace()
            return id
        } catch {
            guard case .noContainer = error, try privateLog == PrivateLog.isInUse,
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
        guard try privateLog == PrivateLog.isInUse else { return }
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

    /// Whether a document that the log has is as it was, or most of them are there at all: two
    /// disks may have a few names in common.
    private func isSamePlace() async throws(DocFSError) -> Bool {
        let scopeID = scopeID
        // Identifiers are drawn: the first ones are any.
        let known = try catalog.readConsistently { (read) throws(DocFSError) in
            var known: [(path: ItemPath, state: ItemState)] = []
            let items = try read.remoteItems(
                scope: scopeID, after: .root, limit: Self.lookedForAtMost)
            for item in items {
                guard let state = try read.state(.remote, of: item, scope: scopeID),
                    let path = try read.objectPath(of: item, scope: scopeID)
                else { continue }
                known.append((path, state))
            }
            return known
        }
        if known.isEmpty { return true }
        // Where each look is a request there are no disks.
        guard container.capabilities.cheapListing else {
            return try await !container.store.isEmpty()
        }
        var found = 0
        for (path, state) in known {
            do throws(DocFSError) {
                guard let object = try await container.store.head(path),
                    object.kind == state.kind
                else { continue }
                found += 1
                if let revision = object.revision, revision == state.content.revision {
                    return true
                }
            } catch .documentRefused {
                found += 1
            }
        }
        return found * 2 > known.count
    }

    private static let lookedForAtMost = 64

    /// A private log that has become a container's is one like any other.
    func notePublished() throws(DocFSError) {
        guard !container.capabilities.logIsPrivate, try privateLog == PrivateLog.isInUse else {
            return
        }
        let key = Self.privateLog(scopeID)
        try write { (write) throws(DocFSError) in try write.removeFact(key) }
        forgetDoubt()
    }

    private var privateLog: [UInt8]? {
        get throws(DocFSError) {
            let key = Self.privateLog(scopeID)
            return try catalog.read { (read) throws(DocFSError) in try read.fact(key) }
        }
    }

    private func beginLeaving() {
        leavingSince = clock.now()
        isLookOwed = true
    }

    /// Remembers, with the scope's new container, if that is one of a private log.
    func notePrivateLog(_ write: CatalogWriter) throws(DocFSError) {
        guard container.capabilities.logIsPrivate else { return }
        try write.setFact(Self.privateLog(scopeID), PrivateLog.isInUse)
        leavingSince = nil
    }

    /// Makes a container of a private log, once everything was looked at and this device may.
    func publishLog() async throws(DocFSError) {
        let capabilities = container.capabilities
        let mayWrite = capabilities.rightsAreKnown && capabilities.writesRefused == nil
        guard capabilities.logIsPrivate, mayWrite, clock.now() >= nextPublishing,
            lastLook.requests > 0, isQuiet, queue.isEmpty, missingAndHeld.isEmpty, !isStopping
        else { return }
        // Where it fails, it is tried again when the rights are asked for next.
        nextPublishing = clock.now() + pauseBetweenQuestions
        do throws(DocFSError) {
            try await container.store.publishLog()
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
        let (key, scopeID) = (Self.privateLog(scopeID), scopeID)
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
            try write.setFact(key, PrivateLog.isBeingLeft)
        }
        (scope.container, scope.anchor, scope.digest) = (nil, 0, nil)
        beginLeaving()
        try beginLoading()
    }

    /// The scope takes changes, if this device may make any, once it shows what the container has.
    func endLeaving() async throws(DocFSError) {
        guard let since = leavingSince else { return }
        let isRead = onlyFollows || isQuiet || clock.now() >= since + Self.longestLeaving
        guard isRead, !isLookOwed || onlyFollows, queue.isEmpty else { return }
        try await container.store.forgetLog()
        let key = Self.privateLog(scopeID)
        try write { (write) throws(DocFSError) in try write.removeFact(key) }
        leavingSince = nil
        try showRights()
    }
}
