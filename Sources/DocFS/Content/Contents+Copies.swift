/// Whether a file is a copy of what a document shows.
///
/// All of it blocks for as long as reading takes.
extension Contents {
    /// Whether the file of a row holds a body's bytes; where the body has no digest, its size
    /// decides.
    ///
    /// What is empty is nobody's copy.
    package func holds(_ row: LocalItem, _ body: Body) throws(DocFSError) -> Bool {
        guard body.size > 0, row.isFile, row.state == .current,
            let file = try files.open(row.ino, row.place, isReadOnly: true),
            // The row may not know yet what was just written.
            try Posix.status(of: file.number).size == body.size
        else { return false }
        guard let digest = body.digest else { return true }
        return try FileDigest.compute(file.number, length: body.size) == digest
    }

    /// The digest of what a row shows; `nil` where it is neither known nor here.
    package func digest(ofShown row: LocalItem) throws(DocFSError) -> Digest? {
        if row.divergence == .none, let digest = row.sourceDigest { return digest }
        guard row.state == .current,
            let file = try files.open(row.ino, row.place, isReadOnly: true)
        else { return nil }
        return try FileDigest.compute(file.number, length: row.size)
    }
}
