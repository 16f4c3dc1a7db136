internal import Glibc

/// What a thread that works in turns is to do at the end of the one that it is in.
///
/// Whoever is called by such a thread may leave it something to do, where waking another would
/// take longer than to do it. It must not block: the thread's others wait.
package final class ThreadTurn {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "there is room for a thread's value")
        return key
    }()

    private var jobs: [() -> Void] = []

    package init() {}

    /// This thread's turn; `nil` for a thread that does not work in turns.
    package static var current: ThreadTurn? {
        pthread_getspecific(key).map {
            Unmanaged<ThreadTurn>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Calls `body`, which works in these turns.
    package func take<Value>(_ body: () -> Value) -> Value {
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, nil) }
        return body()
    }

    /// Does `job` at the end of the turn.
    ///
    /// For the thread itself.
    package func add(_ job: @escaping () -> Void) { jobs.append(job) }

    /// Does what was added, and what is added meanwhile.
    package func end() {
        while !jobs.isEmpty {
            let all = jobs
            jobs = []
            for job in all { job() }
        }
    }
}
