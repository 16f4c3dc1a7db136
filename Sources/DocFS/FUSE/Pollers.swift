internal import CFuse
internal import Synchronization

/// The kernel's poll handles that wait to be woken.
///
/// Each is given back to libfuse exactly once: when it is woken, when nobody can wake it any more,
/// or when the session stops.
final class Pollers: Sendable {
    private struct State: @unchecked Sendable {
        var waiting: [UInt64: OpaquePointer] = [:]
        var next: UInt64 = 0
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Gives one handle back when its last reference goes.
    private final class Ticket: Sendable {
        let key: UInt64
        let pollers: Pollers

        init(key: UInt64, pollers: Pollers) {
            self.key = key
            self.pollers = pollers
        }

        deinit { pollers.drop(key) }
    }

    /// Keeps `handle` as long as the answer is kept, which wakes whoever polls, the first time it
    /// is called.
    func add(_ handle: OpaquePointer) -> @Sendable () -> Void {
        nonisolated(unsafe) let handle = handle
        let key = state.withLock { state in
            state.next += 1
            state.waiting[state.next] = handle
            return state.next
        }
        let ticket = Ticket(key: key, pollers: self)
        return { ticket.pollers.wake(ticket.key) }
    }

    /// A wake-up never blocks in the kernel, so it is sent from here, with the lock that keeps
    /// the session alive.
    private func wake(_ key: UInt64) {
        state.withLock { state in
            guard let handle = state.waiting.removeValue(forKey: key) else { return }
            if !state.isStopped { fuse_lowlevel_notify_poll(handle) }
            fuse_pollhandle_destroy(handle)
        }
    }

    /// Nobody was woken: a wake-up would only make the poller ask again.
    private func drop(_ key: UInt64) {
        state.withLock { state in
            if let handle = state.waiting.removeValue(forKey: key) {
                fuse_pollhandle_destroy(handle)
            }
        }
    }

    /// Gives everything back; later wake-ups do nothing.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for handle in state.waiting.values { fuse_pollhandle_destroy(handle) }
            state.waiting = [:]
        }
    }
}
