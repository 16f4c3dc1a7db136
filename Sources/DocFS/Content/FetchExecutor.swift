/// Runs fetches on threads of our own: what they call on their way, and who is told at their end,
/// may block on the disk and the catalog, which the shared pool never does.
final class FetchExecutor: TaskExecutor {
    private let workers: any Workers

    init(_ workers: any Workers) { self.workers = workers }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        workers.submit { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
