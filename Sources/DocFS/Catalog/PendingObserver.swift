/// Is told, after the commit and on the thread that committed, that items are to be planned.
package protocol PendingObserver: Sendable {
    /// Must return at once.
    ///
    /// - Parameter bySyncing: not by something that the user did, which may be half of a save.
    func itemsBecamePending(_ items: Set<ItemID>, bySyncing: Bool)
}
