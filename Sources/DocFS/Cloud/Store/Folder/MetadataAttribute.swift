/// Our metadata as a folder keeps it: one extended attribute on the file or directory itself.
///
/// ```
/// user.docfs.object = 1 ITEM OPERATION DIGEST|- MODIFIED MODE TOKEN[,TOKEN]
/// ```
///
/// The tokens name the bodies that the metadata speaks of. Another program that edits the file in
/// place, or copies it with its attributes (`cp -a`), makes a body that they do not name. Two
/// tokens stand there while the modification time is being set. A directory has the token `iINODE`.
struct MetadataAttribute: Hashable, Sendable {
    static let name = "user.docfs.object"

    var metadata: ObjectMetadata
    var tokens: [String]

    init(_ metadata: ObjectMetadata, tokens: [String]) {
        self.metadata = metadata
        self.tokens = tokens
    }

    /// Reads ``bytes``; `nil` for anything else, which then counts as no metadata.
    init?(bytes: [UInt8]) {
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard fields.count == 7, fields[0] == "1", let item = ItemID.item(fields[1]),
            let operation = OperationID(text: fields[2]), let modified = Timestamp(text: fields[4]),
            let mode = UInt16(fields[5], radix: 8)
        else { return nil }
        let digest = Digest(text: fields[3])
        guard digest != nil || fields[3] == "-" else { return nil }
        metadata = ObjectMetadata(
            item: item, operation: operation, digest: digest, modified: modified, mode: mode)
        tokens = fields[6].split(separator: ",").map(String.init)
    }

    var bytes: [UInt8] {
        let fields = [
            "1", metadata.item.description, metadata.operation.description,
            metadata.digest?.description ?? "-", metadata.modified.text,
            String(metadata.mode, radix: 8), tokens.joined(separator: ","),
        ]
        return Array(fields.joined(separator: " ").utf8)
    }

    /// The token of a directory, which has no body.
    static func directoryToken(_ status: FileStatus) -> String { "i\(status.inode)" }
}
