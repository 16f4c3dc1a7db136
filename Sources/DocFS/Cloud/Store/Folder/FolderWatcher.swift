enum FolderWatcher {
    static func events(of path: String) -> AsyncStream<StoreEvent> { AsyncStream { $0.finish() } }
}
