import Synchronization

@testable import DocFS

/// Time that passes only when a test says so.
final class StillClock: SyncClock {
    private struct State {
        var now: UInt64 = 1_000_000_000
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
