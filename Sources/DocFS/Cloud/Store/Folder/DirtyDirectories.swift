internal import Synchronization

/// Directories of a folder whose entries may not be on stable storage yet.
///
/// Everything counts as dirty at first: what a process wrote that was killed is nobody's note.
final class DirtyDirectories: Sendable {
    private struct State {
        var everything = true
        var paths: Set<ItemPath> = []
    }

    private let state = Mutex(State())
    private let turn = Mutex(())

    func insert(_ path: ItemPath) {
        state.withLock { state in
            if !state.everything { state.paths.insert(path) }
        }
    }

    /// A directory was renamed: what is dirty below it has a new path.
    func move(_ source: ItemPath, to destination: ItemPath) {
        state.withLock { state in
            for path in state.paths where path.isAtOrBelow(source) {
                state.paths.remove(path)
                let rest = path.components.dropFirst(source.components.count)
                state.paths.insert(destination.appending(ItemPath(Array(rest))))
            }
        }
    }

    func insertEverything() {
        state.withLock { $0 = State() }
    }

    /// Runs `body`, which takes and syncs, for one caller after another: nobody may find nothing
    /// dirty while another's sync is still under way.
    ///
    /// Blocks.
    func syncing(_ body: () throws(DocFSError) -> Void) throws(DocFSError) {
        try turn.withLock { (_) throws(DocFSError) in try body() }
    }

    /// Hands out what is dirty and forgets it; `nil` is everything.
    ///
    /// A caller that fails says so with ``insertEverything()``.
    func take() -> Set<ItemPath>? {
        state.withLock { state in
            defer { state = State(everything: false) }
            return state.everything ? nil : state.paths
        }
    }
}
