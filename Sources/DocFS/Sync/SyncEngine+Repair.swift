internal import Logging
internal import Synchronization

/// The way out where the change log is not the one that was read (S23): somebody says what is to
/// count, and nothing that any device holds is lost by it.
///
/// The log is read from its beginning as far as it is a log, what follows is removed, everything in
/// the container is looked at, and only then what this device has is held against it. That is
/// remembered in the catalog until it is done: a device that dies in between begins once more.
extension SyncEngine {
    private static func fact(_ scope: Int64) -> String { "repair \(scope)" }

    /// Mends the change log, as soon as the store is in reach.
    ///
    /// Any thread may ask for it; it is remembered when this returns.
    package nonisolated func mendLog(_ repair: LogRepair) throws(DocFSError) {
        let key = Self.fact(scopeID)
        let isNews = try write { (write) throws(DocFSError) in
            // What was begun is done to its end: until then nothing may be planned.
            if repair == .check, try write.read.fact(key) != nil { return false }
            try write.setFact(key, Array(repair.rawValue.utf8))
            return true
        }
        guard isNews else { return }
        catalog.bulletin.updateHealth(of: scopeID) {
            $0.isRepairing = true
            $0.mended = nil
        }
        isRepairAsked.store(true, ordering: .sequentiallyConsistent)
        inbox.wake()
    }

    private var repairAsked: LogRepair? {
        get throws(DocFSError) {
            let key = Self.fact(scopeID)
            let fact = try catalog.read { (read) throws(DocFSError) in try read.fact(key) }
            return fact.flatMap { LogRepair(rawValue: String(decoding: $0, as: UTF8.self)) }
        }
    }

    private func endRepair(_ mended: String?) throws(DocFSError) {
        let key = Self.fact(scopeID)
        try write { (write) throws(DocFSError) in try write.removeFact(key) }
        if let mended { log.notice("\(mended)") }
        catalog.bulletin.updateHealth(of: scopeID) {
            $0.isRepairing = false
            $0.mended = mended
        }
    }

    /// Does what was asked for about the log, before anything is made of it.
    func mendLog() async throws(DocFSError) {
        guard let asked = try repairAsked else { return }
        if onlyFollows, let words = container.capabilities.writesRefused {
            if asked == .check { return try endRepair(nil) }
            // What was begun is done to its end before anything is planned.
            throw .offline("the change log cannot be mended without the right to write: \(words)")
        }
        if asked == .check { return try endRepair(try await coverDamage()) }
        catalog.bulletin.updateHealth(of: scopeID) { $0.isRepairing = true }
        if comparison == nil {
            forgetFinished()
            for (item, _) in ready { give(back: item) }
            ready.removeAll()
            try await takeLog()
        }
        if comparison == nil { comparisonBegan = clock.now() }
        comparison = asked
        isLookOwed = true
    }

    // MARK: The log

    /// Reads the log as far as it is one, and removes what follows.
    private func takeLog() async throws(DocFSError) {
        if try await !isRead() { try beginLoading() }
        do throws(DocFSError) {
            // Another device may shorten the log meanwhile: what is damaged is so twice.
            do throws(DocFSError) { try await catchUp() } catch .corrupt { try await catchUp() }
        } catch .corrupt(let words) {
            log.warning("nothing is left of the change log: \(words)")
            try await container.removeFloor()
            try beginLoading()
            try await remove(try await container.records())
            try await catchUp()
        }
        var rest: [UInt64] = []
        repeat {
            while let record = try await readable() { try await apply(record) }
            rest = try await container.records().filter { $0 > scope.anchor }
            // Another device may have gone on meanwhile.
        } while try await readable() != nil
        try await remove(rest)
    }

    /// Whether the log has all records up to the anchor, as they were read.
    private func isRead() async throws(DocFSError) -> Bool {
        guard scope.anchor > 0 else { return false }
        logTrouble = nil
        do throws(DocFSError) {
            try await checkAnchor()
        } catch {
            if logTrouble == nil { throw error }
            return false
        }
        let first = max(1, try await container.floor()?.record ?? 1)
        guard first <= scope.anchor else { return true }
        let numbers = try await container.records().filter { $0 >= first && $0 <= scope.anchor }
        return UInt64(numbers.count) == scope.anchor - first + 1
    }

