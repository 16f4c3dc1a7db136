extension CloudStore {
    /// What a store does that answers by itself: nothing.
    package func close() {}
}
