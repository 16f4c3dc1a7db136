/// One item as the base or the remote tree has it.
package struct ItemState: Hashable, Sendable {
    /// The directory that holds it.
    package var parent: ItemID
    package var name: Name
    package var metadata: Metadata
    package var content: ItemContent
    /// Only a conflict version has one (S16).
    package var conflictOf: ConflictMark?

    package init(
        parent: ItemID, name: Name, metadata: Metadata, content: ItemContent,
        conflictOf: ConflictMark? = nil
    ) {
        self.parent = parent
        self.name = name
        self.metadata = metadata
        self.content = content
        self.conflictOf = conflictOf
    }

    package var kind: ItemKind { content.kind }
}
