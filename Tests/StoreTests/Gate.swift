import Foundation

/// Holds a thread, never a task, until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// Lets one thread through for each ``open()``.
    func wait() { semaphore.wait() }
}
