/// A part of a snapshot, small enough for memory.
package struct SnapshotPage: Hashable, Sendable {
    /// An item as the records left it.
    package struct Entry: Hashable, Sendable {
        package var item: ItemID
        package var state: ItemState
        /// Where its object lies while that is not its path.
        package var lodging: ItemPath?
        /// Who saved its body, where that is known.
        package var saver: Saver?

        package init(item: ItemID, state: ItemState, lodging: ItemPath?, saver: Saver? = nil) {
            self.item = item
            self.state = state
            self.lodging = lodging
            self.saver = saver
        }
    }

    package var entries: [Entry] = []
    package var versions: [VersionRecord] = []
    package var trash: [TrashRecord] = []
    package var leftovers: [Leftover] = []

    package init() {}
}
