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

    package init(
        operation: OperationID, item: ItemID, path: ItemPath, place: ItemPath,
        metadata: Metadata, content: ItemContent, recorded: Int64
    ) {
        self.operation = operation
        self.item = item
        self.path = path
        self.place = place
        self.metadata = metadata
        self.content = content
        self.recorded = recorded
    }
}
