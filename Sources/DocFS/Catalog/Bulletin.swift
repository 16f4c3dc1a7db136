internal import Synchronization

/// What is known only while the daemon runs: the health of scopes, and the latest events.
///
/// Any thread may post and look. Nobody waits: a slow reader of events misses the oldest ones and
/// can tell by their numbers.
package final class Bulletin: Sendable {
    private struct State {
        var health: [Int64: ScopeHealth] = [:]
        var notes: [String] = []
        var events: [DocumentEvent] = []
        /// Number of the first event that is kept.
        var first: UInt64 = 0
        var listeners: [@Sendable () -> Void] = []
        var watchers = 0
        var watchListeners: [@Sendable () -> Void] = []
        var movedOut: Set<ItemID> = []
        var unwatched: String?
    }

    /// How many events are kept for readers.
    private static let capacity = 4096

    private let state = Mutex(State())

    package init() {}

    package func health(of scope: Int64) -> ScopeHealth {
        state.withLock { $0.health[scope] ?? ScopeHealth() }
    }

    package func updateHealth(of scope: Int64, _ change: (inout ScopeHealth) -> Void) {
        state.withLock { change(&$0.health[scope, default: ScopeHealth()]) }
    }

    /// - Throws: `.readOnly` where the scope's store takes no changes from this device.
    package func refuseReadOnly(_ scope: Int64) throws(DocFSError) {
        if health(of: scope).isReadOnly { throw .readOnly }
    }

    /// What the user is to know about this device, in sentences.
    package var notes: [String] {
        state.withLock { state in state.notes + (state.unwatched.map { [$0] } ?? []) }
    }

    /// Why readers of events miss some changes from now on, in a sentence; `nil` when they do not.
    ///
    /// - Returns: whether that is news.
    @discardableResult
    package func setUnwatched(_ sentence: String?) -> Bool {
        state.withLock { state in
            defer { state.unwatched = sentence }
            return state.unwatched != sentence
        }
    }

    package func note(_ sentence: String) { state.withLock { $0.notes.append(sentence) } }

    package func post(_ event: DocumentEvent) {
        state.withLock { state in
            state.events.append(event)
            if state.events.count > Self.capacity {
                state.events.removeFirst(Self.capacity / 4)
                state.first += UInt64(Self.capacity / 4)
            }
        }
        tell()
    }

    /// Has the listeners look though there is no event for anybody to read: a user changed what is
    /// to be here.
    package func tell() {
        for listener in state.withLock(\.listeners) { listener() }
    }

    /// Whether anybody reads events: until then nobody needs to find out what this device's own
    /// programs do.
    package var isWatched: Bool { state.withLock { $0.watchers > 0 } }

    /// Somebody reads events from now on.
    package func watch() {
        let listeners = state.withLock { state in
            state.watchers += 1
            return state.watchListeners
        }
        for listener in listeners { listener() }
    }

    /// Calls `listener` whenever somebody begins to read events, on that one's thread.
    package func addWatchListener(_ listener: @escaping @Sendable () -> Void) {
        state.withLock { $0.watchListeners.append(listener) }
    }

    /// One who did so has ended.
    package func unwatch() {
        state.withLock { state in
            state.watchers -= 1
            if state.watchers == 0 { state.movedOut = [] }
        }
    }

    /// An item has gone from its scope, since it was moved out of it.
    package func noteMovedOut(_ item: ItemID) {
        state.withLock { state in
            let hasRoom = state.movedOut.count < Self.capacity
            if state.watchers > 0, hasRoom { state.movedOut.insert(item) }
        }
    }

    /// Whether it was noted as moved out.
    package func isMovedOut(_ item: ItemID) -> Bool {
        state.withLock { $0.movedOut.contains(item) }
    }

    /// Readers know of these.
    package func forgetMovedOut(_ items: [ItemID]) {
        state.withLock { $0.movedOut.subtract(items) }
    }

    /// The number that the next event will have.
    package var nextNumber: UInt64 {
        state.withLock { $0.first + UInt64($0.events.count) }
    }

    /// The events from `number` on with the number of the first of them, which is larger than
    /// `number` when some were missed.
    package func events(from number: UInt64) -> (first: UInt64, events: [DocumentEvent]) {
        state.withLock { state in
            let first = max(number, state.first)
            let skip = min(Int(first - state.first), state.events.count)
            return (first, Array(state.events[skip...]))
        }
    }

    /// Calls `listener` after every event and when told to, on the thread that does either.
    package func addListener(_ listener: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }
}
