/// Is told, after the commit and on the thread that committed, that items are to be planned.
package protocol PendingObserver: Sendable {
    /// Must return at once.
    func itemsBecamePending(_ items: Set<ItemID>)
}
