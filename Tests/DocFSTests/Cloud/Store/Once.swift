import Synchronization

/// Lets one caller through.
final class Once: Sendable {
    private let done = Atomic(false)

    /// Whether this is the first call.
    func first() -> Bool { !done.exchange(true, ordering: .sequentiallyConsistent) }

    /// Whether anybody was let through.
    var isDone: Bool { done.load(ordering: .sequentiallyConsistent) }
}
