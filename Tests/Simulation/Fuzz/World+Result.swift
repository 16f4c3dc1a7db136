import DocFS

extension World {
    /// What a task comes to that waits for nothing but the store in memory.
    func result<Value: Sendable>(
        of body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let box = ResultBox<Value>()
        scheduler.submit(nil, of: nil) {
            Task {
                do {
                    box.result = .success(try await body())
                } catch {
                    box.result = .failure(error)
                }
            }
        }
        scheduler.run(until: scheduler.now + 1_000_000)
        guard let result = box.result else { throw DocFSError.busy }
        return try result.get()
    }
}

private final class ResultBox<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}
