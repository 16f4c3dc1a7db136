/// rename(2) within the scope, and what it does to identities (S14, S15).
extension CloudScope {
    /// Moves, replaces or exchanges.
    ///
    /// - Parameter base: what the bytes were made from, where that is known and not to be found out
    ///   from the caller (S14a).
    package func rename(
        _ name: Name, in parent: FileNumber, to newName: Name, in newParent: FileNumber,
        mode: RenameMode, caller: Caller, madeFrom base: Revision? = nil
    ) throws(DocFSError) {
        try check(newName, in: newParent)
        if mode == .replace { try secure(name, in: parent, over: newName, in: newParent) }
        let origins =
            base == nil
            ? try origins(name, in: parent, newName, in: newParent, mode, caller) : nil
        let now = clock.wallTime()
        let (moved, replaced, toHydrate) = try catalog.write {
            (transaction) throws(DocFSError) -> (LocalItem, Int64?, [Int64]) in
            let read = transaction.read
            let from = try directory(parent, in: read)
            let to = try directory(newParent, in: read)
            guard let row = try read.child(name, of: from.ino) else { throw .notFound }
            let other = try read.child(newName, of: to.ino)
            var move = CloudRename(
                scope: self, transaction: transaction, now: now, from: from, to: to,
                base: base, origin: origins?.new, oldOrigin: origins?.old)
            // In this order, as Linux finds them.
            if mode == .noReplace && other != nil { throw .exists }
            if mode == .exchange && other == nil { throw .notFound }
            try move.refuseLoop(row, into: to, error: .invalidArgument)
            if let other {
                try move.refuseLoop(
                    other, into: from, error: mode == .exchange ? .invalidArgument : .notEmpty)
            }
            guard other?.ino != row.ino else { return (row, nil, []) }
            switch (mode, other) {
            case (.exchange, let other?): try move.exchange(row, other)
            case (_, let other?):
                try move.replace(other, by: row, as: newName)
                return (row, other.ino, move.toHydrate)
            case (_, nil): try move.move(row, as: newName)
            }
            return (row, nil, move.toHydrate)
        }
        contents.renamed(moved)
        if let replaced { contents.unlinked(replaced) }
        // What cannot come now is asked for again: ``ContentKeeper``.
        for ino in toHydrate { try? contents.hydrate(ino) }
        // What is pinned there is wanted here now.
        if newParent != parent { catalog.bulletin.tell() }
    }

    /// What a save under either name is made from, if what is moved is one (S14a).
    private func origins(
        _ name: Name, in parent: FileNumber, _ newName: Name, in newParent: FileNumber,
        _ mode: RenameMode, _ caller: Caller
    ) throws(DocFSError) -> (new: SaveOrigin, old: SaveOrigin?) {
        let (row, other) = try catalog.read { (read) throws(DocFSError) in
            (
                try read.child(name, of: parent.row)?.ino,
                mode == .exchange ? try read.child(newName, of: newParent.row)?.ino : nil
            )
        }
        let new = try origin(ofSaveAs: newName, in: newParent, by: caller, saved: row)
        guard mode == .exchange else { return (new, nil) }
        return (new, try origin(ofSaveAs: name, in: parent, by: caller, saved: other))
    }

    /// Where an edit is to be replaced that the disk has, and perhaps nothing else, the disk gets
    /// what replaces it first: a loss of power leaves one of both.
    private func secure(
        _ name: Name, in parent: FileNumber, over newName: Name, in newParent: FileNumber
    ) throws(DocFSError) {
        let row = try catalog.read { (read) throws(DocFSError) -> LocalItem? in
            guard let row = try read.child(name, of: parent.row), row.unsynced != .none,
                let other = try read.child(newName, of: newParent.row),
                other.isFile, other.divergence == .written, other.unsynced != .edit
            else { return nil }
            return row
        }
        if let row { try contents.bringToDisk(row.ino) }
    }
}
