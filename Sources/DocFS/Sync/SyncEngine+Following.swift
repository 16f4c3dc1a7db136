internal import Logging

/// A container in which this device may write nothing: its log is followed, and what it has is
/// read. Nothing is sent or removed, and nothing recorded but in a log of this device's own.
extension SyncEngine {
    /// Whether nothing may be sent.
    var isReadOnly: Bool {
        let capabilities = container.capabilities
        return capabilities.writesRefused != nil || capabilities.logIsPrivate
    }

    /// Whether nothing may be recorded either: only what is in the log is shown.
    var onlyFollows: Bool { isReadOnly && !container.capabilities.logIsPrivate }

    /// What is due, of what can be done without writing.
    func follow() async throws(DocFSError) {
        // No record may tell of it.
        suspects.removeAll()
        newlyWatched.removeAll()
        backlog.removeAll()
        glances.removeAll()
        missing.removeAll()
        lateLooks.removeAll()
        strangers.removeAll()
        visits.removeAll()
        try await settleRefused()
        collectLater()
        try planQueue()
        try await endLeaving()
        storeFailures.show(in: catalog.bulletin, scope: scopeID)
        wake(at: lastPoll + settings.poll)
    }

    /// Asks the store now and then whether this device may write by now: then everything is to be
    /// looked at.
    ///
    /// - Returns: whether the container is to be attached as another one than it was.
    func askForRights() async throws(DocFSError) -> Bool {
        let isDue = clock.now() >= lastQuestion + pauseBetweenQuestions
        guard isDue || onlyFollows && isLookOwed else { return false }
        guard try await isSame() else { return true }
        if onlyFollows || !isReadOnly { isLookOwed = !isReadOnly }
        try showRights()
        guard !isReadOnly else { return false }
        log.notice("\(scope.name) can be written by now")
        attachAgain()
        return true
    }

    /// Makes sure that the container is the one that it was.
    ///
    /// - Returns: false where another one has taken the place of a private log: it is to be
    ///   attached.
    func isSame() async throws(DocFSError) -> Bool {
        let wasPrivate = container.capabilities.logIsPrivate
        do throws(DocFSError) {
            _ = try await container.attach(known: scope.container, new: nil)
            try notePublished()
            try await checkPlace()
            return true
        } catch {
            guard wasPrivate, case .noContainer = error else { throw error }
            attachAgain()
            return false
        }
    }

    /// A minute with the usual interval of asking for news, where that costs nothing, else an hour.
    var pauseBetweenQuestions: UInt64 {
        container.capabilities.cheapListing ? settings.poll * 12 : settings.rareLook
    }

    /// The container is attached once more, as one that may be written, or may not.
    func attachAgain() {
        isAttached = false
        if isReadOnly { emptying.giveUp() }
        nextAttach = clock.now()
        wake(at: nextAttach)
    }

    /// Tells the scope whether it takes changes, also for the next start, which may be offline.
    func showRights() throws(DocFSError) {
        guard container.capabilities.rightsAreKnown else { return }
        let (isReadOnly, key) = (isReadOnly || leavingSince != nil, Self.readOnly(scopeID))
        if self.isReadOnly {
            // What was confirmed was what could be seen then.
            if onlyFollows { (removalsAreConfirmed, missingIsConfirmed) = (false, false) }
            lastQuestion = clock.now()
        }
        let isPrivate = container.capabilities.logIsPrivate
        catalog.bulletin.updateHealth(of: scopeID) {
            $0.isReadOnly = isReadOnly
            $0.logIsPrivate = isPrivate
        }
        try write { (write) throws(DocFSError) in
            guard try isReadOnly != (write.read.fact(key) != nil) else { return }
            if isReadOnly { try write.setFact(key, []) } else { try write.removeFact(key) }
        }
    }

    /// Until the store is reached the scope is what it was.
    static func recallRights(of scope: Int64, _ catalog: Catalog) {
        // Where the catalog cannot be read nothing else can be either.
        let fact = try? catalog.read { (read) throws(DocFSError) in
            try read.fact(readOnly(scope))
        }
        let isReadOnly = fact != nil
        catalog.bulletin.updateHealth(of: scope) { $0.isReadOnly = isReadOnly }
    }

    private static func readOnly(_ scope: Int64) -> String { "read-only \(scope)" }
}
