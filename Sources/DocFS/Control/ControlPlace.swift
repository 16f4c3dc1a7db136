/// What a file or directory of `.docfs` is.
enum ControlPlace: Hashable, Sendable {
    /// `.docfs` itself.
    case top
    case report(ControlReport)
    case items
    /// A directory of a scope, by its row: what it holds is asked for in it.
    case itemsBelow(ino: Int64)
    /// What is below a directory under names that a pattern names.
    case itemList(ino: Int64, pattern: Name)
    case versions
    case trash
    /// Below `versions`: a directory or a document as the local tree has it, by its row. Both are
    /// shown as directories.
    case mirror(ino: Int64)
    /// An earlier body of a document.
    case version(scope: Int64, item: ItemID, revision: Revision)
    /// A directory of the trash, by the path of what was deleted there.
    case trashDirectory(scope: Int64, path: ItemPath)
    /// Something deleted that is no directory.
    case deleted(scope: Int64, operation: OperationID, item: ItemID)
}
