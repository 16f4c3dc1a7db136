import Synchronization

@testable import DocFS

/// Time that passes only when a test says so.
final class StillClock: SyncClock {
    private struct State {
        /// As after two hours of the system's.
        var now: UInt64 = 7_200_000_000_000
        var sleepers: [(until: UInt64, wake: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func now() -> UInt64 { state.withLock { $0.now } }

    func wallTime() -> Timestamp {
        let now = now()
        return Timestamp(
            seconds: Int64(now / 1_000_000_000), nanoseconds: UInt32(now % 1_000_000_000))
    }

    func sleep(nanoseconds: UInt64) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.sleepers.append(($0.now + nanoseconds, continuation)) }
        }
    }

    /// Who sleeps now.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Lets so much time pass, each sleeper woken when it is due, while there are any.
    func pass(seconds: UInt64) async throws {
        let end = now() + seconds * 1_000_000_000
        while now() < end {
            while sleepers == 0 { try await Task.sleep(nanoseconds: 50_000) }
            let next = state.withLock { state in state.sleepers.map { $0.until }.min() } ?? end
            advance(nanoseconds: min(next, end) - min(next, now()))
            // Who was woken has its turn.
            try await Task.sleep(nanoseconds: 200_000)
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
