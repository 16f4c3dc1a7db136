/// Runs fetches on threads of our own: what they call on their way, and who is told at their end,
/// may block on the disk and the catalog, which the shared pool never does.
final class FetchExecutor: TaskExecutor {
    private let pool = WorkPool(name: "fetch", limit: 4)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
