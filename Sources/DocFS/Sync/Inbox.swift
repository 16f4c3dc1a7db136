internal import Synchronization

/// What other threads have told the engine since it looked last.
///
/// What the user changed stays here until it has settled, however often it changes until then: the
/// engine is not woken for each change.
final class Inbox: PendingObserver {
    struct Contents {
        /// Items that the user changed, with the moment of the last change.
        var changed: [ItemID: UInt64] = [:]
        /// Those of ``changed`` that are still being changed, and have been for so long that they
        /// are sent all the same (S14).
        var overdue: Set<ItemID> = []
        /// Items that the user wants to be sent at once, however lately they changed (S14).
        var hurried: Set<ItemID> = []
        /// The same, of everything.
        var allIsHurried = false
        /// Items that syncing made pending.
        var pending: Set<ItemID> = []
        /// Paths at which the store may have changed.
        var suspects: Set<ItemPath> = []
        /// Directories in which changes were not told of until now.
        var newlyWatched: Set<ItemPath> = []
        /// Directories that the user looked into.
        var visited: Set<ItemID> = []
        var logGrew = false
        var lookAtEverything = false
        /// Why not every change in the store is told of from now on, where that is news.
        var unseen: String??
        var confirmDeletes = false
        /// What is to go from the trash.
        var unwanted: [TrashRecord] = []
        /// The user has removed earlier versions.
        var versionsAreUnwanted = false
    }

    private struct State {
        var contents = Contents()
        var hearsOfVisits = false
        /// What the user changed and what has not settled yet.
        var unsettled = UnsettledItems()
        /// The same of what readers of events have not been told yet.
        var untold = UnsettledItems()
        /// When the user changed something last.
        var lastChange: UInt64 = 0
        /// When reads last missed what was known to be at a path.
        var missed: [ItemPath: UInt64] = [:]
    }

    private let state = Mutex(State())
    private let clock: any SyncClock
    private let settle: UInt64
    private let isWatched: @Sendable () -> Bool
    private let continuation: AsyncStream<Void>.Continuation
    /// Yields when there is something to look at; signals that pile up are one.
    let signals: AsyncStream<Void>

