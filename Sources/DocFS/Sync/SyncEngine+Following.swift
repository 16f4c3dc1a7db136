internal import Logging

/// A container in which this device may write nothing: its log is followed, and what it has is
/// read. Nothing is sent, recorded or removed.
extension SyncEngine {
    var isReadOnly: Bool { container.capabilities.writesRefused != nil }

    /// What is due, of what can be done without writing.
    func follow() async throws(DocFSError) {
        // No record may tell of it.
        suspects.removeAll()
        backlog.removeAll()
        missing.removeAll()
        lateLooks.removeAll()
        strangers.removeAll()
        visits.removeAll()
        if isLookOwed || isLookDue(at: clock.now()) {
            try await askForRights()
            guard isReadOnly else { return }
        }
        try await settleRefused()
        collectLater()
        try planQueue()
        storeFailures.show(in: catalog.bulletin, scope: scopeID)
        wake(at: lastPoll + settings.poll)
    }

    /// Asks the store whether this device may write by now: then everything is to be looked at.
    private func askForRights() async throws(DocFSError) {
        _ = try await container.attach(known: scope.container, new: nil)
        isLookOwed = !isReadOnly
        try showRights()
        guard !isReadOnly else { return }
        log.notice("\(scope.name) can be written by now")
        attachAgain()
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
        let (isReadOnly, key) = (isReadOnly, Self.readOnly(scopeID))
        if isReadOnly {
            // What was confirmed was what could be seen then.
            (removalsAreConfirmed, missingIsConfirmed) = (false, false)
            // No look at everything is due, but a question an hour.
            lastLook = (clock.now(), 0, 1)
        }
        catalog.bulletin.updateHealth(of: scopeID) { $0.isReadOnly = isReadOnly }
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
