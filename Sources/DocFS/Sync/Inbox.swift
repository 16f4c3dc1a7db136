internal import Synchronization

/// What other threads have told the engine since it looked last.
final class Inbox: PendingObserver {
    struct Contents {
        /// Items that changed here, with the moment of their last change.
        var changed: [ItemID: UInt64] = [:]
        /// Paths at which the store may have changed.
        var suspects: Set<ItemPath> = []
        var logGrew = false
        var lookAtEverything = false
        var confirmDeletes = false
    }

    private let contents = Mutex(Contents())
    private let clock: any SyncClock
    private let continuation: AsyncStream<Void>.Continuation
    /// Yields when there is something to look at; signals that pile up are one.
    let signals: AsyncStream<Void>

    init(clock: any SyncClock) {
        self.clock = clock
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func itemsBecamePending(_ items: Set<ItemID>) {
        let now = clock.now()
        tell { contents in
            for item in items { contents.changed[item] = now }
        }
    }

    /// Adds to the contents and wakes the engine.
    func tell(_ change: (inout Contents) -> Void) {
        contents.withLock { change(&$0) }
        continuation.yield()
    }

    func wake() { continuation.yield() }

    func finish() { continuation.finish() }

    /// Everything that was told, leaving nothing.
    func take() -> Contents {
        contents.withLock { contents in
            defer { contents = Contents() }
            return contents
        }
    }
}
