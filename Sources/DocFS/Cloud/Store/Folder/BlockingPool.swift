/// A few threads of our own for system calls that may block.
///
/// A task that blocks inside Swift's cooperative pool stops everything once there are as many of
/// them as processors; here it only waits for a free thread.
final class BlockingPool: Sendable {
    private let queue = Backlog()

    /// Starts `threads` threads; they end when the pool goes and its work is done.
    init(threads: Int, name: String) {
        for _ in 0..<threads {
            let queue = queue
            OwnThread.start(name: name) {
                while let job = queue.next() { job() }
            }
        }
    }

    deinit { queue.stop() }

    /// Runs `body` on a thread of the pool.
    ///
    /// It is not begun when the task is cancelled before, and throws `.interrupted` where it checks
    /// its ``Cancellation``.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (Cancellation) throws(DocFSError) -> Value
    ) async throws(DocFSError) -> Value {
        let cancellation = Cancellation()
        let result: Result<Value, DocFSError> = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                queue.add {
                    continuation.resume(
                        returning: Result { () throws(DocFSError) in
                            try cancellation.check()
                            return try body(cancellation)
                        })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }
}
