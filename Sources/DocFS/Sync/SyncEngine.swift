package import Logging
internal import Synchronization

/// Keeps one container and this device's local tree in agreement: reads the change log, plans,
/// applies, repeats, until the three trees agree.
///
/// An actor on a thread of its own, where it may block on SQLite. Everything that waits for the
/// store does so in tasks beside it, so no document waits behind another's transfer. Nothing here
/// decides what is to be done: ``Planner`` does.
package actor SyncEngine {
    let catalog: Catalog
    let container: Container
    let replica: any Replica
    let settings: SyncSettings
    let clock: any SyncClock
    let log: Logger
    let inbox: Inbox
    /// The scope that this engine keeps.
    package let scopeID: Int64
    var scope: ScopeRecord
    var random: any RandomNumberGenerator & Sendable

    /// Items that are to be planned, in the order in which they became due.
    var queue = ItemsToPlan()
    /// When the last local change of an item has settled.
    var due: [ItemID: UInt64] = [:]
    /// Items that are never left alone, or that the user wants sent: they settle no longer (S14).
    var overdue: Set<ItemID> = []
    /// Items that are to be looked at again, and when; none before ``nextLater``.
    var later: [ItemID: UInt64] = [:]
    var nextLater = UInt64.max
    /// Effects that were planned and wait for room.
    var ready: ArraySlice<(item: ItemID, step: Step)> = []
    /// How many effects are being carried out.
    var running = 0
    /// Items whose effect is planned, under way, or carried out and not recorded yet.
    var inFlight: Set<ItemID> = []
    /// Items that wait for another one to be acknowledged.
    var waiters: [ItemID: Set<ItemID>] = [:]
    /// Effects that were carried out and are not recorded yet.
    var finished = FinishedEffects()
    /// How many intents were written into the journal, and how many of them are durable.
    var intents = (written: 0, durable: 0)
    /// Rows that the round of planning under way has claimed.
    var claims: [Int64] = []
    /// Rows' bytes that were looked into for a comparison.
    var bodies = KnownBodies()
    /// How often an item's effect has failed in a row.
    var failures: [ItemID: Int] = [:]
    var storeFailures = StoreFailures()
    /// Items whose effects the store hides, and when to look for them again.
    var unsettled: Set<ItemID> = []
    var nextSettling: UInt64 = 0
    /// Objects that carry an operation that no record has told of.
    var strangers: [ItemPath: Sighting] = [:]
    /// Paths that are to be looked at again in a while.
    var lateLooks: Set<ItemPath> = []
    /// Directories that were there before a record told of them: nobody has looked into them since.
    var unentered: Set<ItemPath> = []
    /// Directories that were marked lately, with the moments.
    var keptDirectories: [ItemID: UInt64] = [:]
    /// Paths at which the store may have changed, and those of them that are being looked at.
    var suspects: Set<ItemPath> = []
    var isRemovingTombstones = false
    /// The last look for bodies that are at none of their places.
    var trashWalk: TrashWalk?
    var backlog: ArraySlice<ItemPath> = []
    /// Items whose object is missing, by path, and when the last one was found so.
    var missing: [ItemPath: ItemID] = [:]
    var lastMissing: UInt64 = 0
    /// Paths of missing directories at which there is a document now.
    var replaced: Set<ItemPath> = []
    /// Bodies that other programs took out of the container and this device puts back.
    var soleBodies = SoleBodies()
    /// Documents of other programs whose names directories have that the log has too.
    var leftOut: Set<ItemPath> = []
    /// What may only have been copied or touched in the store.
    var doubts = DoubtfulBodies()
    /// How often what was found at a path was void, since it was last explained, and when it is
    /// looked at again.
    var voided: [ItemPath: (count: Int, next: UInt64)] = [:]
    /// The revisions that operations were recorded with since the start, the last ones.
    var recordedBodies: [OperationID: Revision] = [:]
    /// Recent records, on stores of objects; and until when an absence may only be a late answer.
    var recordings: [ItemID: Recording] = [:]
    var absencesAreDoubtedUntil: UInt64 = 0
    /// When a record of another device was applied last.
    var lastRecordOfOthers: UInt64 = 0
    /// That another device has written here is kept in the catalog.
    var areOthersNoted = false
    var openEdits = OpenEdits()
    /// The user has confirmed the deletes that were held: those made here, those found in the
    /// store (S23).
    var removalsAreConfirmed = false
    var missingIsConfirmed = false
    /// Deletes made here that wait for the user.
    var heldRemovals: Set<ItemID> = []
    /// How many documents the store had, and when they were counted.
    var documentCount: (moment: UInt64, count: Int)?
    /// Items whose row moved to another scope, by that scope.
    var handedOver: [Int64: Set<ItemID>] = [:]
    /// Documents that were deleted here and not yet in the store, and since when there are any.
    var removals: Set<ItemID> = []
    var removalsBegan: UInt64 = 0
    var removalsAreHeld = false
    /// When deletes made here were recorded, for a while.
    var recordedRemovals: ArraySlice<UInt64> = []
    /// What is missing in the store and waits for the user, and how many documents that is.
    var missingAndHeld: [ItemPath: ItemID] = [:]
    var heldMissing = 0
    /// Items whose objects this device brings to their paths, and since when it knows of others.
    var homeward: Set<ItemID> = []
    var lodgingSince: [ItemID: UInt64] = [:]
    /// Since when it knows of what items have left behind, and what of that it is to remove.
    var leftoverSince: [ItemPath: UInt64] = [:]
    var ownLeftovers: Set<ItemPath> = []
    /// What was found at paths that are about to be looked at.
    var glances: [ItemPath: ObjectInfo] = [:]
    /// The newest snapshot that this device knows of, and since when; when it may write one itself.
    var knownSnapshot: (record: UInt64, since: UInt64) = (0, 0)
    var nextCollection: UInt64 = 0
    /// What this device removes from the container, and when it looks next whether it should; the
    /// collector that it waits for, as it was first seen.
    var collecting: CollectingRound?
    /// What the user wants to be gone from the trash.
    var emptying = Emptying()
    var nextCollecting: UInt64 = 0
    var watchedCollector: (revision: Revision, since: UInt64)?
    /// The oldest record that the log still has, as far as this device knows.
    var knownFloor: UInt64 = 0
    /// When the whole container was last looked at, how long that took, and how many requests a
    /// thousand entries of a directory each would be.
    var lastLook: (moment: UInt64, duration: UInt64, requests: UInt64) = (0, 0, 0)
    /// Until when objects are taken as they are listed: see ``takeAsListed(_:in:)``.
    var takesAsListedUntil: UInt64 = 0
    /// Everything is to be looked at, as soon as the store lets it be.
    var isLookOwed = false
    /// Why the store does not tell of every change by others, in words: they are looked for.
    var unseen: String?
    /// Directories that the user looked into and that are to be listed, and when others were.
    var visits: [ItemID] = []
    var visited: [ItemID: UInt64] = [:]
    /// Directories that have moved in the store, and those in which changes were not told of.
    var moved: [ItemID] = []
    var newlyWatched: Set<ItemPath> = []
    /// When the last record was appended, and until when one that found no room waits.
    var lastAppend: UInt64 = 0
    var fullUntil: UInt64 = 0
    /// When the log was last listed, and what is wrong with it.
    var lastChainLook: UInt64 = 0
    var logTrouble: LogTrouble?
    /// How what this device has is to be held against a log that was taken up once more: until then
    /// nothing is planned.
    var comparison: LogRepair?
    /// When that began.
    var comparisonBegan: UInt64 = 0
    /// When documents were found older than the log has them, for the first and the last time in a
    /// row: a backup may be being restored.
    var restoring: (since: UInt64, last: UInt64)?
    /// How often the store has refused to have an object brought to its path.
    var refusedHomecomings: [ItemID: Int] = [:]
    /// What readers of events have been told.
    var telling = Telling()
    /// When the log was last asked for.
    var lastPoll: UInt64 = 0
    /// The earliest moment at which there is something to do without a signal.
    var alarm: UInt64?

    private let executor: (any ActorExecutor)?
    let reachability = Mutex(Reachability.unknown)
    var isAttached = false
    /// When the store was last asked what this device may do, where that is to read.
    var lastQuestion: UInt64 = 0
    /// What a log of this device's own is to this scope; `nil` where there is none.
    var privateLogUse: PrivateLogUse?
    /// When a private log may be made a container's.
    var nextPublishing: UInt64 = 0
    /// Since when a container takes the place of a log that only this device has read.
    var leavingSince: UInt64?
    /// A round is under way.
    private(set) var isInRound = false
    /// Not before this moment is the store tried again.
    var nextAttach: UInt64 = 0
    private(set) var begun: UInt64 = 0
    private nonisolated let stopping = Atomic(false)
    nonisolated let isRepairAsked = Atomic(false)
    /// Nothing is left of what a private log tells of; the user has said that this is meant.
    nonisolated let placeIsDoubted = Atomic(false)
    nonisolated let placeIsConfirmed = Atomic(false)
    private var loop: Task<Void, Never>?
    private var watcher: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    /// When ``timer`` wakes the engine.
    private var timerMoment: UInt64?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor!.asUnownedSerialExecutor()
    }

    package init(
        scope: ScopeRecord, catalog: Catalog, container: Container, replica: any Replica,
        settings: SyncSettings, clock: any SyncClock, executor: any ActorExecutor,
        random: any RandomNumberGenerator & Sendable, log: Logger
    ) {
        self.scope = scope
        scopeID = scope.id
        self.catalog = catalog
        self.container = container
        self.replica = replica
        self.settings = settings
        self.clock = clock
        self.executor = executor
        self.random = random
        self.log = log
        let bulletin = catalog.bulletin
        inbox = Inbox(clock: clock, settle: settings.settle) { bulletin.isWatched }
        catalog.setListener(inbox, scope: scope.id)
        bulletin.addWatchListener { [inbox] in inbox.wake() }
        Self.recallRights(of: scope.id, catalog)
    }

    // MARK: Life

    /// Starts syncing; returns at once.
    package func start() {
        guard loop == nil else { return }
        loop = Task { await run() }
    }

    /// Ends syncing: what is under way is recorded or left to the journal.
    ///
    /// Returns when no task of the engine works any more.
    package nonisolated func stop() async {
        // Seen by an engine that is at work too: what goes over many items ends early, and is done
        // anew at the next start.
        stopping.store(true, ordering: .sequentiallyConsistent)
        await end()
    }

    /// Ends what an engine that is to stop is waiting for at its store.
    package func giveUpStore() { loop?.cancel() }

    nonisolated var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

    private func end() async {
        catalog.setListener(nil, scope: scope.id)
        inbox.finish()
        timer?.cancel()
        watcher?.cancel()
        await loop?.value
        executor?.stop()
    }

    /// Deletes beyond the limit of S23 were confirmed by the user.
    package nonisolated func confirmDeletes() {
        if placeIsDoubted.load(ordering: .relaxed) {
            placeIsConfirmed.store(true, ordering: .relaxed)
        }
        inbox.tell { $0.confirmDeletes = true }
    }

    /// From any thread: what waits of these items, or of all if `nil`, is sent at once (S14).
    package nonisolated func sendNow(_ items: Set<ItemID>?) { inbox.hurry(items) }

    private func run() async {
        begun = clock.now()
        takeUpMoves()
        showBreaches()
        // Done once more as soon as the store is in reach.
        try? queueEverythingPending()
        var signals = inbox.signals.makeAsyncIterator()
        repeat {
            alarm = nil
            do throws(DocFSError) {
                if isRepairAsked.exchange(false, ordering: .sequentiallyConsistent) {
                    (isAttached, nextAttach, comparison) = (false, 0, nil)
                }
                if !isAttached, clock.now() >= nextAttach { try await attach() }
                if isAttached { try await cycle() } else { wake(at: nextAttach) }
            } catch {
                goOffline(error)
            }
            if isStopping { break }
            tellOwnChanges()
            setTimer()
        } while await signals.next() != nil
        await finishForStop()
    }

    /// What was carried out is recorded, if the store answers; otherwise the journal remembers.
    ///
    /// What other programs did in the store is found again.
    private func finishForStop() async {
        guard isAttached, finished.hasOwn else { return }
        do throws(DocFSError) {
            try await appendFinished(evenEarly: true)
        } catch {
            log.info("not everything was recorded before the end: \(error.sentence)")
        }
    }

    private func attach() async throws(DocFSError) {
        if try mustWaitForElder() { return nextAttach = clock.now() + 20_000_000 }
        try take(try await attachContainer())
        try showRights()
        try await mendLog()
        try await catchUp()
        try await checkAnchor()
        try await checkGaps()
        _ = try await nextRecord()
        logTrouble = nil
        // What begins to see changes has everything looked at by itself.
        let listsRarely = !container.capabilities.events && !container.capabilities.cheapListing
        if listsRarely { inbox.hearOfVisits() }
        if watcher == nil {
            lastLook.moment = clock.now()
            watch()
        } else if !listsRarely {
            inbox.tell { $0.lookAtEverything = true }
        }
        isAttached = true
        setReachability(nil)
        forgetFinished()
        try await pull()
        try beginTakingOver()
        try takeUpUnwantedVersions()
        if isStopping { return }
        try takeUpSoleBodies()
        try endFirstReading()
        try await settleJournal()
        try queueEverythingPending()
    }

    /// What was carried out and not recorded may be gone: the store's computer may have lost power.
    ///
    /// The journal tells of what is to be looked for, and looking finds what other programs did.
    func forgetFinished() {
        for effect in finished.first(.max) where !effect.isPutBack {
            inFlight.remove(effect.planned)
            if effect.verb == nil { isLookOwed = true }
        }
        finished = FinishedEffects()
        glances.removeAll()
    }

    private func watch() {
        let events = container.store.events()
        let reason = container.capabilities.events ? "they are not told of any more" : nil
        let inbox = inbox
        watcher = Task {
            for await event in events {
                inbox.tell { contents in
                    switch event {
                    case .changed(let path): contents.suspects.insert(path)
                    case .watched(let directory): contents.newlyWatched.insert(directory)
                    case .logGrew: contents.logGrew = true
                    case .lookAtEverything: contents.lookAtEverything = true
                    case .unseen(let reason): contents.unseen = .some(reason)
                    }
                }
            }
            // No push, or none any more.
            inbox.tell { contents in
                contents.lookAtEverything = true
                contents.unseen = .some(reason)
            }
        }
    }

    private func cycle() async throws(DocFSError) {
        isInRound = true
        defer { isInRound = false }
        let news = inbox.take()
        let now = clock.now()
        // Remembered first: whatever fails below is looked at when the store is back.
        suspects.formUnion(news.suspects)
        newlyWatched.formUnion(news.newlyWatched)
        note(visits: news.visited)
        if news.lookAtEverything { isLookOwed = true }
        if let reason = news.unseen { setUnseen(reason) }
        // In an order that no hash seed decides: the same seed gives the same trace (R11).
        for (item, time) in news.changed.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            enqueue(item, notBefore: time + settings.settle)
        }
        overdue.formUnion(news.overdue)
        for item in news.pending.sorted() { enqueue(item) }
        if news.confirmDeletes { confirmHeldDeletes() }
        emptying.add(news.unwanted.map(Unwanted.deleted))
        if news.versionsAreUnwanted { try takeUpUnwantedVersions() }
        try hurry(news.hurried, all: news.allIsHurried)
        if news.logGrew || now >= lastPoll + settings.poll || news.lookAtEverything {
            try await pull()
        }
        if isStopping { return }
        if container.capabilities.rightsAreDoubted { return attachAgain() }
        if isReadOnly, try await askForRights() { return }
        if onlyFollows { return try await follow() }
        if isLookOwed || isLookDue(at: now) {
            // What the log told is shown first: to list everything takes long.
            try planQueue()
            try await lookAtEverything()
            if onlyFollows || !isAttached { return }
        }
        // First, since other devices wait for it before they take what we made for nobody's.
        try await appendFinished(evenEarly: false)
        try await lookIntoDirectories()
        try await examineSuspects()
        try await examineMissing()
        if onlyFollows { return }
        try await appendFinished(evenEarly: false)
        if !isReadOnly { try await removeLeftovers() }
        try await collectRecords()
        removeTombstones()
        try await collect()
        collectLater()
        try releaseHandedOver()
        try compareWhenQuiet()
        try reconsiderHeldRemovals()
        try await settleRefused()
        try planQueue()
        try await endLeaving()
        try await publishLog()
        if !isReadOnly { putBackSoleBodies() }
        storeFailures.show(in: catalog.bulletin, scope: scopeID)
        try await emptyTrash()
        wake(at: lastPoll + settings.poll)
        // Many that settle one after the other are not looked at one by one.
        if let next = inbox.nextSettled { wake(at: max(next, now + Self.laterInterval)) }
    }

    // MARK: The queue

    /// `item` is to be planned; its local changes are sent from `moment` on.
    func enqueue(_ item: ItemID, notBefore moment: UInt64) {
        due[item] = max(due[item] ?? 0, moment)
        queue.append(item)
    }

    /// What waits of these items, or of all, is sent however lately it changed, and though it is
    /// open.
    private func hurry(_ items: Set<ItemID>, all: Bool) throws(DocFSError) {
        for item in items.sorted() {
            overdue.insert(item)
            openEdits.hurry(item)
            enqueue(item)
        }
        guard all else { return }
        let pending = try catalog.read { (read) throws(DocFSError) in
            try read.pending(scope: scopeID)
        }
        overdue.formUnion(pending)
        for item in pending { openEdits.hurry(item) }
        try queueEverythingPending()
    }

    /// `item` is to be planned now.
    func enqueue(_ item: ItemID) { queue.append(item) }

    func queueEverythingPending() throws(DocFSError) {
        let scopeID = scope.id
        let items = try catalog.read { (read) throws(DocFSError) in
            try read.pending(scope: scopeID) + read.awaitingNewer(scope: scopeID)
        }
        queue += items.filter { !inFlight.contains($0) }
    }

    /// Items that waited for `item` are looked at again.
    func release(waitersOf item: ItemID) {
        queue += (waiters.removeValue(forKey: item) ?? []).sorted()
    }

    // MARK: Time

    /// There is something to do at `moment`.
    func wake(at moment: UInt64) { alarm = min(alarm ?? moment, moment) }

    private func setTimer() {
        let now = clock.now()
        // One that is early enough already goes on: there are as many rounds as changes.
        if let alarm, let timerMoment, timerMoment > now, timerMoment <= alarm { return }
        timer?.cancel()
        timerMoment = nil
        guard let alarm else { return }
        guard alarm > now else { return inbox.wake() }
        timerMoment = alarm
        timer = Task { [clock, inbox] in
            await clock.sleep(nanoseconds: alarm - now)
            if !Task.isCancelled { inbox.wake() }
        }
    }

    nonisolated func write<Value: Sendable>(
        _ body: (CatalogWriter) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        try catalog.write(isSyncing: true, body)
    }
}
