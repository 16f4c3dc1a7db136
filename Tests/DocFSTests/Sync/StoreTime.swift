import Synchronization

@testable import DocFS

/// The time of a store, which goes on as this computer's does, years before it, until it stands.
final class StoreTime: Sendable {
    private let still = Mutex<Timestamp?>(nil)

    var now: Timestamp { still.withLock { $0 } ?? running }

    private var running: Timestamp {
        let now = SystemClock().wallTime()
        return Timestamp(seconds: now.seconds - 300_000_000, nanoseconds: now.nanoseconds)
    }

    func stop() { still.withLock { $0 = running } }

    func goOn() { still.withLock { $0 = nil } }
}
