internal import Synchronization

/// Runs the jobs of one actor on one thread of its own, where they may block on SQLite and disk
/// without holding up the shared pool.
package final class ThreadExecutor: ActorExecutor {
    private struct Queue: @unchecked Sendable {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private let queue = Mutex(Queue())
    private let wakeup = Wakeup()

    /// Starts the thread.
    ///
    /// It ends some time after ``stop()``.
    package init(name: String) {
        OwnThread.start(name: name) { [self] in run() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
        wakeup.signal()
    }

    /// The thread ends once it has nothing to do.
    package func stop() {
        queue.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    private func run() {
        while true {
            wakeup.wait()
            let (jobs, isStopped) = queue.withLock { queue in
                defer { queue.jobs.removeAll() }
                return (queue.jobs, queue.isStopped)
            }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            if isStopped && jobs.isEmpty { return }
        }
    }
}
