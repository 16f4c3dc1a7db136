internal import CFuse
internal import Glibc

/// One thread sleeps until others signal: a counter, so that no signal is lost.
package final class Wakeup: Sendable {
    private let condition: Storage

    private final class Storage: @unchecked Sendable {
        var mutex = pthread_mutex_t()
        var condition = pthread_cond_t()
        var isSignalled = false
        init() {
            pthread_mutex_init(&mutex, nil)
            pthread_cond_init(&condition, nil)
        }
        deinit {
            pthread_cond_destroy(&condition)
            pthread_mutex_destroy(&mutex)
        }
    }

    package init() { condition = Storage() }

    /// Lets the waiting thread, or the next one to wait, go on.
    package func signal() {
        pthread_mutex_lock(&condition.mutex)
        condition.isSignalled = true
        pthread_cond_signal(&condition.condition)
        pthread_mutex_unlock(&condition.mutex)
    }

    /// Sleeps until there was a signal since the last return.
    package func wait() {
        pthread_mutex_lock(&condition.mutex)
        while !condition.isSignalled {
            pthread_cond_wait(&condition.condition, &condition.mutex)
        }
        condition.isSignalled = false
        pthread_mutex_unlock(&condition.mutex)
    }
}
