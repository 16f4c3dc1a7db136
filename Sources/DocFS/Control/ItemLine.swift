/// A line of `.docfs/items`: one JSON object with all that is known of an item.
struct ItemLine: Sendable {
    let attributes: DocumentAttributes

    /// - Parameter path: below the directory that was asked about.
    func bytes(of item: ListedItem, path: [UInt8], in read: CatalogReader)
        throws(DocFSError) -> [UInt8]
    {
        let row = item.row
        let isText = String(validating: path, as: UTF8.self) != nil
        let unrecorded = row.isUnflushed ? attributes.documents.unrecorded(row.ino) : nil
        let size = unrecorded?.size ?? size(of: row)
        var line = JSONLine()
        if isText {
            line.add("path", path)
        } else {
            line.add("path", PathText.encoded(path))
        }
        line.add("isEncoded", !isText)
        line.add("type", Self.type(of: row))
        line.add("size", size)
        line.add("modified", CivilTime(unrecorded?.modified ?? row.modified).isoText)
        line.add("id", row.item.description)
        line.add("download", attributes.download(of: row))
        line.add("downloadPercent", attributes.downloadPercent(of: row))
        line.add("isDownloading", attributes.isDownloading(row))
        line.add("upload", try attributes.upload(of: item, in: read))
        line.add("state", try attributes.states(of: item, in: read))
        line.add("conflicts", item.conflicts)
        line.add("documentType", attributes.type(of: row))
        line.add("pin", DocumentAttributes.word(row.pin))
        line.add("error", try attributes.error(of: row, in: read) ?? "")
        line.end()
        return line.bytes
    }

    /// Bytes, as stat(2) has them; of directories 0.
    private func size(of row: LocalItem) -> UInt64 {
        if row.isDirectory { return 0 }
        return row.target.map { UInt64($0.count) } ?? row.size
    }

    private static func type(of row: LocalItem) -> String {
        switch row.kind {
        case .file: "file"
        case .directory: "directory"
        case .symlink: "link"
        case nil: "special"
        }
    }
}
