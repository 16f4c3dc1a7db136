/// A part of a snapshot, small enough for memory.
package struct SnapshotPage: Hashable, Sendable {
    /// An item as the records left it.
    package struct Entry: Hashable, Sendable {
        package var item: ItemID
        package var state: ItemState
        /// Where its object lies while that is not its path.
        package var lodging: ItemPath?

        package init(item: ItemID, state: ItemState, lodging: ItemPath?) {
            self.item = item
            self.state = state
            self.lodging = lodging
        }
    }

    package var entries: [Entry] = []
    package var versions: [VersionRecord] = []
    package var trash: [TrashRecord] = []
    package var leftovers: [Leftover] = []

    package init() {}
}
