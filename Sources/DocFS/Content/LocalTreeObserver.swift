/// Is told what changed in the local tree without a request of the kernel.
///
/// Declared here, because calls go down only; the Scopes room provides it.
///
/// Called after the commit, by any thread; returns at once.
package protocol LocalTreeObserver: Sendable {
    /// Something new is under this name, or it is free now.
    func entryChanged(parent: Int64, name: Name)
    /// A row lost its name.
    func unlinked(parent: Int64, name: Name, ino: Int64)
    /// Mode, times or attributes of a row changed.
    func described(ino: Int64)
    /// The item's body that was made from `basis` gave way to the store's, under the row `ino`.
    func replaced(item: ItemID, basis: Revision, shown: Revision?, by ino: Int64)
    /// Nobody has a row open: the kernel may forget its name.
    func unused(parent: Int64, name: Name, ino: Int64)
    /// A document that is on its way to `Local/` may be brought there now.
    func departureReady(ino: Int64)
}
