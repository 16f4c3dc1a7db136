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

    init(row: Statement) {
        operation = OperationID(bytes: row.bytes()) ?? OperationID(high: 0, low: 0)
        item = ItemID(bytes: row.bytes()) ?? .root
        path = ItemPath(bytes: row.bytes())
        place = ItemPath(bytes: row.bytes())
        let kind = ItemKind(rawValue: UInt8(row.int())) ?? .file
        let mode = UInt16(row.int())
        let modified = row.timestamp()
        metadata = Metadata(
            mode: mode, modified: modified,
            attributes: AttributeCoding.decode(row.optionalBytes()))
        let size = UInt64(row.int())
        let digest = row.optionalBytes().flatMap { Digest(bytes: $0) }
        let revision = Revision(row.text() ?? "")
        let target = row.optionalBytes()
        content =
            switch kind {
            case .file: .file(Body(size: size, digest: digest, revision: revision))
            case .directory: .directory
            case .symlink: .symlink(target: target ?? [], revision: revision)
            }
        recorded = row.int()
    }
}
