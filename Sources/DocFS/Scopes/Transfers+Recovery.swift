/// After a restart: what a crash interrupted is finished before the mount answers.
extension Transfers {
    /// Finishes the moves that an earlier process has begun.
    ///
    /// What cannot be finished now, because the disk is full or a directory may not be read, is no
    /// reason not to start: the next start tries again.
    ///
    /// - Parameter left: is told why something was left as it is.
    package func recover(_ scopes: [CloudScope], _ left: (DocFSError) -> Void)
        throws(DocFSError)
    {
        for entry in try catalog.read({ (read) throws(DocFSError) in try read.imports() }) {
            let row = try catalog.read { (read) throws(DocFSError) in try read.local(entry.ino) }
            guard let row, let scope = scopes.first(where: { $0.id == row.scope }) else { continue }
            do throws(DocFSError) {
                try resume(entry, row, scope)
            } catch {
                left(error)
            }
        }
        for entry in try catalog.read({ (read) throws(DocFSError) in try read.allIncoming() }) {
            do throws(DocFSError) {
                try resume(entry)
            } catch {
                left(error)
            }
        }
        try clearHidden()
        try recoverLate(scopes)
        try recoverConflictMembers(scopes)
    }

    /// Goes on with a move into a cloud scope, or forgets it where nothing has moved yet.
    private func resume(_ entry: ImportEntry, _ row: LocalItem, _ scope: CloudScope)
        throws(DocFSError)
    {
        let isHere = try Posix.statusIfPresent(at: folder(of: row).number, entry.hidden) != nil
        if !isHere, try !hasChildren(row) { return try drop(row) }
        do throws(DocFSError) {
            try takeMode(of: row)
        } catch .notPermitted {
            // Somebody else's.
            return try giveBack(row)
        }
        var directories: [UInt64: Int64] = [:]
        var imported = [row.ino]
        if row.isDirectory { imported += adoptTree(row, scope, &directories).map(\.1) }
        let nobody = Caller(user: row.owner, group: row.group, thread: 0)
        do throws(DocFSError) {
            try settle(
                row, as: entry.name, in: FileNumber(row: entry.parent), entry.exchange, scope,
                caller: nobody)
        } catch  where Self.isOfItsPlace(error) {
            guard row.isDirectory else { return try giveBack(row) }
            try settleBeside(row, scope, caller: nobody)
        }
        contents.settleImported(imported)
    }

    /// Whether a directory was taken over in part: its row is all that they have.
    private func hasChildren(_ row: LocalItem) throws(DocFSError) -> Bool {
        try catalog.read { (read) throws(DocFSError) in try read.hasChildren(row.ino) }
    }

    /// Finishes the move of a directory that could get no place just now, as after a restart.
    func resumeLater(_ ino: Int64, _ scope: CloudScope) {
        lateWorkers.submit(after: Self.pauseBeforeResuming) { [self] in
            do throws(DocFSError) {
                let found = try catalog.read { (read) throws(DocFSError) in
                    (try read.imports().first { $0.ino == ino }, try read.local(ino))
                }
                guard case (let entry?, let row?) = found else { return }
                try resume(entry, row, scope)
                takeOverLater(ino, [:], scope)
            } catch {
                resumeLater(ino, scope)
            }
        }
    }

    /// Microseconds.
    private static let pauseBeforeResuming: UInt32 = 5_000_000

    /// Whether the directory that something went to is gone, or the name is taken by now.
    private static func isOfItsPlace(_ error: DocFSError) -> Bool {
        switch error {
        case .stale, .notFound, .exists, .notEmpty, .notDirectory, .isDirectory: true
        default: false
        }
    }

    /// A directory whose place is gone or taken comes to the top of its scope.
    func settleBeside(_ row: LocalItem, _ scope: CloudScope, caller: Caller)
        throws(DocFSError)
    {
        let root = try catalog.read { (read) throws(DocFSError) in try read.scope(scope.id)?.root }
        guard let root else { throw .stale }
        let free = try catalog.read { (read) throws(DocFSError) in
            try read.child(row.name, of: root) == nil
                ? row.name : sibling(of: row.name, in: root, read)
        }
        try settle(row, as: free, in: FileNumber(row: root), nil, scope, caller: caller)
        entryAppeared(free, in: root)
    }

    /// A file that has its name in `Local/` already is finished before anybody can write into the
    /// content that it was made from.
    private func resume(_ entry: IncomingEntry) throws(DocFSError) {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(entry.ino) }
        guard let row, row.isFile, row.device != 0 else { return }
        let found: Descriptor?
        do throws(DocFSError) {
            found = try find(entry.place)?.folder
        } catch {
            // A part of `Local/` is out of reach, which is no reason not to start: it is looked for
            // again like any other that is on its way.
            return
        }
        guard let folder = found, try isPlaced(row, entry, folder) else { return }
        try describePlaced(row, entry, folder)
        try seal(folder, entry)
        try finish(row, entry)
    }

    /// Removes what moves have left in the hidden folder that nobody waits for.
    private func clearHidden() throws(DocFSError) {
        let (imports, incoming) = try catalog.read { (read) throws(DocFSError) in
            (try read.imports(), try read.allIncoming())
        }
        let awaited = Set(imports.map(\.hidden) + incoming.map { Self.stagedName($0.ino) })
        for name in try DirectoryStream.names(at: hidden.moving.number)
        where !awaited.contains(name.bytes) {
            if try !isOnlyCopy(name) { clearHidden(name.bytes) }
        }
    }

    /// Whether a file was staged of a document that came back before it had arrived, on a
    /// filesystem that could not give it two names.
    private func isOnlyCopy(_ name: Name) throws(DocFSError) -> Bool {
        guard let ino = Self.stagedRow(name.bytes) else { return false }
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
        guard let row, row.size > 0 else { return false }
        return try contents.device(of: row) == nil
    }
}
