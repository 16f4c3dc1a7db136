/// Who may do what in the trash: whatever they might do before it was deleted, and no more.
extension TrashTree {
    /// What the trash shows of something deleted: it belongs to whom it belonged to, as far as that
    /// is known, and to the mount's owner else.
    func ownership(of record: TrashRecord) throws(DocFSError) -> Ownership {
        var shown = Self.ownership(of: record, or: owner)
        if record.content == .directory { return shown }
        if try isElsewhere(record) { shown.mode &= 0o700 }
        return shown
    }

    /// What something that was deleted is restored as.
    static func ownership(of record: TrashRecord, or owner: Ownership) -> Ownership {
        let mode = UInt32(record.metadata.mode)
        let isDirectory = record.content == .directory
        guard let known = record.ownership else {
            return Ownership(user: owner.user, group: owner.group, mode: mode)
        }
        return Ownership(
            user: known.user, group: known.group,
            mode: known.mode & (isDirectory ? 0o7000 | mode : mode))
    }

    /// The same of a directory of the trash; `nil` when it is not there.
    func ownership(ofDirectory path: ItemPath) throws(DocFSError) -> Ownership? {
        if let record = try directory(at: path) { return try ownership(of: record) }
        guard try metadata(ofDirectory: path) != nil else { return nil }
        return try liveDirectory(at: path)?.ownership
            ?? Ownership(user: owner.user, group: owner.group, mode: 0o700)
    }

    /// Whether it was deleted from another directory than the one that it is shown in: nobody knows
    /// who might look into that one.
    private func isElsewhere(_ record: TrashRecord) throws(DocFSError) -> Bool {
        let path = record.path.parent
        if let directory = try directory(at: path) {
            return record.directory.map { $0 != directory.item } ?? false
        }
        guard let directory = try liveDirectory(at: path) else { return false }
        return record.directory.map { $0 != directory.item } ?? (directory.owner != owner.user)
    }
}
