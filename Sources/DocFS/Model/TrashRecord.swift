/// A deleted document or directory that the container keeps.
package struct TrashRecord: Hashable, Sendable {
    package var operation: OperationID
    package var item: ItemID
    /// Where it was, from the container's root.
    package var path: ItemPath
    /// Where its body lies now.
    package var place: ItemPath
    package var metadata: Metadata
    package var content: ItemContent
    /// Seconds since 1970 by the deleting device's clock; for people only.
    package var recorded: Int64
    /// Whose it was on this device, where that is known.
    package var ownership: Ownership?
    /// The directory that held it, where that is known.
    package var directory: ItemID?

    package init(
        operation: OperationID, item: ItemID, path: ItemPath, place: ItemPath,
        metadata: Metadata, content: ItemContent, recorded: Int64, ownership: Ownership? = nil,
        directory: ItemID? = nil
    ) {
        self.operation = operation
        self.item = item
        self.path = path
        self.place = place
        self.metadata = metadata
        self.content = content
        self.recorded = recorded
        self.ownership = ownership
        self.directory = directory
    }
}
