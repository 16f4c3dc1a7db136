internal import Synchronization

/// A program may work in a directory that moves into a container: it goes on in the directory that
/// it knows, which lies in the hidden folder by now. What it makes there is taken over as well,
/// each file like one that is moved by itself, until nobody works there any more (S24).
///
/// Nothing that is in the container is replaced by that: a program that opens a name again, which
/// it does not find there any more, makes another file, and that becomes a conflict version.
extension Transfers {
    /// How often such directories are looked through while something is found in them, and while
    /// nothing is, in nanoseconds.
    private static let (lateInterval, lateRest): (UInt64, UInt64) = (500_000_000, 5_000_000_000)
    /// What stood still for so long is taken over, and what did not at the latest after so long: a
    /// program may be about to give it another name.
    ///
    /// Nanoseconds.
    private static let (lateQuiet, latePatience): (UInt64, UInt64) = (
        2_000_000_000, 10_000_000_000
    )
    /// So much is taken over before other directories have their turn.
    private static let lateAtOnce = 256

    /// Takes over what appears from now on in a directory that has moved in, and removes it from
    /// the hidden folder when nobody works in it.
    ///
    /// - Parameters:
    ///   - ino: its row, by which it is named there.
    ///   - rows: those of the directories in it, by their inodes on disk.
    func takeOverLater(_ ino: Int64, _ rows: [UInt64: Int64], _ scope: CloudScope) {
        let isFirst = late.withLock { late in
            late[ino] = LateDirectory(scope: scope, rows: rows)
            return late.count == 1
        }
        if isFirst { lateWorkers.submit { [self] in lookLate() } }
    }

    private func lookLate() {
        var inUse: Set<Posix.DirectoryIdentity>?
        let now = clock.now()
        for (ino, directory) in late.withLock({ $0 }) where directory.next <= now {
            let next = look(into: ino, directory, &inUse)
            late.withLock { $0[ino] = next }
        }
        if late.withLock({ !$0.isEmpty }) {
            lateWorkers.submit(after: UInt32(Self.lateInterval / 1_000)) { [self] in lookLate() }
        }
    }

    /// - Parameter inUse: the directories that processes work in, once somebody has looked.
    /// - Returns: the directory as it is from now on; `nil` when it is gone.
    private func look(
        into ino: Int64, _ known: LateDirectory, _ inUse: inout Set<Posix.DirectoryIdentity>?
    ) -> LateDirectory? {
        var directory = known
        do throws(DocFSError) {
            let tree = try LateTree(
                at: hidden.moving, Self.hiddenName(ino), of: user, atMost: Self.lateAtOnce)
            let now = clock.now()
            if tree.files.isEmpty, directory.waiting.isEmpty {
                directory.pause = min(max(directory.pause * 2, Self.lateInterval), Self.lateRest)
            } else {
                directory.pause = Self.lateInterval
                directory.changed = now
            }
            directory.next = now + directory.pause
            try takeOver(tree, ino, &directory, at: now)
            if let failure = tree.failure { throw failure }
            try setLateError(nil, ino)
            let isQuiet = directory.changed.map { now >= $0 + Self.lateQuiet } ?? true
            guard tree.files.isEmpty, isQuiet else { return directory }
            let used = inUse ?? Posix.directoriesInUse()
            inUse = used
            guard tree.identities.isDisjoint(with: used) else { return directory }
            return try tree.remove() ? nil : directory
        } catch .notFound where isGone(ino) {
            return nil
        } catch {
            // Tried again; status names the directory, once the catalog can be written to.
            try? setLateError(Self.lateFailure, ino)
            directory.next = clock.now() + Self.lateRest
            return directory
        }
    }

    /// Whether the directory itself is not in the hidden folder any more, for certain.
    private func isGone(_ ino: Int64) -> Bool {
        do throws(DocFSError) {
            return try Posix.statusIfPresent(at: hidden.moving.number, Self.hiddenName(ino)) == nil
        } catch {
            // Looked at again.
            return false
        }
    }

    private static let lateFailure =
        "files that were in it, or that a program made in it since, could not be taken over yet"

