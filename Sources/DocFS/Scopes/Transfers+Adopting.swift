internal import Glibc

/// Taking over a directory of `Local/` with everything in it.
extension Transfers {
    // MARK: Before it moves

    /// Refuses what cannot be taken over whole, before anything has happened: the mode of a file is
    /// its owner's to change, what may not be read cannot be sent, and what is mounted below stays
    /// where it is.
    func checkWhetherTakeable(_ status: FileStatus, _ move: Move) throws(DocFSError) {
        let parent = try local.descriptor(of: move.parent)
        try checkWhetherTakeable(move.name, status, in: parent, on: status.device)
    }

    private func checkWhetherTakeable(
        _ name: Name, _ status: FileStatus, in folder: Descriptor, on device: UInt64
    ) throws(DocFSError) {
        let isOthers = user != 0 && status.owner != user
        if status.isRegularFile {
            if isOthers, !Self.hasOtherNames(status) { throw .notPermitted }
            return try Posix.checkAccess(at: folder.number, name.bytes, R_OK)
        }
        guard status.isDirectory else { return }
        // Where layers are shown as one filesystem, files may have devices of their own.
        if status.device != device { throw .busy }
        let below = try Posix.open(
            at: folder.number, name.bytes, flags: Posix.directoryFlags)
        let names = try DirectoryStream.names(at: below.number)
        // One's own is made writable once it has moved.
        if isOthers, !names.isEmpty { try Posix.checkAccess(at: below.number, [0x2E], W_OK | X_OK) }
        let isSticky = isOthers && status.mode & UInt32(S_ISVTX) != 0
        for child in names {
            guard let status = try Posix.statusIfPresent(at: below.number, child.bytes) else {
                continue
            }
            // From somebody else's sticky directory nobody takes what is not his.
            if isSticky, status.owner != user { throw .notPermitted }
            // It may have been removed just now, or replaced by something else.
            try Posix.ifPresent { () throws(DocFSError) in
                try checkWhetherTakeable(child, status, in: below, on: device)
            }
        }
    }

    // MARK: After it has moved

    /// Makes rows for everything below a directory that was detached, and contents of its files.
    ///
    /// Done again after a crash, it goes on where it stopped. The directories themselves stay,
    /// empty, until nobody works in them any more; by the uppermost a restart knows that it was
    /// detached. What cannot be taken out stays in them too: ``takeOverLater(_:_:_:)`` tells of it,
    /// and tries again.
    ///
    /// - Returns: the rows of what was found, with the numbers that they had, unless a file keeps
    ///   it for its other names.
    func adoptTree(
        _ root: LocalItem, _ scope: CloudScope, _ directories: inout [UInt64: Int64]
    ) -> [(FileNumber?, Int64)] {
        var found: [(FileNumber?, Int64)] = []
        do throws(DocFSError) {
            try adopt(
                root.ino, at: hidden.moving.number, Self.hiddenName(root.ino), scope, &found,
                &directories)
        } catch {
            // It cannot be looked into, which is tried again.
        }
        return found
    }

    private func adopt(
        _ ino: Int64, at directory: Int32, _ name: [UInt8], _ scope: CloudScope,
        _ found: inout [(FileNumber?, Int64)], _ directories: inout [UInt64: Int64]
    ) throws(DocFSError) {
        let folder = try Posix.open(at: directory, name, flags: Posix.directoryFlags)
        try takeAlong(into: ino, folder, scope)
        for child in try DirectoryStream.names(at: folder.number) {
            do throws(DocFSError) {
                try adopt(child, of: folder, into: ino, scope, &found, &directories)
            } catch {
                // Somebody else's by now, gone, or the disk is full: it stays, the rest goes on.
            }
        }
    }

