/// What syncing changed in the local tree.
package enum LocalNotice: Hashable, Sendable {
    /// Something new is under this name, or it is free now.
    case entryChanged(parent: Int64, name: Name)
    /// A row lost its name; its content goes as soon as nobody has it open.
    case unlinked(parent: Int64, name: Name, ino: Int64)
    /// A row without a name is not kept any longer.
    case dropped(ino: Int64)
    /// The store's newer body of a document is to be brought to a row without a name.
    case newerWanted(ino: Int64)
    /// A newer body was given the name of its document, which a program had open last at that
    /// moment; zero where nobody knows.
    case shown(ino: Int64, used: Timestamp)
    /// Mode, times or attributes of a row changed.
    case described(ino: Int64)
    /// The item's body that was made from `basis` gave way to the store's, `shown`, under a new
    /// row.
    case replaced(item: ItemID, basis: Revision, shown: Revision?, by: Int64)
    /// The bytes of a row count as an edit from here on.
    case edited(ino: Int64)
    /// The store has the bytes of a row.
    case sent(ino: Int64)
    /// A document of the user that is on its way to `Local/` may be brought there now.
    case departureReady(ino: Int64)
}
