internal import Synchronization

/// Runs fetches on threads of our own: what they call on their way, and who is told at their end,
/// may block on the disk and the catalog, which the shared pool never does.
final class FetchExecutor: TaskExecutor {
    private let workers: any Workers
    /// The thread that brings the bytes goes on by itself.
    private let isShort: Bool
    /// What that thread has left to the others.
    private let backlog = Atomic(0)

    /// The thread that brings the bytes is no further ahead of those that write them down.
    private static let most = 64

    /// - Parameter isShort: what it runs takes no longer than waking another thread, and does not
    ///   block.
    init(_ workers: any Workers, isShort: Bool = false) {
        self.workers = workers
        self.isShort = isShort
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let run: @Sendable () -> Void = { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        if isShort, backlog.load(ordering: .relaxed) < Self.most, let turn = ThreadTurn.current {
            return turn.add(run)
        }
        workers.submit(run)
    }

    /// Has another thread do what may block.
    func leave(_ job: @escaping @Sendable () -> Void) {
        backlog.add(1, ordering: .relaxed)
        workers.submit { [self] in
            job()
            backlog.subtract(1, ordering: .relaxed)
        }
    }
}
