import Synchronization

@testable import DocFS

/// Time that passes only when a test says so.
final class StillClock: SyncClock {
    private struct State {
        /// As after two hours of the system's.
        var now: UInt64 = 7_200_000_000_000
        var sleepers: [(id: UInt64, until: UInt64, wake: CheckedContinuation<Void, Never>)] = []
        /// Whose task was cancelled before they slept.
        var cancelled: Set<UInt64> = []
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    func now() -> UInt64 { state.withLock { $0.now } }

    func wallTime() -> Timestamp {
        let now = now()
        return Timestamp(
            seconds: Int64(now / 1_000_000_000), nanoseconds: UInt32(now % 1_000_000_000))
    }

    /// Ends when the time has come, or with its task.
    func sleep(nanoseconds: UInt64) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return true }
                    state.sleepers.append((id, state.now + nanoseconds, continuation))
                    return false
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            let woken = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return CheckedContinuation<Void, Never>?.none
                }
                return state.sleepers.remove(at: index).wake
            }
            woken?.resume()
        }
    }

    /// Time passes for those who wait for it, and nobody did for a minute.
    struct NobodySleeps: Error {}

    /// Who sleeps now.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Lets so much time pass, each sleeper woken when it is due, while there are any.
    ///
    /// Whoever was woken sleeps again before time goes on, or has been given a second to.
    func pass(seconds: UInt64) async throws {
        let end = now() + seconds * 1_000_000_000
        while now() < end {
            for _ in 0..<12_000 where sleepers == 0 {
                // Real time, for whoever is about to sleep.
                try await Task.sleep(nanoseconds: 5_000_000)
            }
            if sleepers == 0 { throw NobodySleeps() }
            let next = state.withLock { state in state.sleepers.map { $0.until }.min() } ?? end
            let count = sleepers
            advance(nanoseconds: min(next, end) - min(next, now()))
            for _ in 0..<5_000 {
                // Real time, for those who were woken.
                try await Task.sleep(nanoseconds: 200_000)
                if sleepers >= count { break }
            }
        }
    }

    func advance(nanoseconds: UInt64) {
        let woken = state.withLock { state in
            state.now += nanoseconds
            let woken = state.sleepers.filter { $0.until <= state.now }
            state.sleepers.removeAll { $0.until <= state.now }
            return woken
        }
        for sleeper in woken { sleeper.wake.resume() }
    }
}
