/// A content file of a lost catalog that holds an edit.
struct LostEdit {
    let file: Descriptor
    let label: EditLabel
    let status: FileStatus
    private let digest: Digest

    /// `nil` for a file that holds none.
    init?(_ file: Descriptor) throws(DocFSError) {
        status = try Posix.status(of: file.number)
        guard status.isRegularFile,
            let bytes = try Posix.attribute(EditLabel.attribute, of: file.number),
            let label = EditLabel(bytes: bytes)
        else { return nil }
        self.file = file
        self.label = label
        digest = try FileDigest.compute(file.number, length: status.size)
    }

    /// Whether a row holds the same bytes, from the store.
    func isHeld(by row: LocalItem) -> Bool {
        row.divergence != .written && row.sourceDigest == digest && row.size == status.size
    }
}
