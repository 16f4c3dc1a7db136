extension CloudStore {
    /// What a store does that answers by itself: nothing.
    package func close() {}

    /// For stores without a place to make.
    ///
    /// What their probe finds may be kept in the store.
    package func attachAsFound() async throws(DocFSError) { try await attach(create: true) }

    /// Nothing, as for stores whose places cannot be exchanged.
    package func makeControl() async throws(DocFSError) {}

    package func isEmpty() async throws(DocFSError) -> Bool {
        try await list(.root).isEmpty
    }
}
