/// One change of `Local/` that readers of events are to know of.
struct LocalChange: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case made
        case edited
        case moved(from: ItemPath)
        case deleted
    }

    let kind: Kind
    let path: ItemPath
    /// The file or directory that has come, or gone; of what has gone with a directory, that; `nil`
    /// where it is the same as before.
    let file: LocalIdentity?
}
