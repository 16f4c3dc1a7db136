/// What content files say of themselves, for the day when the catalog is lost or a file is not what
/// it was.
extension Contents {
    /// Has the file of an edit tell which document it belongs to.
    ///
    /// Best effort: it is only needed when the catalog is lost.
    func label(_ ino: Int64) {
        let found = try? catalog.readConsistently {
            (read) throws(DocFSError) -> (LocalItem, EditLabel)? in
            // Of a document that is not all here the bytes say nothing by themselves.
            guard let row = try read.local(ino), row.isFile, row.divergence == .written,
                row.state == .current, !row.isExcluded, let scope = try read.scope(row.scope),
                let path = try read.path(of: ino, root: scope.root)
            else { return nil }
            return (
                row,
                EditLabel(scope: scope.name, item: row.item, basis: row.basis, path: path)
            )
        }
        guard let (row, label) = found ?? nil,
            let file = openContent(ino)?.state.withLock(\.descriptor)
                ?? (try? files.open(ino, row.place)) ?? nil
        else { return }
        try? Posix.setAttribute(EditLabel.attribute, label.bytes, of: file.number)
        // The store may have got it meanwhile.
        if let row = try? self.row(ino), row.divergence == .none {
            Self.removeLabel(of: file.number)
        }
    }

    /// As ``label(_:)`` for a row and everything below it.
    package func labelTree(_ ino: Int64) {
        label(ino)
        let below = try? catalog.read { (read) throws(DocFSError) in try read.children(of: ino) }
        for child in below ?? [] { labelTree(child.ino) }
    }

    /// A document was renamed.
    package func renamed(_ row: LocalItem) {
        if row.isFile && row.divergence == .written { label(row.ino) }
    }

    /// The store has the bytes of a row.
    func settle(_ ino: Int64) {
        // Whoever begins to write now waits for the claim, and labels and breaks the seal after it.
        let isMine = table.withLock { table in
            if table.entries[ino]?.isBeingWritten == true { return false }
            return table.claimed.insert(ino).inserted
        }
        guard isMine else { return }
        defer { release([ino]) }
        // The file of one that goes to `Local/` may be there already, with the document's own time.
        guard let row = try? row(ino), row.isFile, row.divergence == .none, row.state == .current,
            !row.isDeparting, let file = (try? files.open(ino, row.place)) ?? nil
        else { return }
        Self.removeLabel(of: file.number)
        seal(file)
    }

    /// The file holds no edit of a cloud scope any more.
    package static func removeLabel(of file: Int32) {
        try? Posix.removeAttribute(EditLabel.attribute, of: file)
    }

    // MARK: Seals

    /// The modification time of a content file that holds just what the store has: any write, by
    /// whomever, breaks this seal.
    ///
    /// Whole seconds, which every filesystem keeps.
    static let sealed = Timestamp(seconds: 1_146_045_254, nanoseconds: 0)

    func seal(_ file: Descriptor) {
        try? Posix.setTimes(of: file.number, accessed: .keep, modified: .set(Self.sealed))
    }

    /// Whether a file holds the bytes that the store has: its seal is whole, or its digest right.
    func isTrue(_ file: Descriptor, to row: LocalItem) throws(DocFSError) -> Bool {
        guard row.divergence == .none, row.size > 0, let digest = row.sourceDigest,
            try Posix.status(of: file.number).modified != Self.sealed
        else { return true }
        guard try FileDigest.compute(file.number, length: row.size) == digest else { return false }
        if !row.isDeparting { seal(file) }
        return true
    }
}
