/// Catalog against content files.
extension Contents {
    /// What is wrong with the bytes of a document that counts as wholly here; `nil` when its file
    /// has as many as the catalog says, or somebody is just at work on it.
    package func damage(of row: LocalItem) throws(DocFSError) -> BodyDamage? {
        guard row.isFile, row.state == .current, !row.isUnflushed else { return nil }
        let status = try files.status(row.ino, row.place)
        // An empty document needs no file.
        if status == nil ? row.size == 0 : status?.size == row.size { return nil }
        // It may have been changed since it was looked up.
        let now = try catalog.read { (read) throws(DocFSError) in try read.local(row.ino) }
        guard now == row, openContent(row.ino) == nil else { return nil }
        var isEdit = row.divergence != .none || row.sourceRevision == nil
        if !isEdit, let file = try files.openWhole(row.ino, row.place) {
            isEdit = try Self.isLabelled(file)
        }
        return BodyDamage(here: status?.size, isEdit: isEdit)
    }
}
