extension CloudStore {
    /// What a store does that answers by itself: nothing.
    package func close() {}

    /// As stores do that have no place to make; what a probe finds may be kept there all the same.
    package func attachAsFound() async throws(DocFSError) { try await attach(create: true) }

    /// Nothing, as for stores whose places cannot be exchanged.
    package func makeControl() async throws(DocFSError) {}

    package func isEmpty() async throws(DocFSError) -> Bool {
        try await list(.root).isEmpty
    }
}
