internal import Synchronization

/// Sees to it that no read waits for ever (S7): one task for all contents, which sleeps until the
/// first deadline.
///
/// A read that comes later has a later deadline, so that nothing wakes it before.
final class DeadlineWatch: Sendable {
    /// Keeps no content that nobody needs any more, nor its descriptor.
    private struct Watched {
        weak var content: OpenContent?
    }

    private struct State {
        var watched: [Int64: Watched] = [:]
        var isRunning = false
    }

    private let state = Mutex(State())
    private let clock: any SyncClock
    private let executor: FetchExecutor

    init(clock: any SyncClock, executor: FetchExecutor) {
        self.clock = clock
        self.executor = executor
    }

    func add(_ content: OpenContent) {
        let starts = state.withLock { state in
            state.watched[content.ino] = Watched(content: content)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        Task.detached(executorPreference: executor) { [self] in
            while let pause = look() { await clock.sleep(nanoseconds: max(pause, 1_000_000)) }
        }
    }

    /// Ends the reads whose time has run out.
    ///
    /// - Returns: how long the next one has, in nanoseconds; `nil` when nobody waits.
    private func look() -> UInt64? {
        let all = state.withLock { state in
            defer { state.watched = [:] }
            return state.watched.sorted { $0.key < $1.key }
        }
        var next: UInt64?
        for (ino, watched) in all {
            guard let pause = watched.content?.untilDeadline() else { continue }
            next = min(next ?? pause, pause)
            // A content may have been loaded anew, and added meanwhile.
            state.withLock { $0.watched[ino] = $0.watched[ino] ?? watched }
        }
        return state.withLock { state in
            if state.watched.isEmpty { state.isRunning = false }
            // What was added meanwhile has all of its time.
            return state.watched.isEmpty ? nil : next ?? 0
        }
    }
}
