import Synchronization

@testable import DocFS

/// The system's time; who asks for it next lets a test act first.
final class HookedClock: SyncClock {
    private let clock = SystemClock()
    private let hook = Mutex<(@Sendable () -> Void)?>(nil)

    /// `hook` is called once, by the next who asks what time it is.
    func setHook(_ hook: @escaping @Sendable () -> Void) {
        self.hook.withLock { $0 = hook }
    }

    func now() -> UInt64 { clock.now() }

    func wallTime() -> Timestamp {
        let hook = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        hook?()
        return clock.wallTime()
    }

    func sleep(nanoseconds: UInt64) async { await clock.sleep(nanoseconds: nanoseconds) }
}
