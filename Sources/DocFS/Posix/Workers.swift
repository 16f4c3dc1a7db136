/// Where work is done that blocks, so that the shared pool of tasks never does.
///
/// A program has threads for it (``WorkPool``); a simulation decides what runs when.
package protocol Workers: Sendable {
    /// Runs `job` some time, not before so many microseconds have passed.
    func submit(after pause: UInt32, _ job: @escaping @Sendable () -> Void)
}

extension Workers {
    /// Runs `job` some time.
    package func submit(_ job: @escaping @Sendable () -> Void) { submit(after: 0, job) }

    /// Runs `body` and returns its result.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(DocFSError) -> Value
    ) async throws(DocFSError) -> Value {
        let result: Result<Value, DocFSError> = await withCheckedContinuation { continuation in
            submit {
                do throws(DocFSError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
