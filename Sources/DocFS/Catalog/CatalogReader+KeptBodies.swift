/// How rows of the tables `version` and `trash` are read.
extension VersionRecord {
    init(row: Statement) {
        self.init(
            item: ItemID(bytes: row.bytes()) ?? .root, revision: Revision(row.text() ?? ""),
            path: ItemPath(bytes: row.bytes()), size: UInt64(row.int()),
            digest: row.optionalBytes().flatMap { Digest(bytes: $0) },
            modified: row.timestamp(), device: row.text() ?? "", recorded: row.int())
    }
}

extension TrashRecord {
    init(row: Statement) {
        let operation = OperationID(bytes: row.bytes()) ?? OperationID(high: 0, low: 0)
        let item = ItemID(bytes: row.bytes()) ?? .root
        let path = ItemPath(bytes: row.bytes())
        let place = ItemPath(bytes: row.bytes())
        let kind = ItemKind(rawValue: UInt8(row.int())) ?? .file
        let mode = UInt16(row.int())
        let modified = row.timestamp()
        let metadata = Metadata(
            mode: mode, modified: modified,
            attributes: AttributeCoding.decode(row.optionalBytes()))
        let size = UInt64(row.int())
        let digest = row.optionalBytes().flatMap { Digest(bytes: $0) }
        let revision = Revision(row.text() ?? "")
        let target = row.optionalBytes()
        let content: ItemContent =
            switch kind {
            case .file: .file(Body(size: size, digest: digest, revision: revision))
            case .directory: .directory
            case .symlink: .symlink(target: target ?? [], revision: revision)
            }
        self.init(
            operation: operation, item: item, path: path, place: place, metadata: metadata,
            content: content, recorded: row.int())
    }
}
