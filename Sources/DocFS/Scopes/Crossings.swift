internal import Synchronization

/// Files and directories that DocFS has put into `Local/`, or taken from there: to who watches the
/// disk they look like any that come or go.
package final class Crossings: Sendable {
    private struct State {
        /// What has come from a container.
        var arrived: Set<LocalIdentity> = []
        /// What has gone into one: a file that arrives later may have the inode of one of them.
        var left: Set<LocalIdentity> = []
    }

    /// So many are remembered of either until readers of events know of them.
    private static let capacity = 10_000

    private let state = Mutex(State())

    package init() {}

    /// It has come from a container.
    func noteArrival(_ file: LocalIdentity) {
        state.withLock { if $0.arrived.count < Self.capacity { $0.arrived.insert(file) } }
    }

    /// It has gone into a container.
    func noteDeparture(_ file: LocalIdentity) {
        state.withLock { if $0.left.count < Self.capacity { $0.left.insert(file) } }
    }

    /// Whether a file that has come to `Local/` came from a container; asked once for each.
    func takeArrival(_ file: LocalIdentity) -> Bool {
        state.withLock { $0.arrived.remove(file) != nil }
    }

    /// Whether a file that has gone from `Local/` went into a container; asked once for each.
    func takeDeparture(_ file: LocalIdentity) -> Bool {
        state.withLock { $0.left.remove(file) != nil }
    }

    /// Nobody will ask for those that were noted so far.
    func forget() { state.withLock { $0 = State() } }
}
