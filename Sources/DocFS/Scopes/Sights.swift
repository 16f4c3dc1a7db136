internal import Synchronization

/// What each process has read of each document, as far as another device has changed it since
/// (S14a).
///
/// An editor that loaded version 1 and saves after version 2 has arrived makes a conflict version:
/// its save is based on version 1, until it has read version 2. ``SaveBase`` decides; here is kept
/// who did what. In memory only: where nothing is known, a save is based on what the device has.
/// Safe from any thread.
package final class Sights: Sendable {
    /// A process; its number alone may be another's by now.
    package struct Program: Hashable, Sendable {
        let process: Int32
        /// Clock ticks after boot.
        let started: UInt64

        package init(process: Int32, started: UInt64) {
            self.process = process
            self.started = started
        }

        /// The process of a thread; `nil` when it has ended.
        package init?(ofThread thread: Int32) {
            guard let process = ProcessStatus(thread)?.process,
                let started = ProcessStatus(process)?.started
            else { return nil }
            self.init(process: process, started: started)
        }
    }

    /// What a process has seen of a document.
    private struct Sight {
        /// The row whose body it opened last; 0 when that is not what is shown.
        var row: Int64
        /// What the store had as that body; `nil` when it was an edit, or it has saved since.
        var revision: Revision?
        var base = SaveBase()
        /// When it last read the whole of what is shown, by the boot clock in nanoseconds, and how
        /// much had been written then; kept while it is behind, until it saves.
        var lastReading: (moment: UInt64, write: UInt64)?
        /// How much had been written when it saved last.
        var lastSave: UInt64 = 0

        var isBehind: Bool { base.outdated != nil }

        /// Whether what it last read is long ago.
        func isRested(at now: UInt64) -> Bool {
            lastReading.map { now >= $0.moment + Sights.moment } ?? false
        }
    }

    private struct State {
        var items: [ItemID: [Program: Sight]] = [:]
        var count = 0
        /// The documents that each program is behind.
        var behind: [Program: Set<ItemID>] = [:]
        /// Rows that programs which are behind something have opened for writing, the last ones.
        var written: [Program: [(ino: Int64, write: UInt64)]] = [:]
        /// Counts them.
        var writes: UInt64 = 0
        /// Counts what other devices' bodies have replaced.
        var arrivals: UInt64 = 0
        /// By thread, with the moment at which that was found out.
        var programs: [Int32: (program: Program, found: UInt64)] = [:]
        /// So many sights are kept before those of ended processes are dropped.
        var limit = Sights.limit

        /// A program has ended.
        mutating func forget(_ program: Program, on item: ItemID) {
            behind[program] = nil
            written[program] = nil
            if items[item]?.removeValue(forKey: program) != nil { count -= 1 }
            if items[item]?.isEmpty == true { items[item] = nil }
        }

        mutating func catchUp(_ program: Program, on item: ItemID) {
            behind[program]?.remove(item)
            if behind[program]?.isEmpty != false {
                behind[program] = nil
                written[program] = nil
            }
        }
    }

    private static let limit = 16_384
    /// What was read this long before a version arrived was read for its own sake, not to be copied
    /// before a save.
    ///
    /// In nanoseconds.
    private static let moment: UInt64 = 1_000_000_000
    /// For how long a thread is taken for the same one, in nanoseconds: its number comes again only
    /// after all others.
    private static let memory: UInt64 = 10_000_000_000
    /// Who has opened more documents than this is no editor.
    private static let editorLimit = 1024
    /// So many files that a program wrote are compared with what it saves over.
    private static let writtenLimit = 16

    private let state = Mutex(State())
    private let identify: @Sendable (_ thread: Int32) -> Program?
    private let now: @Sendable () -> UInt64

    /// - Parameters:
    ///   - identify: finds the process of a thread, which may be its own.
    ///   - now: tells the time by a clock that never goes back, in nanoseconds.
    package init(
        identify: @escaping @Sendable (_ thread: Int32) -> Program? = { Program(ofThread: $0) },
        now: @escaping @Sendable () -> UInt64 = { Posix.bootTime() }
    ) {
        self.identify = identify
        self.now = now
    }

    /// A thread has opened the document under `ino`, and may read it.
    ///
    /// - Parameter revision: what the store has as its body; `nil` when that is an edit.
    /// - Returns: what is to be told of all that it reads; `nil` where its program is not behind.
    func opened(
        _ item: ItemID, at revision: Revision? = nil, under ino: Int64, by thread: Int32
    ) -> Reading? {
        guard thread > 0, let program = program(of: thread) else { return nil }
        let now = now()
        let (isBehind, isFull) = state.withLock { state in
            var sight = state.items[item]?[program] ?? Sight(row: ino)
            if state.items[item]?[program] == nil { state.count += 1 }
            sight.row = ino
            sight.revision = revision
            // Who only reads is not watched for ever.
            let last = state.written[program]?.last?.write ?? 0
            if let reading = sight.lastReading, sight.isRested(at: now), last <= reading.write {
                sight.base.rested()
                sight.lastReading = nil
                if !sight.isBehind { state.catchUp(program, on: item) }
            }
            state.items[item, default: [:]][program] = sight
            return (sight.isBehind, state.count > state.limit)
        }
        if isFull { sweep() }
        guard isBehind else { return nil }
        return Reading { [weak self] in self?.read(item, under: ino, by: program) }
    }

    /// A thread has opened a body made from `basis`, though another device's is shown by now.
    func openedFormer(_ item: ItemID, madeFrom basis: Revision, by thread: Int32) {
        guard thread > 0, let program = program(of: thread) else { return }
        state.withLock { state in
            // Whoever has a sight was told of the arrival.
            if state.items[item]?[program] != nil { return }
            var sight = Sight(row: 0)
            sight.base.arrived(insteadOf: basis, justRead: false)
            state.items[item, default: [:]][program] = sight
            state.count += 1
            state.behind[program, default: []].insert(item)
        }
    }

    /// A program has read the whole of the body under `ino`.
    private func read(_ item: ItemID, under ino: Int64, by program: Program) {
        let now = now()
        state.withLock { state in
            guard var sight = state.items[item]?[program], sight.row == ino else { return }
            sight.base.read()
            sight.lastReading = (now, state.writes)
            state.items[item]?[program] = sight
        }
    }

    /// A thread has opened, or made, the file under `ino` for writing.
    func wrote(_ ino: Int64, by thread: Int32) {
        if areCurrent { return }
        guard thread > 0, let program = program(of: thread) else { return }
        state.withLock { state in
            guard state.behind[program] != nil else { return }
            var written = state.written[program, default: []].filter { $0.ino != ino }
            if written.count >= Self.writtenLimit { written.removeFirst() }
            state.writes += 1
            state.written[program] = written + [(ino, state.writes)]
        }
    }

    /// What a thread has opened under `ino`, made from `basis`, was replaced meanwhile: what it
    /// reads there is not what is shown.
    func openedTooEarly(
        _ item: ItemID, under ino: Int64, madeFrom basis: Revision, by thread: Int32
    ) {
        guard let program = program(of: thread) else { return }
        state.withLock { state in
            guard var sight = state.items[item]?[program], sight.row == ino else { return }
            sight.row = 0
            // The arrival may have found no sight of it yet.
            if !sight.isBehind { sight.base.arrived(insteadOf: basis, justRead: false) }
            state.items[item]?[program] = sight
            state.behind[program, default: []].insert(item)
        }
    }

    /// Another device's body took the place of the one that was made from `basis`.
    ///
    /// - Parameters:
    ///   - shown: its revision.
    ///   - ino: the row under which it is shown.
    func outdate(
        _ item: ItemID, _ basis: Revision, by shown: Revision? = nil, unless ino: Int64
    ) {
        let now = now()
        let concerned = state.withLock { state in
            Set(state.items[item, default: [:]].keys).union(state.behind.keys)
        }
        let ended = concerned.filter { !isRunning($0) }
        state.withLock { state in
            state.arrivals += 1
            for program in ended { state.forget(program, on: item) }
            guard let sights = state.items[item] else { return }
            for (program, sight) in sights where sight.row != ino {
                var sight = sight
                defer { state.items[item]?[program] = sight }
                sight.row = ino
                // It has opened just this before: it was hidden by an edit made here.
                if let shown, sight.revision == shown { continue }
                sight.base.arrived(
                    insteadOf: sight.revision ?? basis,
                    justRead: sight.lastReading != nil && !sight.isRested(at: now))
                sight.lastReading = nil
                state.behind[program, default: []].insert(item)
            }
        }
    }

    /// The revision that a save by `thread` is made from, if the device has another one by now.
    ///
    /// - Parameter isCopy: whether a row holds just what the document shows; asked without a lock.
    func base(of item: ItemID, for thread: Int32, isCopy: (Int64) -> Bool) -> Revision? {
        if areCurrent { return nil }
        guard let program = identify(thread) else { return nil }
        let (readings, written) = state.withLock { state in
            let sight = state.items[item]?[program]
            let written = state.written[program, default: []]
            return (
                sight?.base.readings ?? 0, written.filter { $0.write > sight?.lastSave ?? 0 }
            )
        }
        var copies = 0
        // The last ones first: those are what it has just made.
        for (ino, _) in written.reversed() where copies < readings && isCopy(ino) { copies += 1 }
        return state.withLock { state in
            guard var sight = state.items[item]?[program] else { return nil }
            let base = sight.base.saved(copies: copies)
            sight.revision = nil
            sight.lastReading = nil
            sight.lastSave = state.writes
            state.items[item]?[program] = sight
            if base == nil { state.catchUp(program, on: item) }
            return base
        }
    }

    /// How often a body of another device has taken the place of one that was shown.
    var arrivals: UInt64 { state.withLock(\.arrivals) }

    /// Nobody is behind any document.
    var areCurrent: Bool { state.withLock(\.behind.isEmpty) }

    private func program(of thread: Int32) -> Program? {
        let now = now()
        if let known = state.withLock({ $0.programs[thread] }), now < known.found + Self.memory {
            return known.program
        }
        guard let program = identify(thread) else { return nil }
        state.withLock { $0.programs[thread] = (program, now) }
        return program
    }

    private func isRunning(_ program: Program) -> Bool { identify(program.process) == program }

    /// Drops what nobody will ask for any more.
    private func sweep() {
        var counts: [Program: Int] = [:]
        state.withLock { state in
            for sights in state.items.values {
                for program in sights.keys { counts[program, default: 0] += 1 }
            }
        }
        let editors = counts.filter { program, count in
            count <= Self.editorLimit && isRunning(program)
        }
        state.withLock { state in
            state.items = state.items.compactMapValues { sights in
                let kept = sights.filter { editors[$0.key] != nil }
                return kept.isEmpty ? nil : kept
            }
            state.behind = state.behind.filter { editors[$0.key] != nil }
            state.written = state.written.filter { editors[$0.key] != nil }
            state.count = state.items.values.reduce(0) { $0 + $1.count }
            state.limit = max(Self.limit, state.count * 2)
            state.programs = [:]
        }
    }
}
