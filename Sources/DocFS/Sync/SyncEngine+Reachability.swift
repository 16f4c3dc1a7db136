internal import Logging
internal import Synchronization

/// Whether the store is in reach, and who is told.
extension SyncEngine {
    /// Whether the store was in reach when it was last tried.
    enum Reachability: Equatable {
        /// It is being tried for the first time.
        case unknown
        case online
        /// Why: as a read of what is not here fails.
        case offline(DocFSError)
    }

    nonisolated var lastReachability: Reachability { reachability.withLock { $0 } }

    func setReachability(_ error: DocFSError?, lacksContainer: Bool = false) {
        let before = reachability.withLock { value in
            defer { value = error.map(Reachability.offline) ?? .online }
            return value
        }
        let reason =
            if case .offline(let words)? = error { words } else { error?.sentence }
        if reason == nil {
            showGuarantee()
            showOthers()
        }
        catalog.bulletin.updateHealth(of: scope.id) {
            $0.isOnline = reason == nil
            $0.unseen = reason == nil ? unseen : nil
            $0.problem = reason
            $0.lacksContainer = lacksContainer
            $0.logTrouble = reason == nil ? nil : logTrouble
        }
        guard before == .unknown || (before == .online) != (error == nil) else { return }
        if reason == nil { replica.cameInReach(scope: scope.id) }
        if let reason { log.warning("\(scope.name) is offline: \(reason)") }
        catalog.bulletin.post(
            DocumentEvent(
                kind: reason == nil ? .online : .offline, scope: scope.id, item: nil, path: nil,
                time: clock.wallTime(), sentence: reason))
    }

    /// What the store guarantees may change while it is in use.
    func showGuarantee() {
        let guarantee = container.capabilities.guarantee
        catalog.bulletin.updateHealth(of: scope.id) { $0.guarantee = guarantee }
    }

    /// Whether any other device has ever written into the container, as far as is known, where
    /// that is not a matter of course.
    private func showOthers() {
        let isLone = container.capabilities.isOnOwnDisk && !hasMetOthers
        catalog.bulletin.updateHealth(of: scope.id) { $0.isLone = isLone }
    }

    private var hasMetOthers: Bool {
        if areOthersNoted { return true }
        let (fact, name, id) = (othersFact, settings.deviceName, scopeID)
        // A scope that cannot be asked is no reason to worry anybody.
        let isSeen =
            (try? catalog.read { (read) throws(DocFSError) in
                if try read.fact(fact) != nil { return true }
                return try read.hasSaver(otherThan: name, scope: id)
            }) ?? true
        if isSeen { noteOthers() }
        return isSeen
    }

    /// The fact that stays: what another device wrote may be replaced.
    private var othersFact: String { "othersMet.\(scope.id)" }

    private func noteOthers() {
        let fact = othersFact
        // Where that fails, the next record of another device is as good.
        areOthersNoted =
            (try? write { (write) throws(DocFSError) in try write.setFact(fact, []) }) != nil
    }

    /// A record of another device was applied.
    func meetOthers() {
        lastRecordOfOthers = clock.now()
        guard container.capabilities.isOnOwnDisk, !areOthersNoted else { return }
        noteOthers()
        catalog.bulletin.updateHealth(of: scope.id) { $0.isLone = false }
    }

    /// What is wrong with a store that is in reach, in words; `nil` when nothing is.
    ///
    /// Why a store is out of reach stays.
    func setProblem(_ words: String?) {
        let health = catalog.bulletin.health(of: scope.id)
        guard health.isOnline, health.problem != words else { return }
        catalog.bulletin.updateHealth(of: scope.id) { $0.problem = words }
    }

    /// Why the store does not tell of every change by others from now on, in words; `nil` when it
    /// does again.
    ///
    /// While the store is out of reach it is not told of: nothing is looked for then.
    func setUnseen(_ reason: String?) {
        if reason != nil { isLookOwed = true }
        guard reason != unseen else { return }
        unseen = reason
        catalog.bulletin.updateHealth(of: scope.id) {
            if $0.isOnline { $0.unseen = reason }
        }
        let words = reason.map { "are found late: \($0)" } ?? "are seen at once again"
        log.notice("\(scope.name): changes by other programs \(words)")
    }

    /// The store is out of reach, or answers what cannot be trusted: nothing is planned from it
    /// until it is attached again (S12, S23).
    func goOffline(_ error: DocFSError) {
        isAttached = false
        emptying.giveUp()
        switch error {
        // What a reader can do something about is not hidden behind a network that is fine (S32).
        case .offline, .credentialsRefused, .corrupt: setReachability(error)
        // Of what the container cannot do without.
        case .documentRefused(let reason): setReachability(.credentialsRefused(reason))
        case .noContainer(let words): setReachability(.offline(words), lacksContainer: true)
        default: setReachability(.offline(error.sentence))
        }
        var pause = min(settings.poll, 1_000_000_000)
        // Whoever has damaged it will hardly have mended it within a second.
        if case .corrupt = error { pause = settings.poll }
        if logTrouble != nil { pause = settings.poll }
        nextAttach = clock.now() + pause
        wake(at: nextAttach)
    }
}
