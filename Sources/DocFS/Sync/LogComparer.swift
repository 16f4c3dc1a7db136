/// Holds what this device has of an item against a change log that was taken up once more (S23).
struct LogComparer {
    let write: CatalogWriter
    let scope: ScopeRecord
    let repair: LogRepair
    /// What the container has as conflict versions, by the items that they are versions of.
    let conflicts: [ItemID: Set<Digest>]

    /// Makes the item's trees tell what ``LogComparison`` says, so that planning does the rest.
    ///
    /// - Returns: the row whose bytes count as an edit from here on, if that is so.
    func compare(_ item: ItemID) throws(DocFSError) -> Int64? {
        let read = write.read
        guard let base = try read.state(.base, of: item, scope: scope.id),
            let row = try read.local(item: item, scope: scope.id), row.parent != nil,
            !row.isDeparting, !row.isExcluded
        else { return nil }
        let remote = try read.state(.remote, of: item, scope: scope.id)
        if remote == base { return nil }
        if try isOutdated(row, remote) {
            try write.markPending(item, scope: scope.id)
            return nil
        }
        let isHere = row.isDirectory || row.isSymlink || row.state == .current
        let comparison = LogComparison(
            repair, base: base, remote: remote, isHere: isHere,
            isBeside: isBeside(base.content.body?.digest, row))
        try write.markPending(item, scope: scope.id)
        switch (comparison, remote) {
        case (.new, _):
            try write.setState(.base, of: item, scope: scope.id, to: nil)
            return try makeEdit(row, of: nil)
        case (.beside, _): return try makeEdit(row, of: nil)
        case (.over, let remote?):
            try write.setState(.base, of: item, scope: scope.id, to: remote)
            return try makeEdit(row, of: remote.content.revision)
        case (.described, let remote?):
            try write.setState(.base, of: item, scope: scope.id, to: remote)
            try follow(row, base, remote)
            return nil
        default: return nil
        }
    }

    /// Whether a newer body of the document is awaited, and the container has that one, or keeps
    /// the one here as an earlier version: nothing is given up for what it has.
    private func isOutdated(_ row: LocalItem, _ remote: ItemState?) throws(DocFSError) -> Bool {
        guard row.divergence == .none, let remote, let revision = row.sourceRevision,
            let newer = try write.read.namelessRow(.newer, of: row.item, scope: scope.id)
        else { return false }
        if newer.sourceRevision == remote.content.revision { return true }
        return try write.read.version(of: row.item, revision: revision, scope: scope.id) != nil
    }

    /// Whether the container has these bytes beside the document: another device has brought them.
    private func isBeside(_ digest: Digest?, _ row: LocalItem) -> Bool {
        guard let digest, row.divergence == .none else { return false }
        return conflicts[row.item]?.contains(digest) == true
    }

    /// Its bytes are an edit, made from `revision` of what the container has.
    private func makeEdit(_ row: LocalItem, of revision: Revision?) throws(DocFSError) -> Int64? {
        if row.isDirectory { return nil }
        var edit = row
        edit.unsynced.write(over: row.divergence)
        edit.divergence = .written
        edit.basis = revision
        edit.generation += 1
        try write.update(edit, from: row)
        return row.ino
    }

    /// The bytes stay as they are; the revision that they are known by may be another.
    private func follow(_ row: LocalItem, _ base: ItemState, _ remote: ItemState)
        throws(DocFSError)
    {
        guard row.isFile || row.isSymlink, row.basis == base.content.revision,
            base.content.revision == remote.content.revision
                || base.content.holdsSameBytes(as: remote.content)
        else { return }
        var known = row
        if row.divergence == .none {
            known.rebase(onto: remote)
        } else {
            known.basis = remote.content.revision
        }
        try write.update(known, from: row)
    }
}
