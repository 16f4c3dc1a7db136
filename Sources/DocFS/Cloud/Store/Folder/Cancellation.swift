internal import Synchronization

/// Whether the task behind one piece of blocking work was cancelled; asked between its steps.
final class Cancellation: Sendable {
    private let cancelled = Atomic(false)

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Throws `.interrupted` once the task was cancelled.
    func check() throws(DocFSError) {
        if cancelled.load(ordering: .relaxed) { throw .interrupted }
    }
}
