extension CloudStore {
    /// What a store does that answers by itself: nothing.
    package func close() {}

    /// As stores do that make nothing when they are attached.
    package func attachAsFound() async throws(DocFSError) { try await attach(create: true) }

    /// Nothing, as for stores whose places cannot be exchanged.
    package func makeControl() async throws(DocFSError) {}

    package func isEmpty() async throws(DocFSError) -> Bool {
        try await list(.root).isEmpty
    }

    /// Nothing, where nothing is private.
    package func publishLog() async throws(DocFSError) {}
    package func forgetLog() async throws(DocFSError) {}
}
