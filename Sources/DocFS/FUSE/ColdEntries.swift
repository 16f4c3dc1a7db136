internal import Synchronization

/// Names that the kernel learned, oldest first, so that what lookups add to memory is given back
/// (S4): the kernel keeps names as long as its own memory lasts, and we must keep their files.
///
/// Directories are not among them: one may be a working directory, which would lose its path.
/// Safe to use from any thread.
final class ColdEntries: Sendable {
    /// A name as it was when the kernel learned it; it may have gone or moved since.
    struct Entry: Hashable, Sendable {
        let parent: UInt64
        let node: UInt64
        let name: Name
    }

    private struct State {
        /// A queue in two halves: taken from the end of `old`, which is `new` turned around.
        var old: [Entry] = []
        var new: [Entry] = []

        var count: Int { old.count + new.count }

        mutating func removeFirst() -> Entry {
            if old.isEmpty { (old, new) = (new.reversed(), []) }
            return old.removeLast()
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Keeps up to `limit` names.
    init(limit: Int) { self.limit = limit }

    /// Adds the newest; returns the oldest when there are too many now.
    func add(_ entry: Entry) -> Entry? {
        state.withLock { state in
            state.new.append(entry)
            return state.count > limit ? state.removeFirst() : nil
        }
    }
}
