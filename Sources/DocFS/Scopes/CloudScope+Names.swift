/// Making and removing.
extension CloudScope {
    /// Set-group-id on a directory: what is made in it belongs to its group (inode(7)).
    private static let setGroupID: UInt32 = 0o2000

    /// mknod(2).
    ///
    /// FIFOs, sockets and devices live on this device only.
    package func makeNode(
        _ name: Name, in parent: FileNumber, mode: UInt32, device: UInt64, caller: Caller
    ) throws(DocFSError) -> LookupResult {
        result(
            try make(name, in: parent, mode: mode, caller: caller) { row in
                row.device = row.kind == nil ? device : 0
                row.divergence = .written
            })
    }

    package func makeDirectory(
        _ name: Name, in parent: FileNumber, mode: UInt32, caller: Caller
    ) throws(DocFSError) -> LookupResult {
        let mode = LocalItem.typeDirectory | mode & 0o7777
        return result(try make(name, in: parent, mode: mode, caller: caller) { $0.links = 2 })
    }

    package func makeSymlink(
        _ name: Name, in parent: FileNumber, target: [UInt8], caller: Caller
    ) throws(DocFSError) -> LookupResult {
        let mode = LocalItem.typeSymlink | 0o777
        return result(
            try make(name, in: parent, mode: mode, caller: caller) { row in
                row.target = target
                row.divergence = .written
            })
    }

    /// Hard links are not offered in a cloud scope (S31).
    package func link(_ number: FileNumber, as name: Name, in parent: FileNumber)
        throws(DocFSError) -> LookupResult
    {
        throw .notPermitted
    }

    /// Adds a row under a name that is free.
    ///
    /// - Parameters:
    ///   - mode: with its type bits.
    ///   - prepare: completes the row.
    func make(
        _ name: Name, in parent: FileNumber, mode: UInt32, caller: Caller,
        _ prepare: (inout LocalItem) -> Void
    ) throws(DocFSError) -> LocalItem {
        try check(name, in: parent)
        let base =
            sights.areCurrent
            ? nil : try origin(ofSaveAs: name, in: parent, by: caller).outdated
        let now = clock.wallTime()
        let item = newItem()
        let row = try catalog.write { (transaction) throws(DocFSError) in
            let directory = try directory(parent, in: transaction.read)
            let inherits = directory.mode & Self.setGroupID != 0
            var row = LocalItem(
                scope: id, item: item, parent: directory.ino, name: name,
                mode: Self.kept(mode), owner: caller.user,
                group: inherits ? directory.group : caller.group, modified: now, changed: now)
            if inherits && row.isDirectory { row.mode |= Self.setGroupID }
            row.isExcluded =
                directory.isExcluded || row.kind == nil || scratch.matches(name)
            prepare(&row)
            if row.isFile { row.unsynced = .edit }
            row.basis = base
            row.ino = try transaction.insert(row)
            try touch(directory, links: row.isDirectory ? 1 : 0, now, transaction)
            try transaction.markEdited(row)
            return row
        }
        if row.unsynced != .none { contents.syncSoon() }
        return row
    }

    /// The mode without what no file here keeps: set-id bits (S31).
    static func kept(_ mode: UInt32) -> UInt32 {
        mode & LocalItem.typeMask == LocalItem.typeDirectory ? mode : mode & ~0o6000
    }

    package func unlink(_ name: Name, in parent: FileNumber, caller: Caller) throws(DocFSError) {
        try remove(name, in: parent) { (row, _) throws(DocFSError) in
            if row.isDirectory { throw .isDirectory }
        }
    }

    /// Takes back what was just made under a name, unless something else has the name by now.
    func unmake(_ name: Name, in parent: FileNumber, _ made: LocalItem) throws(DocFSError) {
        try remove(name, in: parent) { (row, _) throws(DocFSError) in
            if row.ino != made.ino { throw .stale }
        }
    }

    package func removeDirectory(_ name: Name, in parent: FileNumber, caller: Caller)
        throws(DocFSError)
    {
        try remove(name, in: parent) { (row, read) throws(DocFSError) in
            guard row.isDirectory else { throw .notDirectory }
            if try read.hasChildren(row.ino) { throw .notEmpty }
        }
    }

    private func remove(
        _ name: Name, in parent: FileNumber,
        unless refuses: (LocalItem, CatalogReader) throws(DocFSError) -> Void
    ) throws(DocFSError) {
        let now = clock.wallTime()
        let ino = try catalog.write { (transaction) throws(DocFSError) in
            let directory = try directory(parent, in: transaction.read)
            guard let row = try transaction.read.child(name, of: directory.ino) else {
                throw .notFound
            }
            try refuses(row, transaction.read)
            try drop(row, now, transaction)
            try touch(directory, links: row.isDirectory ? -1 : 0, now, transaction)
            return row.ino
        }
        contents.unlinked(ino)
    }

    /// Takes a row's name away; the row itself goes when nobody needs it any more.
    func drop(_ row: LocalItem, _ now: Timestamp, _ transaction: CatalogWriter)
        throws(DocFSError)
    {
        try transaction.markEdited(row)
        var row = row
        row.parent = nil
        row.links = 0
        row.changed = now
        try transaction.update(row)
    }
}
