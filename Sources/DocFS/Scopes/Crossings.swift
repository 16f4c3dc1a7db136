internal import Synchronization

/// Files and directories that DocFS puts into `Local/`, or takes from there: to who watches the
/// disk they look like any that come or go.
///
/// Noted before anybody can see it. Once readers have heard of changes twice, a mark that nobody
/// has asked for belongs to none, and goes.
package final class Crossings: Sendable {
    private struct Marks {
        /// What has come from a container.
        var arrived: Set<LocalIdentity> = []
        /// What has gone into one: a file that arrives later may have the inode of one of them.
        var left: Set<LocalIdentity> = []
    }

    private struct State {
        var new = Marks()
        var old = Marks()
    }

    /// So many are remembered at most.
    private static let capacity = 10_000

    private let state = Mutex(State())

    package init() {}

    /// It comes from a container.
    func noteArrival(_ file: LocalIdentity) {
        // What has left may have had the same inode just before: a disk gives it to the next.
        state.withLock { state in
            if state.new.arrived.count < Self.capacity { state.new.arrived.insert(file) }
        }
    }

    /// It goes into a container.
    func noteDeparture(_ file: LocalIdentity) {
        state.withLock { state in
            state.new.arrived.remove(file)
            state.old.arrived.remove(file)
            if state.new.left.count < Self.capacity { state.new.left.insert(file) }
        }
    }

    /// Whether a file that has come to `Local/` came from a container; asked once for each.
    func takeArrival(_ file: LocalIdentity) -> Bool {
        state.withLock { state in
            let isNew = state.new.arrived.remove(file) != nil
            return state.old.arrived.remove(file) != nil || isNew
        }
    }

    /// Whether a file that has gone from `Local/` went into a container; asked once for each.
    func takeDeparture(_ file: LocalIdentity) -> Bool {
        state.withLock { state in
            let isNew = state.new.left.remove(file) != nil
            return state.old.left.remove(file) != nil || isNew
        }
    }

    /// Changes have been told.
    func haveBeenTold() {
        state.withLock { state in
            state.old = state.new
            state.new = Marks()
        }
    }

    /// Nobody will ask for those that were noted so far.
    func forget() { state.withLock { $0 = State() } }
}
