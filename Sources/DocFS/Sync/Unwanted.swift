/// What the user wants to be gone from a container for good.
enum Unwanted: Hashable {
    /// A deleted document or directory in the trash.
    case deleted(TrashRecord)
    /// An earlier version, by where the container keeps its body.
    case version(ItemPath)
}
