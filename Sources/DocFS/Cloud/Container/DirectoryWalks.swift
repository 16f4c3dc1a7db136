/// How often the directories of a tree were looked through for the changes of one record.
///
/// A directory may move with everything below it, and each move that takes it deeper has to see
/// how deep that goes. A record of a thousand such moves must not cost a thousand walks, in the
/// transaction that everybody waits for: beyond a few its changes are void, for all devices alike.
package final class DirectoryWalks {
    private var counts: [ItemID: Int] = [:]

    /// So often one directory may be looked through for one record.
    static let most = 8

    package init() {}

    /// Counts a look through `directory`.
    ///
    /// - Returns: whether it may be.
    package func mayLook(through directory: ItemID) -> Bool {
        counts[directory, default: 0] += 1
        return counts[directory, default: 0] <= Self.most
    }
}
