extension Result where Success: Sendable, Failure == DocFSError {
    /// What a call comes to, for `async let` and groups of tasks, which lose the type of an error.
    init(awaiting call: @Sendable () async throws(DocFSError) -> Success) async {
        do throws(DocFSError) {
            self = .success(try await call())
        } catch {
            self = .failure(error)
        }
    }
}
