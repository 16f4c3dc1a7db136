internal import Synchronization

/// What each process last saw of each document, as far as another device has changed it since
/// (S14a).
///
/// An editor that loaded version 1 and saves after version 2 has arrived makes a conflict version:
/// its save is based on version 1. Kept in memory only: where nothing is known, a save is based on
/// what the device has. Safe from any thread.
package final class Sights: Sendable {
    /// A process; its number alone may be another's by now.
    private struct Program: Hashable {
        let process: Int32
        /// Clock ticks after boot.
        let started: UInt64
    }

    private enum Sight {
        /// The body under this row, which the device still shows or showed last.
        case row(Int64)
        /// The body of this revision; the device shows another device's since.
        case outdated(Revision)
    }

    private struct State {
        var items: [ItemID: [Program: Sight]] = [:]
        var count = 0
        /// Documents that another device changed while somebody had seen them.
        var outdated: Set<ItemID> = []
        /// By thread.
        var programs: [Int32: Program] = [:]
    }

    /// So many sights are kept before those of ended processes are dropped.
    private static let limit = 16_384
    /// Who has opened more documents than this is no editor.
    private static let editorLimit = 1024

    private let state = Mutex(State())

    package init() {}

    /// A thread has opened the document under `ino`, and may read it.
    func opened(_ item: ItemID, under ino: Int64, by thread: Int32) {
        guard thread > 0, let program = program(of: thread) else { return }
        let isFull = state.withLock { state in
            let before = state.items[item, default: [:]].updateValue(.row(ino), forKey: program)
            if before == nil { state.count += 1 }
            return state.count > Self.limit
        }
        if isFull { sweep() }
    }

    /// Another device's body took the place of the one that was made from `basis`; it is shown
    /// under the row `ino`.
    func outdate(_ item: ItemID, _ basis: Revision, unless ino: Int64) {
        state.withLock { state in
            guard let sights = state.items[item] else { return }
            for case (let program, .row(let row)) in sights where row != ino {
                state.items[item]?[program] = .outdated(basis)
                state.outdated.insert(item)
            }
        }
    }

    /// The revision that a save by `thread` is made from, if the device has another one by now.
    func base(of item: ItemID, for thread: Int32) -> Revision? {
        let sights = state.withLock { state in
            state.outdated.contains(item) ? state.items[item] : nil
        }
        guard let sights, let program = Self.look(thread),
            case .outdated(let revision)? = sights[program]
        else { return nil }
        return revision
    }

    /// Nobody has seen a body that is not the device's any more.
    var areCurrent: Bool { state.withLock(\.outdated.isEmpty) }

    private func program(of thread: Int32) -> Program? {
        if let known = state.withLock({ $0.programs[thread] }) { return known }
        guard let program = Self.look(thread) else { return nil }
        state.withLock { $0.programs[thread] = program }
        return program
    }

    private static func look(_ thread: Int32) -> Program? {
        guard let process = ProcessStatus(thread)?.process,
            let started = ProcessStatus(process)?.started
        else { return nil }
        return Program(process: process, started: started)
    }

    /// Drops what nobody will ask for any more.
    private func sweep() {
        var counts: [Program: Int] = [:]
        state.withLock { state in
            for sights in state.items.values {
                for program in sights.keys { counts[program, default: 0] += 1 }
            }
        }
        let editors = counts.filter { program, count in
            count <= Self.editorLimit && ProcessStatus(program.process)?.started == program.started
        }
        state.withLock { state in
            state.items = state.items.compactMapValues { sights in
                let kept = sights.filter { editors[$0.key] != nil }
                return kept.isEmpty ? nil : kept
            }
            // More editors than anybody has: better to know nothing than to grow.
            if state.items.count > Self.limit / 2 { state.items = [:] }
            state.outdated.formIntersection(state.items.keys)
            state.count = state.items.values.reduce(0) { $0 + $1.count }
            state.programs = [:]
        }
    }
}
