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
        var unsettled: [ItemID: Change] = [:]
        /// None of them changed last before this moment; `nil` when there are none.
        var oldest: UInt64?
        /// When the user changed something last.
        var lastChange: UInt64 = 0
        /// When reads last missed what was known to be at a path.
        var missed: [ItemPath: UInt64] = [:]
    }

    /// The moments of the first and the last change of an item since it was taken last.
    private struct Change {
        let first: UInt64
        var last: UInt64
    }

    /// How long an item may go on being changed before it is sent all the same, in nanoseconds.
    private static let patience: UInt64 = 30_000_000_000

    private let state = Mutex(State())
    private let clock: any SyncClock
    private let settle: UInt64
    private let continuation: AsyncStream<Void>.Continuation
    /// Yields when there is something to look at; signals that pile up are one.
    let signals: AsyncStream<Void>

    /// - Parameter settle: nanoseconds after its last change when an item has settled.
    init(clock: any SyncClock, settle: UInt64) {
        self.clock = clock
        self.settle = settle
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func itemsBecamePending(_ items: Set<ItemID>, bySyncing: Bool) {
        if bySyncing { return tell { contents in contents.pending.formUnion(items) } }
        let now = clock.now()
        let isFirst = state.withLock { state in
            for item in items {
                state.unsettled[item, default: Change(first: now, last: now)].last = now
            }
            state.lastChange = now
            defer { state.oldest = state.oldest ?? now }
            return state.oldest == nil
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
                for item in items { state.unsettled[item] = nil }
                state.contents.hurried.formUnion(items)
                state.oldest = state.unsettled.values.map(\.last).min()
            } else {
                (state.unsettled, state.oldest, state.lastChange) = ([:], nil, 0)
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
            guard let oldest = state.oldest, oldest + settle <= now else { return taken }
            let patience = max(Self.patience, settle)
            let due = state.unsettled.filter { (_, change) in
                change.last + settle <= now || change.first + patience <= now
            }
            for (item, change) in due {
                state.unsettled[item] = nil
                taken.changed[item] = max(taken.changed[item] ?? 0, change.last)
                if change.last + settle > now { taken.overdue.insert(item) }
            }
            state.oldest = state.unsettled.values.map(\.last).min()
            return taken
        }
    }

    /// When ``take()`` will have something that the user changed; `nil` when nothing waits.
    var nextSettled: UInt64? { state.withLock { state in state.oldest.map { $0 + settle } } }

    /// How many items the user changed that have not settled yet.
    var unsettledCount: Int { state.withLock(\.unsettled.count) }

    /// When the user changed something last.
    var lastChange: UInt64 { state.withLock { $0.lastChange } }

    /// When each of these items will have settled, for those that have not been taken yet.
    func settling(_ items: [ItemID]) -> [ItemID: UInt64] {
        state.withLock { state in
            if state.unsettled.isEmpty { return [:] }
            var moments: [ItemID: UInt64] = [:]
            for item in items {
                if let change = state.unsettled[item] { moments[item] = change.last + settle }
            }
            return moments
        }
    }
}
