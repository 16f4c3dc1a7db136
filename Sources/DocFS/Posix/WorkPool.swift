internal import Synchronization

/// A few threads of our own for work that blocks.
package final class WorkPool: Workers {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        /// Threads that sleep, by index.
        var idle: [Int] = []
        var threads = 0
    }

    private let name: String
    private let limit: Int
    private let queue = Mutex(Queue())
    private let wakeups: [Wakeup]

    /// Threads are made as they are needed, at most `limit`, and stay.
    package init(name: String, limit: Int) {
        self.name = name
        self.limit = limit
        wakeups = (0..<limit).map { _ in Wakeup() }
    }

    package func submit(after pause: UInt32, _ job: @escaping @Sendable () -> Void) {
        if pause == 0 { return enqueue(job) }
        // It takes one of the threads meanwhile.
        enqueue {
            Posix.sleep(microseconds: pause)
            job()
        }
    }

    private func enqueue(_ job: @escaping @Sendable () -> Void) {
        let (sleeper, newThread): (Int?, Int?) = queue.withLock { queue in
            queue.jobs.append(job)
            if let sleeper = queue.idle.popLast() { return (sleeper, nil) }
            guard queue.threads < limit else { return (nil, nil) }
            queue.threads += 1
            return (nil, queue.threads - 1)
        }
        if let sleeper { wakeups[sleeper].signal() }
        if let newThread { OwnThread.start(name: name) { [self] in work(newThread) } }
    }

    private func work(_ index: Int) {
        while true {
            let job: (@Sendable () -> Void)? = queue.withLock { queue in
                if queue.jobs.isEmpty {
                    queue.idle.append(index)
                    return nil
                }
                return queue.jobs.removeFirst()
            }
            if let job { job() } else { wakeups[index].wait() }
        }
    }
}
