internal import Synchronization

/// Lets one caller through.
package final class Once: Sendable {
    private let done = Atomic(false)

    package init() {}

    /// Whether this is the first call.
    package func first() -> Bool { !done.exchange(true, ordering: .sequentiallyConsistent) }

    /// Whether anybody was let through.
    package var isDone: Bool { done.load(ordering: .sequentiallyConsistent) }
}