    /// The next record, if it is one and follows the one that was read last.
    private func readable() async throws(DocFSError) -> LogRecord? {
        if isStopping { throw .interrupted }
        do throws(DocFSError) {
            let record = try await container.record(scope.anchor + 1)
            return record?.previous == scope.digest ? record : nil
        } catch .corrupt {
            return nil
        }
    }

    private func remove(_ records: [UInt64]) async throws(DocFSError) {
        // The last one first: whatever ends this, no device takes a gap for the end.
        for number in records.reversed() {
            if isStopping { throw .interrupted }
            log.warning("record \(number) of the change log is removed")
            try await container.removeRecord(number)
        }
        try await container.store.makeDurable()
    }

    // MARK: Damaged records

    /// A snapshot takes the place of records that are damaged, and that this device has read.
    ///
    /// - Returns: what was mended, in words.
    private func coverDamage() async throws(DocFSError) -> String? {
        let known = try await container.floor()
        guard let damaged = try await damagedRecord(from: max(1, known?.record ?? 1)) else {
            return nil
        }
        let snapshot = try await writeSnapshot(by: OperationID(using: &random))
        try await container.raise(
            Floor(record: scope.anchor + 1, snapshot: snapshot), over: known)
        return "record \(damaged) of the change log was damaged: a snapshot stands for it now"
    }

    /// The first record that this device has read and that nobody else can; `nil` too where the log
    /// is not the one that was read here.
    private func damagedRecord(from first: UInt64) async throws(DocFSError) -> UInt64? {
        guard first <= scope.anchor else { return nil }
        var damaged: UInt64?
        var previous: Digest?
        for number in first...scope.anchor {
            if isStopping { throw .interrupted }
            guard let digest = try await container.digest(ofRecord: number) else { return nil }
            do throws(DocFSError) {
                let record = try await container.record(number)
                if number > first, record?.previous != previous {
                    damaged = damaged ?? number - 1
                }
                if number == scope.anchor, digest != scope.digest { return nil }
            } catch .corrupt {
                damaged = damaged ?? number
            }
            previous = digest
        }
        return damaged
    }

    // MARK: What this device has

    /// Whether all that was found in the store has been looked at, and what was news is recorded.
    ///
    /// A sighting alone keeps nothing waiting: an adopted object has its own until it is looked at
    /// again, and what a record may still explain is looked at later.
    var isQuiet: Bool {
        backlog.isEmpty && suspects.isEmpty && missing.isEmpty && lateLooks.isEmpty
            && finished.isEmpty && !isLookOwed
    }

    /// Holds what this device has against the container, once everything there was looked at.
    ///
    /// Until then nothing is planned.
    func compareWhenQuiet() throws(DocFSError) {
        guard let repair = comparison, !isStopping else { return }
        let isDone = isQuiet && clock.now() >= endOfRestoring
        guard !isLookOwed, isDone || clock.now() >= comparisonBegan + Self.patience else {
            return wake(at: clock.now() + Self.quietInterval)
        }
        let scope = scope
        let conflicts = try catalog.read { (read) throws(DocFSError) in
            try read.remoteConflicts(scope: scope.id)
        }
        var last = ItemID.root
        while true {
            let after = last
            let items = try catalog.read { (read) throws(DocFSError) in
                try read.baseItems(scope: scope.id, after: after, limit: Self.comparedAtOnce)
            }
            guard let end = items.last else { break }
            let edits = try write { (write) throws(DocFSError) in
                let comparer = LogComparer(
                    write: write, scope: scope, repair: repair, conflicts: conflicts)
                var edits: [Int64] = []
                for item in items {
                    if let ino = try comparer.compare(item) { edits.append(ino) }
                }
                return edits
            }
            replica.applied(edits.map(LocalNotice.edited))
            last = end
        }
        comparison = nil
        try endRepair("the change log was taken up once more")
        try queueEverythingPending()
    }

    /// Objects that nobody explains do not keep everything waiting, in nanoseconds.
    private static let patience: UInt64 = 60_000_000_000
    private static let quietInterval: UInt64 = 200_000_000
    private static let comparedAtOnce = 500
}