    private func adopt(
        _ name: Name, of folder: Descriptor, into ino: Int64, _ scope: CloudScope,
        _ found: inout [(FileNumber?, Int64)], _ directories: inout [UInt64: Int64]
    ) throws(DocFSError) {
        var status = try Posix.status(at: folder.number, name.bytes)
        if status.isDirectory, hasIncoming {
            // One that something lands in has another mode meanwhile.
            status = try arrivals.whileNoneLands { () throws(DocFSError) in
                try Posix.status(at: folder.number, name.bytes)
            }
        }
        let fresh = try row(of: status, named: name, in: folder.number, name, scope)
        let row = try adopt(fresh, named: name, into: ino, from: folder, status.inode)
        CrashPoint.reached(.importAdopting)
        // What has the name is another one: it comes beside it (``takeOverLater(_:_:_:)``).
        if row.kind != fresh.kind { return }
        if row.isFile, try !isImporting(row) { return }
        let number = Self.hasOtherNames(status) ? nil : local.number(of: status)
        if row.isDirectory {
            // It stays for who works in it, and what is in it leaves.
            directories[status.inode] = row.ino
            found.append((number, row.ino))
            if user != 0, status.owner == user, status.mode & 0o700 != 0o700 {
                try setMode(status.permissions | 0o700, of: status, at: folder, name)
            }
            try adopt(row.ino, at: folder.number, name.bytes, scope, &found, &directories)
        } else {
            do throws(DocFSError) {
                try take(row, status, at: folder, name)
            } catch {
                try catalog.write { (write) throws(DocFSError) in
                    try write.releaseConflictMember(ino: row.ino)
                    try write.delete(row.ino)
                }
                throw error
            }
            found.append((number, row.ino))
        }
        CrashPoint.reached(.importAdopted)
    }

    /// Takes an entry of a detached directory out of it, for the row that it has.
    private func take(
        _ row: LocalItem, _ status: FileStatus, at folder: Descriptor, _ name: Name
    ) throws(DocFSError) {
        guard row.isFile else { return try Posix.unlink(at: folder.number, name.bytes) }
        // In this order: once it has left, a restart does not look at it again.
        if !row.isLinked { try setMode(0o600, of: status, at: folder, name) }
        do throws(DocFSError) {
            try contents.clear(row.ino, .local)
            try Posix.rename(
                at: folder.number, name.bytes, to: hidden.contents.number,
                Self.hiddenName(of: row))
        } catch {
            // As it was, for who finds it next.
            if !row.isLinked { try? setMode(row.mode & 0o7777, of: status, at: folder, name) }
            throw error
        }
        contents.movedIn()
    }

    /// Changes the mode of the very file that was looked at: others who may write in the directory
    /// may put a link there.
    private func setMode(
        _ mode: UInt32, of status: FileStatus, at folder: Descriptor, _ name: Name
    ) throws(DocFSError) {
        let file = try Posix.reach(at: folder.number, name.bytes)
        let now = try Posix.status(of: file.number)
        guard now.inode == status.inode, now.device == status.device else { throw .stale }
        try Posix.setMode(reached: file, mode)
    }

    /// The row of an entry of a detached directory, made unless a process that was killed has.
    private func adopt(
        _ fresh: LocalItem, named name: Name, into ino: Int64, from folder: Descriptor,
        _ file: UInt64
    ) throws(DocFSError) -> LocalItem {
        let place = try DiskPlace(of: Posix.status(of: folder.number), name: name)
        return try catalog.write { (write) throws(DocFSError) in
            if var known = try write.read.child(name, of: ino) {
                guard known.isFile, !known.isLinked, try isImporting(known) else { return known }
                (known.size, known.modified) = (fresh.size, fresh.modified)
                (known.isUnflushed, known.error) = (true, nil)
                try write.update(known)
                return known
            }
            guard var parent = try write.read.local(ino) else { throw .stale }
            var row = fresh
            row.parent = ino
            row.isExcluded = row.isExcluded || parent.isExcluded
            row.ino = try write.insert(row)
            try noteEntering(row, from: place, file, write)
            if row.isDirectory {
                parent.links += 1
                try write.update(parent)
            }
            return row
        }
    }

    /// Whether a row waits for its file: it was made for that, perhaps by a process that was
    /// killed.
    func isImporting(_ row: LocalItem) throws(DocFSError) -> Bool {
        guard row.place == .local, row.divergence == .written else { return false }
        return try !contents.hasFile(row)
    }
}
