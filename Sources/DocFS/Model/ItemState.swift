/// One item as the base or the remote tree has it.
package struct ItemState: Hashable, Sendable {
    /// The directory that holds it.
    package var parent: ItemID
    package var name: Name
    package var metadata: Metadata
    package var content: ItemContent
    /// The document whose conflict version this is (S16), if it is one.
    package var conflictOf: ItemID?

    package init(
        parent: ItemID, name: Name, metadata: Metadata, content: ItemContent,
        conflictOf: ItemID? = nil
    ) {
        self.parent = parent
        self.name = name
        self.metadata = metadata
        self.content = content
        self.conflictOf = conflictOf
    }

    package var kind: ItemKind { content.kind }
}
