/// What we keep beside a body: who wrote it, for which item, and what it hashes to.
package struct ObjectMetadata: Hashable, Sendable {
    package var item: ItemID
    package var operation: OperationID
    /// Absent for directories and symbolic links.
    package var digest: Digest?
    package var modified: Timestamp
    /// Permission bits.
    package var mode: UInt16

    package init(
        item: ItemID, operation: OperationID, digest: Digest?, modified: Timestamp, mode: UInt16
    ) {
        self.item = item
        self.operation = operation
        self.digest = digest
        self.modified = modified
        self.mode = mode
    }
}
