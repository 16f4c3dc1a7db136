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

    /// What a process has seen of a document.
    private struct Sight {
        /// The row whose body it opened last.
        var row: Int64
        /// When, by the boot clock in nanoseconds; `nil` when the body under the row came after it.
        var opened: UInt64?
        /// The revision that it had seen, if the device shows another device's since.
        var outdated: Revision?

        /// Whether it has had time to take in what it opened last.
        func isMoreThanGlance(at now: UInt64) -> Bool {
            opened.map { now >= $0 + Sights.glance } ?? false
        }
    }

    private struct State {
        var items: [ItemID: [Program: Sight]] = [:]
        var count = 0
        /// Documents that another device changed while somebody had seen them.
        var outdated: Set<ItemID> = []
        /// By thread, with the moment at which that was found out.
        var programs: [Int32: (program: Program, found: UInt64)] = [:]
        /// So many sights are kept before those of ended processes are dropped.
        var limit = Sights.limit
    }

    private static let limit = 16_384
    /// Who opens a document and saves it within this time copies it: a person has not read it
    /// meanwhile.
    ///
    /// In nanoseconds.
    private static let glance: UInt64 = 1_000_000_000
    /// For how long a thread is taken for the same one, in nanoseconds: its number comes again only
    /// after all others.
    private static let memory: UInt64 = 10_000_000_000
    /// Who has opened more documents than this is no editor.
    private static let editorLimit = 1024

    private let state = Mutex(State())

    package init() {}

    /// A thread has opened the document under `ino`, and may read it.
    func opened(_ item: ItemID, under ino: Int64, by thread: Int32) {
        guard thread > 0, let program = program(of: thread) else { return }
        let now = Posix.bootTime()
        let isFull = state.withLock { state in
            let before = state.items[item]?[program]
            // An outdated sight is forgotten once the new one is no glance.
            let sight = Sight(row: ino, opened: now, outdated: before?.outdated)
            state.items[item, default: [:]][program] = sight
            if before == nil { state.count += 1 }
            return state.count > state.limit
        }
        if isFull { sweep() }
    }

    /// Another device's body took the place of the one that was made from `basis`; it is shown
    /// under the row `ino`.
    func outdate(_ item: ItemID, _ basis: Revision, unless ino: Int64) {
        let now = Posix.bootTime()
        state.withLock { state in
            guard let sights = state.items[item] else { return }
            for (program, sight) in sights where sight.row != ino {
                var sight = sight
                if sight.outdated == nil || sight.isMoreThanGlance(at: now) {
                    sight.outdated = basis
                }
                sight.row = ino
                sight.opened = nil
                state.items[item]?[program] = sight
                state.outdated.insert(item)
            }
        }
    }

    /// The revision that a save by `thread` is made from, if the device has another one by now.
    func base(of item: ItemID, for thread: Int32) -> Revision? {
        let sights = state.withLock { state in
            state.outdated.contains(item) ? state.items[item] : nil
        }
        guard let sights, let program = Self.look(thread), let sight = sights[program] else {
            return nil
        }
        if sight.isMoreThanGlance(at: Posix.bootTime()) {
            state.withLock { $0.items[item]?[program]?.outdated = nil }
            return nil
        }
        return sight.outdated
    }

    /// Nobody has seen a body that is not the device's any more.
    var areCurrent: Bool { state.withLock(\.outdated.isEmpty) }

    private func program(of thread: Int32) -> Program? {
        let now = Posix.bootTime()
        if let known = state.withLock({ $0.programs[thread] }), now < known.found + Self.memory {
            return known.program
        }
        guard let program = Self.look(thread) else { return nil }
        state.withLock { $0.programs[thread] = (program, now) }
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
            state.outdated.formIntersection(state.items.keys)
            state.count = state.items.values.reduce(0) { $0 + $1.count }
            state.limit = max(Self.limit, state.count * 2)
            state.programs = [:]
        }
    }
}