    private func setLateError(_ words: String?, _ ino: Int64) throws(DocFSError) {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
        guard let row, words != nil || row.error == Self.lateFailure, row.error != words else {
            return
        }
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(ino) else { return }
            row.error = words
            try write.update(row)
        }
    }

    // MARK: Taking over

    private func takeOver(
        _ tree: LateTree, _ ino: Int64, _ directory: inout LateDirectory, at now: UInt64
    ) throws(DocFSError) {
        // What a program has made anew; after a restart nobody knows what it found.
        if !directory.rows.isEmpty {
            for node in tree.directories.indices.dropFirst()
            where directory.rows[tree.directories[node].inode] == nil {
                _ = try row(of: node, in: tree, ino, &directory)
            }
        }
        var waiting: [UInt64: UInt64] = [:]
        var failure: DocFSError?
        for file in tree.files {
            let since = directory.waiting[file.status.inode] ?? now
            if isQuiet(file.status) || now >= since + Self.latePatience {
                let parent = try row(of: file.directory, in: tree, ino, &directory)
                do throws(DocFSError) {
                    try takeOver(file, tree, parent, directory.scope)
                } catch {
                    // Others need not wait for it.
                    failure = error
                }
            } else {
                waiting[file.status.inode] = since
            }
        }
        directory.waiting = waiting
        if let failure { throw failure }
    }

    private func isQuiet(_ status: FileStatus) -> Bool {
        let age = clock.wallTime().seconds - status.changed.seconds
        return age > Int64(Self.lateQuiet / 1_000_000_000)
    }

    /// The row of a directory of the tree, wherever its user has put it since, or a new one.
    private func row(
        of node: Int, in tree: LateTree, _ top: Int64, _ directory: inout LateDirectory
    ) throws(DocFSError) -> Int64 {
        let found = tree.directories[node]
        let known = node == 0 ? top : directory.rows[found.inode]
        let row = try catalog.read { (read) throws(DocFSError) in
            try known.flatMap { (ino) throws(DocFSError) in try read.local(ino) }
        }
        if let row, row.isDirectory, row.parent != nil || row.isDeparting { return row.ino }
        guard let above = found.parent else { return try makeTop(&directory, found) }
        let parent = try self.row(of: above, in: tree, top, &directory)
        let ino = try makeDirectory(found, in: parent, directory.scope)
        directory.rows[found.inode] = ino
        return ino
    }

    /// The directory itself is gone from its container: what is new in it comes beside where it
    /// was.
    private func makeTop(_ directory: inout LateDirectory, _ found: LateTree.Directory)
        throws(DocFSError) -> Int64
    {
        if let ino = directory.rows[found.inode],
            let row = try catalog.read({ (read) throws(DocFSError) in try read.local(ino) }),
            row.parent != nil
        {
            return ino
        }
        let scope = directory.scope
        let root = try catalog.read { (read) throws(DocFSError) in try read.scope(scope.id)?.root }
        guard let root else { throw .stale }
        var named = found
        named.name = Name("Files of a removed directory")
        let ino = try makeDirectory(named, in: root, scope)
        directory.rows[found.inode] = ino
        return ino
    }

    private func makeDirectory(
        _ found: LateTree.Directory, in parent: Int64, _ scope: CloudScope
    ) throws(DocFSError) -> Int64 {
        let (name, status, now) = (found.name, found.status, clock.wallTime())
        let made = try catalog.write { (write) throws(DocFSError) -> (LocalItem, isNew: Bool) in
            let known = try write.read.child(name, of: parent)
            if let known, known.isDirectory { return (known, false) }
            guard var above = try write.read.local(parent) else { throw .stale }
            var fresh = LocalItem(
                scope: scope.id, item: scope.newItem(), parent: parent,
                name: try known == nil ? name : sibling(of: name, in: parent, write.read),
                mode: CloudScope.kept(status.mode), owner: status.owner, group: status.group,
                modified: status.modified, changed: now)
            fresh.links = 2
            fresh.isExcluded = above.isExcluded || scope.scratch.matches(fresh.name)
            fresh.ino = try write.insert(fresh)
            above.links += 1
            try write.update(above)
            try write.markEdited(fresh)
            return (fresh, true)
        }
        if made.isNew { entryAppeared(made.0.name, in: parent) }
        return made.0.ino
    }

    func sibling(of name: Name, in parent: Int64, _ read: CatalogReader)
        throws(DocFSError) -> Name
    {
        var free = name
        for attempt in 0... {
            free = SiblingName.make(
                for: name, device: "Local", time: clock.wallTime(), attempt: attempt)
            if try read.child(free, of: parent) == nil { break }
        }
        return free
    }

    func entryAppeared(_ name: Name, in parent: Int64) {
        invalidator.entryChanged(in: FileNumber(row: parent), name)
        invalidator.attributesChanged(of: FileNumber(row: parent))
    }

    /// Moves one file in, as rename(2) would have, with the intent written down first.
    private func takeOver(
        _ file: LateTree.File, _ tree: LateTree, _ parent: Int64, _ scope: CloudScope
    ) throws(DocFSError) {
        guard let folder = try tree.openIfThere(file.directory),
            let status = try Posix.statusIfPresent(at: folder.number, file.name.bytes),
            !status.isDirectory
        else { return }
        let fresh = try row(of: status, named: file.name, in: folder.number, file.name, scope)
        let place = try DiskPlace(of: Posix.status(of: folder.number), name: file.name)
        let row = try catalog.write { (write) throws(DocFSError) in
            var row = fresh
            let known = try write.read.child(file.name, of: parent)
            if let known, known.isFile, try isImporting(known) {
                // Made for this file, by an attempt that failed.
                try write.releaseConflictMember(ino: known.ino)
                try write.delete(known.ino)
            } else if known != nil {
                row.name = try sibling(of: file.name, in: parent, write.read)
            }
            row.ino = try write.insert(row)
            try noteEntering(row, from: place, status.inode, write)
            try write.addImport(
                ImportEntry(
                    ino: row.ino, parent: parent, name: row.name,
                    hidden: Self.hiddenName(of: row)))
            return row
        }
        do throws(DocFSError) {
            try catalog.makeDurable()
            if row.isFile { try contents.clear(row.ino, .local) }
            try Posix.rename(
                at: folder.number, file.name.bytes, to: self.folder(of: row).number,
                Self.hiddenName(of: row), mode: .noReplace)
        } catch {
            try drop(row)
            // Its program has renamed or removed it meanwhile.
            if error == .notFound { return }
            throw error
        }
        if row.isFile { contents.movedIn() }
        do throws(DocFSError) {
            try takeMode(of: row)
            try settle(
                row, as: row.name, in: FileNumber(row: parent), nil, scope,
                caller: Caller(user: row.owner, group: row.group, thread: 0))
        } catch {
            // Its directory has gone, or the name is taken, since; or it is somebody else's.
            return try giveBack(row)
        }
        contents.settleImported([row.ino])
        entryAppeared(row.name, in: parent)
    }

    /// Puts what cannot get a name in its container back to the top of `Local/`.
    func giveBack(_ row: LocalItem) throws(DocFSError) {
        let root = try local.descriptor(of: local.root)
        let folder = folder(of: row).number
        try returnMode(of: row)
        var free = row.name
        for attempt in 0... {
            do throws(DocFSError) {
                try Posix.rename(
                    at: folder, Self.hiddenName(of: row), to: root.number, free.bytes,
                    mode: .noReplace)
                break
            } catch .exists {
                free = SiblingName.make(
                    for: row.name, device: "Cloud", time: clock.wallTime(), attempt: attempt)
            }
        }
        try drop(row)
    }

    // MARK: After a restart

    /// Goes on with directories that an earlier process has left in the hidden folder.
    func recoverLate(_ scopes: [CloudScope]) throws(DocFSError) {
        // Those that have no place yet are not left over.
        let awaited = Set(
            try catalog.read { (read) throws(DocFSError) in try read.imports() }.map(\.hidden))
        for name in try DirectoryStream.names(at: hidden.moving.number)
        where !awaited.contains(name.bytes) {
            guard let ino = Int64(name.description), name.bytes == Self.hiddenName(ino),
                let status = try Posix.statusIfPresent(at: hidden.moving.number, name.bytes),
                status.isDirectory
            else { continue }
            if isFinished(name.bytes) { continue }
            let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
            // Where its container is not mounted now, it waits; where its row is gone, any will do.
            let scope = row.map { row in scopes.first { $0.id == row.scope } } ?? scopes.first
            if let scope { takeOverLater(ino, [:], scope) }
        }
    }

    /// Removes such a directory if nothing is in it and nobody works there.
    ///
    /// - Returns: whether it is gone.
    private func isFinished(_ name: [UInt8]) -> Bool {
        do throws(DocFSError) {
            let tree = try LateTree(at: hidden.moving, name, of: user, atMost: 1)
            guard tree.files.isEmpty, tree.identities.isDisjoint(with: Posix.directoriesInUse())
            else { return false }
            return try tree.remove()
        } catch {
            // No reason not to start: who goes on with it tells of it.
            return false
        }
    }
}
