/// One intended write or copy, from its preparation to its commit.
struct FolderChange: Sendable {
    let path: ItemPath
    let place: FolderPlace
    let object: ExpectedObject
    let condition: WriteCondition
    let keep: ItemPath?
    /// The name of this change below `.docfs/tmp`: the operation's, so that a repeated change
    /// finds what the interrupted one left.
    let name: String

    /// Where the new body is written.
    ///
    /// Never visible and never exchanged: always ours to remove.
    var partName: String { Self.partName(name) }

    static func partName(_ name: String) -> String { name + ".part" }
}
