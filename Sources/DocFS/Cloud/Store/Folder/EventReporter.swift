internal import Synchronization

/// Hands events to a consumer that may be slow: what does not fit its buffer becomes one
/// ``StoreEvent/lookAtEverything`` as soon as there is room.
///
/// Belongs to one watcher's thread.
final class EventReporter: Sendable {
    /// Events that wait for the consumer at most.
    static let capacity = 8192

    private let continuation: AsyncStream<StoreEvent>.Continuation
    private let lost = Atomic(false)
    /// What the consumer was told last of changes that are not reported.
    private let unseen = Mutex<String?>(nil)

    init(_ continuation: AsyncStream<StoreEvent>.Continuation) {
        self.continuation = continuation
    }

    var hasLost: Bool { lost.load(ordering: .relaxed) }

    func report(_ event: StoreEvent) {
        // While something is lost, everything is going to be looked at anyway.
        if hasLost { return reportLoss() }
        if case .dropped = continuation.yield(event) { lost.store(true, ordering: .relaxed) }
    }

    func reportLoss() {
        guard hasLost else { return }
        for event in [.unseen(unseen.withLock { $0 }), StoreEvent.lookAtEverything] {
            guard case .enqueued = continuation.yield(event) else { return }
        }
        lost.store(false, ordering: .relaxed)
    }

    /// Reports why changes are not seen, where that is news.
    func report(unseen reason: String?) {
        let isNews = unseen.withLock { unseen in
            defer { unseen = reason }
            return unseen != reason
        }
        if isNews { report(.unseen(reason)) }
    }

    func finish() { continuation.finish() }
}
