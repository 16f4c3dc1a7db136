/// Who moves a document that has conflict versions, or one of these, to another scope notes that in
/// the transaction that does it (S24).
///
/// What is to be done about it is found out later: `Transfers+Relinking.swift`.
extension Transfers {
    /// A row leaves its container, for `name` in another scope.
    func noteLeaving(_ row: LocalItem, as name: Name, _ write: CatalogWriter) throws(DocFSError) {
        guard row.isFile else { return }
        let known =
            catalog.hasConflictMembers ? try write.read.conflictMember(ino: row.ino) : nil
        if let document = known?.document ?? row.conflictOf?.document,
            row.conflictOf != nil || known?.isVersion == true
        {
            var left = ConflictMember(
                document: document, isVersion: true, movedAlone: true, name: name, ino: row.ino)
            left.id = known?.id ?? 0
            if name != row.name || known.map({ $0.name != name }) == true {
                if let known { try write.remove(known) }
            } else if known != nil {
                try write.update(left)
            } else {
                try write.add(left)
            }
            return relinkSoon(document)
        }
        if let known { return relinkSoon(known.document) }
        guard try write.read.hasVersions(row) else { return }
        try write.add(
            ConflictMember(document: row.item, isVersion: false, name: name, ino: row.ino))
        relinkSoon(row.item)
    }

    /// A row has become the file at `place`.
    func noteLanding(_ row: LocalItem, at place: DiskPlace, _ write: CatalogWriter)
        throws(DocFSError)
    {
        guard catalog.hasConflictMembers, let known = try write.read.conflictMember(ino: row.ino)
        else { return }
        var landed = known
        // An arriving row keeps its file's inode there.
        (landed.ino, landed.place, landed.file) = (nil, stored(place), row.device)
        landed.name = place.name
        if let replaced = try write.read.conflictMember(at: stored(place)) {
            try write.forget(replaced)
        }
        try write.update(landed)
        relinkSoon(known.document)
    }

    /// The file at `place`, which has the inode `file`, is to become a row of a container.
    func noteEntering(
        _ row: LocalItem, from place: DiskPlace, _ file: UInt64, _ write: CatalogWriter
    ) throws(DocFSError) {
        guard row.isFile, catalog.hasConflictMembers,
            let known = try write.read.conflictMember(at: stored(place))
        else { return }
        guard known.file == file || known.file == 0 else { return try write.forget(known) }
        var entering = known
        entering.ino = row.ino
        try write.update(entering)
    }

    /// A row has its name in a container: it has come from `Local/`, or is there again.
    func noteEntry(of row: LocalItem, _ write: CatalogWriter) throws(DocFSError) {
        guard catalog.hasConflictMembers, let known = try write.read.conflictMember(ino: row.ino)
        else { return }
        var entered = known
        (entered.place, entered.movedAlone) = (nil, known.isVersion)
        try write.update(entered)
        relinkSoon(known.document)
    }

    /// A name that is on its way to `Local/` becomes another one there.
    func noteNewName(_ name: Name, of ino: Int64, _ write: CatalogWriter) throws(DocFSError) {
        guard catalog.hasConflictMembers, let known = try write.read.conflictMember(ino: ino),
            known.isVersion, known.name != name
        else { return }
        try write.remove(known)
    }

    // MARK: In Local

    /// A file of `Local/` was renamed there.
    ///
    /// A save may give the old name to a new file, and a document is where its name is (S14): that
    /// is looked at soon.
    func noteRename(_ move: Move) {
        guard catalog.hasConflictMembers else { return }
        do throws(DocFSError) {
            let old = stored(try diskPlace(move.name, in: move.parent))
            let new = stored(try diskPlace(move.newName, in: move.newParent))
            if try !isNoted(old), try !isNoted(new) { return }
            let file = try local.status(of: move.newName, in: move.newParent).inode
            let documents = try catalog.write { (write) throws(DocFSError) in
                let known = try write.read.conflictMember(at: old)
                let replaced = try write.read.conflictMember(at: new)
                if var replaced {
                    replaced.file = file
                    try write.update(replaced)
                }
                if let known { try note(known, of: move, at: replaced == nil ? new : nil, write) }
                return [known?.document, replaced?.document]
            }
            for case let document? in documents { relinkSoon(document) }
        } catch {
            // It has its new name all the same, and is a document of its own.
        }
    }

    /// - Parameter place: the new name, unless it is another member's.
    private func note(
        _ known: ConflictMember, of move: Move, at place: DiskPlace?, _ write: CatalogWriter
    ) throws(DocFSError) {
        var (left, moved) = (known, known)
        left.file = 0
        if let place { (moved.place, moved.name) = (place, place.name) }
        if known.isVersion, place != nil, moved.name == known.name, move.mode != .exchange {
            return try write.update(moved)
        }
        try write.update(left)
        if !known.isVersion, place != nil, move.mode != .exchange { try write.add(moved) }
    }

    /// A file of `Local/` was removed there: that may be a save, which makes it once more.
    func noteRemoval(of name: Name, in parent: FileNumber) {
        guard catalog.hasConflictMembers else { return }
        do throws(DocFSError) {
            let place = stored(try diskPlace(name, in: parent))
            guard try isNoted(place) else { return }
            let document = try catalog.write { (write) throws(DocFSError) -> ItemID? in
                guard var known = try write.read.conflictMember(at: place) else { return nil }
                known.file = 0
                try write.update(known)
                return known.document
            }
            if let document { relinkSoon(document) }
        } catch {
            // It is missed when something is to follow it.
        }
    }

    private func isNoted(_ place: DiskPlace) throws(DocFSError) -> Bool {
        try catalog.read { (read) throws(DocFSError) in
            try read.conflictMember(at: place) != nil
        }
    }

    // MARK: Places

    /// A place as it is noted: on the filesystem of `Local/` itself its device is 0.
    func stored(_ place: DiskPlace) -> DiskPlace {
        var place = place
        if place.device == local.table.rootDevice { place.device = 0 }
        return place
    }

    /// The reverse of ``stored(_:)``.
    func onDisk(_ place: DiskPlace) -> DiskPlace {
        var place = place
        if place.device == 0 { place.device = local.table.rootDevice }
        return place
    }
}