    /// - Parameters:
    ///   - settle: nanoseconds after its last change when an item has settled.
    ///   - isWatched: whether anybody reads events.
    init(
        clock: any SyncClock, settle: UInt64, isWatched: @escaping @Sendable () -> Bool = { false }
    ) {
        self.clock = clock
        self.settle = settle
        self.isWatched = isWatched
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func itemsBecamePending(_ items: Set<ItemID>, bySyncing: Bool) {
        if bySyncing { return tell { contents in contents.pending.formUnion(items) } }
        let now = clock.now()
        let isTold = isWatched()
        let isFirst = state.withLock { state in
            let isFirst =
                state.unsettled.oldest == nil || isTold && state.untold.oldest == nil
            state.unsettled.add(items, at: now)
            if isTold { state.untold.add(items, at: now) }
            state.lastChange = now
            return isFirst
        }
        // The engine then knows when to look.
        if isFirst { continuation.yield() }
    }

    /// Adds to the contents and wakes the engine.
    func tell(_ change: (inout Contents) -> Void) {
        state.withLock { change(&$0.contents) }
        continuation.yield()
    }

    /// How often a path is looked at for the sake of who reads there, in nanoseconds: each look may
    /// be a version for all devices.
    private static let missPause: UInt64 = 1_000_000_000
    /// So many such paths are remembered.
    private static let missCapacity = 1024

    /// Who reads what was known to be at a path has found something else, or nothing.
    func miss(_ path: ItemPath) {
        let now = clock.now()
        let isNews = state.withLock { state in
            if let last = state.missed[path], now < last + Self.missPause { return false }
            if state.missed.count >= Self.missCapacity { state.missed = [:] }
            state.missed[path] = now
            state.contents.suspects.insert(path)
            state.contents.logGrew = true
            return true
        }
        if isNews { continuation.yield() }
    }

    /// Ends the settle time of these items, or of all that the user changed until now (S14).
    func hurry(_ items: Set<ItemID>?) {
        state.withLock { state in
            if let items {
                state.unsettled.remove(items)
                state.contents.hurried.formUnion(items)
            } else {
                (state.unsettled, state.lastChange) = (UnsettledItems(), 0)
                state.contents.allIsHurried = true
            }
        }
        continuation.yield()
    }

    /// Visits are told from now on, where that is of use.
    func hearOfVisits() { state.withLock { $0.hearsOfVisits = true } }

    /// The user looked into a directory.
    func visit(_ directory: ItemID) {
        let isNews = state.withLock { state in
            state.hearsOfVisits && state.contents.visited.insert(directory).inserted
        }
        if isNews { continuation.yield() }
    }

    func wake() { continuation.yield() }

    func finish() { continuation.finish() }

    /// Everything that was told and has settled, leaving the rest.
    func take() -> Contents {
        let now = clock.now()
        return state.withLock { state in
            var taken = state.contents
            state.contents = Contents()
            for (item, last) in state.unsettled.take(at: now, settle: settle) {
                taken.changed[item] = max(taken.changed[item] ?? 0, last)
                if last + settle > now { taken.overdue.insert(item) }
            }
            return taken
        }
    }

    /// What the user changed and readers of events are to be told of now, in the order of the
    /// changes.
    ///
    /// A moment later than when it has settled: a save takes a few changes, which are told of
    /// together.
    func takeUntold() -> [ItemID] {
        let now = clock.now()
        let taken = state.withLock { $0.untold.takeGroups(at: now, settle: settle, gap: saveTime) }
        return taken.sorted { ($0.last, $0.item) < ($1.last, $1.item) }.map(\.item)
    }

    /// When ``takeUntold()`` may have something, by the clock; `nil` when nothing waits.
    var nextUntold: UInt64? {
        state.withLock { $0.untold.oldest.map { $0 + settle + saveTime } }
    }

    /// For how long two changes count as one save, in nanoseconds.
    private var saveTime: UInt64 { settle / 4 }

    /// Which of these readers of events have not been told of yet.
    func untold(among items: some Sequence<ItemID>) -> [ItemID] {
        state.withLock { state in items.filter { state.untold.last(of: $0) != nil } }
    }

    /// Takes those of these that readers of events have not been told of, settled or not.
    func takeUntold(among items: [ItemID]) -> [ItemID] {
        state.withLock { state in
            let taken = items.filter { state.untold.last(of: $0) != nil }
            if !taken.isEmpty { state.untold.remove(Set(taken)) }
            return taken
        }
    }

    /// These have not been told of after all.
    func tellLater(_ items: [ItemID]) {
        let now = clock.now()
        state.withLock { $0.untold.add(Set(items), at: now) }
    }

    /// Nobody reads any more.
    func forgetUntold() { state.withLock { $0.untold = UnsettledItems() } }

    /// When ``take()`` will have something that the user changed; `nil` when nothing waits.
    var nextSettled: UInt64? { state.withLock { $0.unsettled.oldest.map { $0 + settle } } }

    /// How many items the user changed that have not settled yet.
    var unsettledCount: Int { state.withLock(\.unsettled.count) }

    /// When the user changed something last.
    var lastChange: UInt64 { state.withLock { $0.lastChange } }

    /// Items are planned now: what has made them pending in syncing so far needs no further look.
    ///
    /// - Returns: when each will have settled, of those that the user changed and nobody has taken.
    func withdraw(_ items: [ItemID]) -> [ItemID: UInt64] {
        state.withLock { state in
            if !state.contents.pending.isEmpty { state.contents.pending.subtract(items) }
            if state.unsettled.count == 0 { return [:] }
            var moments: [ItemID: UInt64] = [:]
            for item in items {
                if let last = state.unsettled.last(of: item) { moments[item] = last + settle }
            }
            return moments
        }
    }
}
