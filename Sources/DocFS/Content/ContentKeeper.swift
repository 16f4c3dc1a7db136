internal import Synchronization

/// Keeps here, and current, what is pinned, brings newer bodies of what is here (S9), and drops
/// what was not used for longest where more is here than there should be (S11).
///
/// It looks after all news, once a second at most, on a thread of its own.
package final class ContentKeeper: Sendable {
    private struct State {
        /// Another look is about to begin.
        var isDue = false
        /// What is to be brought, the next one last, and when it was looked for.
        var missing: [Missing] = []
        var looked: UInt64 = 0
        /// Those on their way.
        var coming: Set<Int64> = []
        /// Those that were asked for and are still missing.
        var tries = Retries(first: 5_000_000_000, last: 600_000_000_000)
        /// Somebody will look though there is no news.
        var isWaiting = false
        /// When it was looked last for what is too much, by the clock.
        var dropped: UInt64?
        /// The last time when nothing more could be dropped.
        var sweep: Sweep?
        var pinChanges = 0
    }

    private struct Missing {
        let ino: Int64
        /// Of what its bytes come from.
        let scope: Int64
    }

    private struct Sweep {
        let moment: UInt64
        /// How many bytes were left here, pinned ones included.
        let bytes: UInt64
        /// There may be too much all the same, in use or out of reach then: it is to go later.
        var isUnfinished: Bool
    }

    private let contents: Contents
    private let limit: UInt64
    private let worker: any Workers
    private let sleeper: any Workers
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: bytes of documents that are kept here though the store has them too; what is
    ///     pinned does not count, and what is open stays beyond that.
    ///   - worker: has one thread.
    ///   - sleeper: another one, which sleeps for long.
    package init(
        _ contents: Contents, limit: UInt64, worker: any Workers, sleeper: any Workers
    ) {
        self.contents = contents
        self.limit = limit
        self.worker = worker
        self.sleeper = sleeper
    }

    package func start() {
        contents.catalog.bulletin.addListener { [weak self] in self?.look() }
        look()
    }

    /// Looks soon, and goes on as long as something is on its way.
    package func look() { look(after: Self.pause) }

    private func look(after pause: UInt32) {
        let isFirst = state.withLock { state in
            defer { state.isDue = true }
            return !state.isDue
        }
        guard isFirst else { return }
        worker.submit(after: pause) { [weak self] in self?.work() }
    }

    /// What is pinned is no longer what it was: it may be missing, or too much now.
    package func pinsChanged() {
        state.withLock { state in
            state.pinChanges += 1
            state.sweep = nil
        }
        look()
    }

    /// Microseconds between two looks.
    private static let pause: UInt32 = 1_000_000
    /// The same while something is on its way, and when a download has just begun: small documents
    /// are soon here.
    private static let busyPause: UInt32 = 100_000
    private static let shortPause: UInt32 = 10_000
    /// Downloads at once.
    private static let atOnce = 4
    /// Nanoseconds after which missing documents are looked for anew though not all have come, and
    /// what may be dropped though nothing more could be.
    private static let memory: UInt64 = 30_000_000_000

    private func work() {
        state.withLock { $0.isDue = false }
        let (isAtWork, hasBegun) = bringMissing()
        let now = contents.clock.now()
        let isDue = state.withLock { state in
            let next = state.dropped.map { $0 + UInt64(Self.pause) * 1000 } ?? 0
            if isAtWork, now < next { return false }
            state.dropped = now
            return true
        }
        if isDue { dropOldest() }
        if isAtWork {
            look(after: hasBegun ? Self.shortPause : Self.busyPause)
        } else {
            lookWhenOneIsDue()
        }
    }

    /// Looks, though there be no news, when what is missing may be tried again, or what was in use
    /// may have been closed.
    private func lookWhenOneIsDue() {
        let now = contents.clock.now()
        let next = state.withLock { state -> UInt64? in
            var next = state.tries.next
            if let sweep = state.sweep, sweep.isUnfinished {
                next = min(next ?? .max, sweep.moment + Self.memory)
            }
            if next == nil || state.isWaiting { return nil }
            state.isWaiting = true
            return next
        }
        guard let next else { return }
        // What is due sooner by then does not wait for the rest.
        let pause = next > now ? UInt32(min(next - now, Self.memory) / 1000) : 0
        sleeper.submit(after: pause) { [weak self] in
            self?.state.withLock { $0.isWaiting = false }
            self?.look()
        }
    }

    // MARK: What is missing

    /// - Returns: whether something is missing still, and whether any of it has just begun to come.
    private func bringMissing() -> (isAtWork: Bool, hasBegun: Bool) {
        let now = contents.clock.now()
        var (missing, coming, looked, tries) = state.withLock {
            ($0.missing, $0.coming, $0.looked, $0.tries)
        }
        coming = coming.filter { contents.isComing($0) }
        if coming.isEmpty && missing.isEmpty || now >= looked + Self.memory {
            missing = wantedAndMissing(&tries, at: now).filter { !coming.contains($0.ino) }
            looked = now
        }
        var hasBegun = false
        while coming.count < Self.atOnce, let next = missing.popLast() {
            do throws(DocFSError) {
                tries.tried(next.ino, at: now)
                try contents.hydrate(next.ino)
                coming.insert(next.ino)
                hasBegun = true
            } catch .offline {
                tries.forget(next.ino)
                // The store is back some time, which is an event.
                missing.removeAll { $0.scope == next.scope }
            } catch {
                // Tried again, later each time.
                continue
            }
        }
        state.withLock { state in
            (state.missing, state.coming, state.looked) = (missing, coming, looked)
            state.tries = tries
        }
        return (!coming.isEmpty || !missing.isEmpty, hasBegun)
    }

    /// What is pinned, what became this device's own before its bytes were here (S15), and newer
    /// bodies of documents that are here (S9).
    ///
    /// Those that failed last come last, and not before they may be tried again.
    private func wantedAndMissing(_ tries: inout Retries, at now: UInt64) -> [Missing] {
        let found = try? contents.catalog.readConsistently { (read) throws(DocFSError) in
            var rows: [LocalItem] = []
            // The last ones are brought first.
            for ino in try read.missingNewer() + read.missingScratch() + read.missingPinned() {
                if let row = try read.local(ino) { rows.append(row) }
            }
            return rows
        }
        guard let found else {
            // Looked for again: nothing else may ask for it.
            look()
            return []
        }
        tries.keep(only: Set(found.map(\.ino)))
        // Once the store is back everything is tried at once.
        for row in found where !contents.catalog.bulletin.health(of: row.scope).isOnline {
            tries.forget(row.ino)
        }
        let due = found.filter { tries.isDue($0.ino, at: now) }
        let inOrder = due.filter { $0.error != nil } + due.filter { $0.error == nil }
        return inOrder.map { Missing(ino: $0.ino, scope: $0.sourceScope ?? $0.scope) }
    }

    // MARK: What is too much

    private func dropOldest() {
        let catalog = contents.catalog
        let now = contents.clock.now()
        let (last, pinChanges) = state.withLock { ($0.sweep, $0.pinChanges) }
        // Where the catalog cannot be read, nothing goes, and the next news has it looked at again.
        let here = try? catalog.read { (read) throws(DocFSError) in try read.spareBytes() }
        guard let here else { return }
        if here <= limit { return state.withLock { $0.sweep = nil } }
        if let last, here <= last.bytes, now < last.moment + Self.memory {
            // As much as a moment ago, but of other documents perhaps.
            return state.withLock { $0.sweep?.isUnfinished = true }
        }
        let found = try? catalog.readConsistently { (read) throws(DocFSError) in
            (try read.spareRows(), try read.soleBodyRows())
        }
        guard let (rows, soleBodies) = found else { return }
        let spareBytes = rows.reduce(0) { $0 + $1.size }
        // A little more, so that the next download does not ask for the same again.
        let wanted = spareBytes > limit ? spareBytes - limit / 10 * 9 : 0
        var dropped: UInt64 = 0
        // What a store out of reach has cannot be fetched again.
        let byUse = rows.filter { catalog.bulletin.health(of: $0.scope).isOnline }
            .map { row in
                // Earlier versions first; what nobody else has last.
                let rank = soleBodies.contains(row.ino) ? 2 : row.parent == nil ? 0 : 1
                return (row: row, rank: rank, used: contents.lastUse(of: row))
            }
            .sorted { ($0.rank, $0.used) < ($1.rank, $1.used) }
        for (row, _, _) in byUse where dropped < wanted {
            do throws(DocFSError) {
                try contents.evict(row.ino)
                dropped += row.size
            } catch {
                // In use, or changed meanwhile.
                continue
            }
        }
        // Pinned, in use or out of reach: not asked again each second.
        let sweep = Sweep(
            moment: now, bytes: here - min(dropped, here), isUnfinished: dropped < wanted)
        let isAll = wanted > 0 && dropped >= wanted
        state.withLock { state in
            if state.pinChanges == pinChanges { state.sweep = isAll ? nil : sweep }
        }
    }
}
