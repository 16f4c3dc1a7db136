/// What a save is made from, where another device has changed the document since the saving program
/// read it (S14a): asked before the transaction that makes the save, since files may have to be
/// read for it.
extension CloudScope {
    /// For what comes to a name.
    ///
    /// - Parameter saved: the row that comes there; `nil` for a new one.
    func origin(
        ofSaveAs name: Name, in parent: FileNumber, by caller: Caller, saved: Int64? = nil
    ) throws(DocFSError) -> SaveOrigin {
        let areCurrent = sights.areCurrent
        let (item, shown) = try catalog.read {
            (read) throws(DocFSError) -> (ItemID?, LocalItem?) in
            if let row = try read.child(name, of: parent.row) { return (row.item, row) }
            guard !areCurrent, let directory = try read.local(parent.row) else {
                return (nil, nil)
            }
            let item = directory.ino == rootIno ? ItemID.root : directory.item
            let stored = try read.remoteChild(name, of: item, scope: id)
            return (
                stored,
                try stored.flatMap { (item) throws(DocFSError) in
                    try read.local(item: item, scope: id)
                }
            )
        }
        guard let item, !areCurrent else { return SaveOrigin(outdated: nil, shown: shown) }
        return SaveOrigin(
            outdated: outdatedBase(of: item, shown: shown, for: caller, saved: saved),
            shown: shown)
    }

    /// For what is written over a document.
    ///
    /// - Parameter shown: its row, or the one that it had; `nil` when it has none any more.
    func outdatedBase(
        of item: ItemID, shown: LocalItem?, for caller: Caller, saved: Int64? = nil
    ) -> Revision? {
        if sights.areCurrent { return nil }
        var body: Body?
        return sights.base(of: item, for: caller.thread) { ino in
            if ino == shown?.ino || ino == saved { return false }
            do throws(DocFSError) {
                if body == nil { body = try self.body(of: item, shown: shown) }
                let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
                guard let row, let body else { return false }
                return try contents.holds(row, body)
            } catch {
                // A conflict version too many loses nothing.
                return true
            }
        }
    }

    /// What is shown of a document, or was until it was removed to be made anew.
    private func body(of item: ItemID, shown: LocalItem?) throws(DocFSError) -> Body? {
        if let shown {
            return Body(
                size: shown.size, digest: try contents.digest(ofShown: shown),
                revision: Revision(""))
        }
        return try catalog.read { (read) throws(DocFSError) in
            try read.state(.base, of: item, scope: id)?.content.body
        }
    }
}
