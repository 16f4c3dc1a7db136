/// What a file or directory of `.docfs` is.
enum ControlPlace: Hashable, Sendable {
    /// `.docfs` itself.
    case top
    case report(ControlReport)
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
