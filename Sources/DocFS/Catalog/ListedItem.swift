/// A row of the local tree as a listing of all that is known of it has it.
package struct ListedItem: Sendable {
    package var row: LocalItem
    /// Whether its name is one that was asked for; directories are handed out in any case.
    package var isNamed: Bool
    /// Whether its three trees may disagree.
    package var isPending: Bool
    /// How many conflict versions it has.
    package var conflicts: Int
    /// Whether a newer body is on its way.
    package var awaitsNewer: Bool
}
