internal import CFuse
internal import Glibc

/// State behind one lock, with a way to wait until it is as one wants it.
///
/// Every ``withLock(_:)`` may change what somebody waits for, so each wakes those who wait; there
/// are hardly ever any. Never call out, and never block, inside the closures.
package final class Monitor<State>: Sendable {
    private final class Storage: @unchecked Sendable {
        var mutex = pthread_mutex_t()
        var condition = pthread_cond_t()
        var waiting = 0
        var state: State

        init(_ state: sending State) {
            self.state = state
            pthread_mutex_init(&mutex, nil)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(&condition, &attributes)
            pthread_condattr_destroy(&attributes)
        }

        deinit {
            pthread_cond_destroy(&condition)
            pthread_mutex_destroy(&mutex)
        }
    }

    private let storage: Storage

    package init(_ state: sending State) { storage = Storage(state) }

    /// Runs `body` alone.
    package func withLock<Value, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        pthread_mutex_lock(&storage.mutex)
        defer {
            if storage.waiting > 0 { pthread_cond_broadcast(&storage.condition) }
            pthread_mutex_unlock(&storage.mutex)
        }
        return try body(&storage.state)
    }

    /// Runs `body` alone, unless somebody else is at it: then not at all.
    package func withLockIfFree(_ body: (inout State) -> Void) -> Bool {
        guard pthread_mutex_trylock(&storage.mutex) == 0 else { return false }
        defer {
            if storage.waiting > 0 { pthread_cond_broadcast(&storage.condition) }
            pthread_mutex_unlock(&storage.mutex)
        }
        body(&storage.state)
        return true
    }

    /// Runs `body` alone, again and again after changes, until it answers a value; `nil` when
    /// `nanoseconds` have passed before.
    package func wait<Value>(
        nanoseconds: UInt64, until body: (inout State) -> Value?
    ) -> Value? {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let sum = UInt64(end.tv_nsec) + nanoseconds % 1_000_000_000
        end.tv_sec += Int(nanoseconds / 1_000_000_000 + sum / 1_000_000_000)
        end.tv_nsec = Int(sum % 1_000_000_000)
        pthread_mutex_lock(&storage.mutex)
        storage.waiting += 1
        defer {
            storage.waiting -= 1
            pthread_mutex_unlock(&storage.mutex)
        }
        while true {
            if let value = body(&storage.state) { return value }
            let status = pthread_cond_timedwait(&storage.condition, &storage.mutex, &end)
            if status == ETIMEDOUT { return body(&storage.state) }
        }
    }
}
