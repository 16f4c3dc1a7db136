internal import Synchronization

/// What is read through one handle of a program that is behind the document (S14a).
///
/// Safe from any thread.
package final class Reading: Sendable {
    private struct Progress {
        var parts = RangeSet()
        /// It was read when there was nothing in it.
        var hasSeenNothing = false
    }

    private let progress = Mutex(Progress())
    private let isWhole: @Sendable () -> Void

    /// - Parameter isWhole: is called each time when all bytes have been read once more.
    init(isWhole: @escaping @Sendable () -> Void) {
        self.isWhole = isWhole
    }

    /// Bytes were given to the reader.
    ///
    /// - Parameter size: of the document, in bytes.
    func served(_ range: Range<UInt64>, of size: UInt64) {
        let isDone = progress.withLock { progress in
            if size == 0 {
                defer { progress.hasSeenNothing = true }
                return !progress.hasSeenNothing
            }
            progress.parts.insert(range.clamped(to: 0..<size))
            guard progress.parts.contains(0..<size) else { return false }
            progress.parts = RangeSet()
            return true
        }
        if isDone { isWhole() }
    }
}
