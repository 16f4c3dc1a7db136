/// What of a row's bytes the disk may not have, for the day when the power goes.
package enum Unsynced: UInt8, Sendable {
    /// Nothing: they are on the disk as far as this device has written them.
    case none = 0
    /// An edit of what the store has: without it the row falls back to that.
    case edit = 1
    /// An edit of an edit that was on the disk, and that the store may not have: the row is kept
    /// as the disk has it.
    case furtherEdit = 2

    /// What it is from the next write on, when the row's bytes were `divergence` before.
    mutating func write(over divergence: Divergence) {
        if divergence != .written {
            self = .edit
        } else if self == .none {
            self = .furtherEdit
        }
    }
}
