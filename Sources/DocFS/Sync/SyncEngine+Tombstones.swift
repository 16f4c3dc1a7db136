/// Where a store cannot delete under a condition, it leaves a tombstone in the place of what was
/// removed: other programs see it as an object. The store removes it a little later.
extension SyncEngine {
    /// Has the store remove them, beside everything else.
    func removeTombstones() {
        let capabilities = container.capabilities
        guard !isRemovingTombstones, capabilities.deletesRefused == nil,
            let pause = capabilities.tombstonesDue
        else { return }
        guard pause == 0 else { return wake(at: clock.now() + pause) }
        isRemovingTombstones = true
        Task {
            await container.store.removeTombstones()
            isRemovingTombstones = false
            inbox.wake()
        }
    }
}
