internal import Glibc

/// From `Local/` into a cloud scope.
extension Transfers {
    /// Answers rename(2) from a directory of `Local/` into one of `scope`.
    func moveIn(_ move: Move, to scope: CloudScope) throws(DocFSError) {
        try scope.check(move.newName, in: move.newParent)
        if try bringBack(move, to: scope) { return }
        let status = try local.status(of: move.name, in: move.parent)
        try refuseOthers(status, move)
        let exchange = move.mode == .exchange ? try diskPlace(move.name, in: move.parent) : nil
        let row = try makeRow(status, move, scope, exchange)
        // The other names of the file keep its number, and who has it open keeps it.
        let isShared = Self.hasOtherNames(status)
        // Before the file goes where only the row tells of it: a power cut may keep that alone.
        do throws(DocFSError) {
            try catalog.makeDurable()
        } catch {
            try drop(row)
            throw error
        }
        CrashPoint.reached(.importNoted)
        let below = status.isDirectory ? Set(numbersBelow(status)) : []
        try detach(row, move)
        CrashPoint.reached(.importDetached)
        var all = [(isShared ? nil : local.number(of: status), row.ino)]
        var directories: [UInt64: Int64] = [status.inode: row.ino]
        do throws(DocFSError) {
            if row.isDirectory { all += try adoptTree(row, scope, &directories) }
            try settle(
                row, as: move.newName, in: move.newParent, exchange, scope, caller: move.caller)
        } catch {
            try putBack(row, move)
            throw error
        }
        for case (let number?, let ino) in all where ino == row.ino || below.contains(number) {
            rehome(number, to: ino)
        }
        if isShared { invalidator.entryChanged(in: move.newParent, move.newName) }
        guard row.isDirectory else { return contents.settleImported([row.ino]) }
        let imported = all.map(\.1)
        lateWorkers.submit { [contents] in contents.settleImported(imported) }
        takeOverLater(row.ino, directories, scope)
    }

    /// Refuses what cannot be taken over whole, before anything has happened: the mode of a file is
    /// its owner's to change, and what may not be read cannot be sent.
    private func refuseOthers(_ status: FileStatus, _ move: Move) throws(DocFSError) {
        guard user != 0 else { return }
        guard status.isDirectory else { return try refuseOthers(status) }
        let parent = try local.descriptor(of: move.parent)
        let tree = try LateTree(at: parent, move.name.bytes, atMost: .max)
        if let failure = tree.failure { throw failure }
        // One's own is made writable once it has moved.
        for index in tree.directories.indices where tree.directories[index].status.owner != user {
            try Posix.checkWritable(tree.open(index).number)
        }
        for file in tree.files { try refuseOthers(file.status) }
    }

    private func refuseOthers(_ status: FileStatus) throws(DocFSError) {
        guard status.isRegularFile, !Self.hasOtherNames(status) else { return }
        if status.owner != user { throw .notPermitted }
        if status.mode & 0o400 == 0 { throw .accessDenied }
    }

    private func numbersBelow(_ status: FileStatus) -> [FileNumber] {
        local.numbersInMemory(below: local.number(of: status))
    }

    /// The row for what moves, without a name yet, and the intent that a restart finds.
    private func makeRow(
        _ status: FileStatus, _ move: Move, _ scope: CloudScope, _ exchange: DiskPlace?
    ) throws(DocFSError) -> LocalItem {
        let directory = try local.descriptor(of: move.parent)
        var row = try row(of: status, named: move.newName, in: directory.number, move.name, scope)
        return try catalog.write { (write) throws(DocFSError) in
            let parent = try scope.directory(move.newParent, in: write.read)
            try refuse(row, over: write.read.child(move.newName, of: parent.ino), move, write.read)
            row.ino = try write.insert(row)
            try write.addImport(
                ImportEntry(
                    ino: row.ino, parent: parent.ino, name: move.newName,
                    hidden: Self.hiddenName(of: row), exchange: exchange))
            return row
        }
    }

    static func hiddenName(_ ino: Int64) -> [UInt8] { Array(String(ino).utf8) }

    /// What a file or directory is called in ``folder(of:)``.
    static func hiddenName(of row: LocalItem) -> [UInt8] {
        guard row.isLinked, let item = row.sourceItem else { return hiddenName(row.ino) }
        return LinkedFiles.name(for: item)
    }

    /// Whether something on disk stays what it is when one of its names moves away.
    static func hasOtherNames(_ status: FileStatus) -> Bool {
        !status.isDirectory && status.links > 1
    }

    /// Refuses before anything has happened what rename(2) would refuse.
    func refuse(
        _ row: LocalItem, over other: LocalItem?, _ move: Move, _ read: CatalogReader
    ) throws(DocFSError) {
        guard let other else {
            if move.mode == .exchange { throw .notFound }
            return
        }
        switch move.mode {
        case .noReplace: throw .exists
        case .exchange: return
        case .replace: break
        }
        if row.isDirectory {
            guard other.isDirectory else { throw .notDirectory }
            if try read.hasChildren(other.ino) { throw .notEmpty }
        } else if other.isDirectory {
            throw .isDirectory
        }
    }

    /// A row that shows a file on disk as it is.
    func row(
        of status: FileStatus, named newName: Name, in directory: Int32, _ name: Name,
        _ scope: CloudScope
    ) throws(DocFSError) -> LocalItem {
        var row = LocalItem(
            scope: scope.id, item: scope.newItem(), parent: nil, name: newName,
            mode: CloudScope.kept(status.mode), owner: status.owner, group: status.group,
            modified: status.modified, changed: clock.wallTime())
        row.isExcluded = row.kind == nil || scope.scratch.matches(newName)
        row.divergence = .written
        if row.isDirectory {
            row.links = 2
            row.divergence = .none
        } else if row.isSymlink {
            let target = try Posix.readLink(at: directory, name.bytes)
            row.target = target
            row.size = UInt64(target.count)
        } else if row.isFile {
            row.size = status.size
            row.place = .local
        } else {
            row.device = status.deviceNode
        }
        if row.isFile || row.isDirectory {
            let file = try Posix.open(
                at: directory, name.bytes, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            row.attributes = try Self.attributes(of: file)
            // What is written to the row from now on is an edit of what the disk has.
            if row.isFile, Self.hasOtherNames(status) {
                row.fillFromLinked()
            } else if row.isFile {
                try Posix.syncData(file.number)
                // Who writes into it may do so until it has moved, and go on then: until that is
                // known the file alone tells.
                let synced = try Posix.status(of: file.number)
                (row.size, row.modified) = (synced.size, synced.modified)
                row.isUnflushed = true
            }
        }
        return row
    }

    /// The user's own extended attributes of a file on disk.
    private static func attributes(of file: Descriptor) throws(DocFSError) -> [ExtendedAttribute] {
        let names: [String]
        do {
            names = try Posix.attributeNames(of: file.number)
        } catch .notOffered {
            return []
        }
        var attributes: [ExtendedAttribute] = []
        for name in names where name.hasPrefix("user.") && !name.hasPrefix("user.docfs.") {
            if let value = try Posix.attribute(name, of: file.number) {
                attributes.append(ExtendedAttribute(name: name, value: value))
            }
        }
        return attributes.sorted()
    }

    private func detach(_ row: LocalItem, _ move: Move) throws(DocFSError) {
        do throws(DocFSError) {
            if row.isFile { try contents.clear(row.ino, .local) }
            try local.detach(
                move.name, in: move.parent, into: folder(of: row).number,
                as: Self.hiddenName(of: row))
        } catch {
            try drop(row)
            throw error
        }
        if row.isFile { contents.movedIn() }
        do throws(DocFSError) {
            try takeMode(of: row)
        } catch {
            // Without its row, the next start would take it for nobody's.
            try putBack(row, move)
            throw error
        }
    }

    /// A content file is reached by its row's mode, not by its own.
    func takeMode(of row: LocalItem) throws(DocFSError) {
        guard row.isFile, !row.isLinked else { return }
        try Posix.setMode(at: hidden.contents.number, Self.hiddenName(row.ino), 0o600)
    }

    /// The reverse of ``takeMode(of:)``.
    func returnMode(of row: LocalItem) throws(DocFSError) {
        guard row.isFile, !row.isLinked else { return }
        do throws(DocFSError) {
            try Posix.setMode(
                at: hidden.contents.number, Self.hiddenName(row.ino), row.mode & 0o7777)
        } catch .notPermitted {
            // Somebody else's, who let nobody take it.
        }
    }

    /// Nothing has moved, and nothing will.
    func drop(_ row: LocalItem) throws(DocFSError) {
        try catalog.write { (write) throws(DocFSError) in
            try write.removeImport(ino: row.ino)
            try write.delete(row.ino)
        }
    }

    /// Where what moves lies until its row has a name.
    func folder(of row: LocalItem) -> Descriptor {
        row.isFile ? hidden.contents : hidden.moving
    }

    private func putBack(_ row: LocalItem, _ move: Move) throws(DocFSError) {
        // A directory that was adopted in part stays what it is: the restart finishes it.
        guard !row.isDirectory else { return }
        try returnMode(of: row)
        _ = try local.attach(
            from: folder(of: row).number, Self.hiddenName(of: row), as: move.name,
            in: move.parent, mode: .noReplace)
        try drop(row)
    }

    /// Makes rows for everything below a directory that was detached, and contents of its files.
    ///
    /// Done again after a crash, it goes on where it stopped. The directories themselves stay,
    /// empty, until nobody works in them any more; by the uppermost a restart knows that it was
    /// detached.
    ///
    /// - Returns: the rows of what was found, with the numbers that they had, unless a file keeps
    ///   it for its other names.
    func adoptTree(
        _ root: LocalItem, _ scope: CloudScope, _ directories: inout [UInt64: Int64]
    ) throws(DocFSError) -> [(FileNumber?, Int64)] {
        var found: [(FileNumber?, Int64)] = []
        try adopt(
            root.ino, at: hidden.moving.number, Self.hiddenName(root.ino), scope, &found,
            &directories)
        return found
    }

    private func adopt(
        _ ino: Int64, at directory: Int32, _ name: [UInt8], _ scope: CloudScope,
        _ found: inout [(FileNumber?, Int64)], _ directories: inout [UInt64: Int64]
    ) throws(DocFSError) {
        let folder = try Posix.open(at: directory, name, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        try takeAlong(into: ino, folder, scope)
        for child in try DirectoryStream.names(at: folder.number) {
            do throws(DocFSError) {
                try adopt(child, of: folder, into: ino, scope, &found, &directories)
            } catch where Self.isOthers(error) {
                // It stays where it is, which ``takeOverLater(_:_:_:)`` tells of.
            }
        }
    }

    /// Whether something failed because it belongs to somebody else, who lets nobody take it.
    ///
    /// What a move finds so is refused at once; this is for what comes in between, and what is
    /// found after a restart.
    static func isOthers(_ error: DocFSError) -> Bool {
        error == .notPermitted || error == .accessDenied
    }

    private func adopt(
        _ name: Name, of folder: Descriptor, into ino: Int64, _ scope: CloudScope,
        _ found: inout [(FileNumber?, Int64)], _ directories: inout [UInt64: Int64]
    ) throws(DocFSError) {
        let status = try Posix.status(at: folder.number, name.bytes)
        let fresh = try row(of: status, named: name, in: folder.number, name, scope)
        let row = try adopt(fresh, named: name, into: ino)
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
                let mode = status.permissions | 0o700
                try Posix.setMode(at: folder.number, name.bytes, mode)
            }
            try adopt(row.ino, at: folder.number, name.bytes, scope, &found, &directories)
        } else {
            do throws(DocFSError) {
                try take(row, at: folder, name)
            } catch where Self.isOthers(error) {
                try catalog.write { (write) throws(DocFSError) in try write.delete(row.ino) }
                // Where the directory alone was the obstacle, the file is as it was again.
                if row.isFile, !row.isLinked {
                    try? Posix.setMode(at: folder.number, name.bytes, row.mode & 0o7777)
                }
                throw error
            }
            found.append((number, row.ino))
        }
        CrashPoint.reached(.importAdopted)
    }

    /// Takes an entry of a detached directory out of it, for the row that it has.
    private func take(_ row: LocalItem, at folder: Descriptor, _ name: Name) throws(DocFSError) {
        guard row.isFile else { return try Posix.unlink(at: folder.number, name.bytes) }
        // In this order: once it has left, a restart does not look at it again.
        if !row.isLinked { try Posix.setMode(at: folder.number, name.bytes, 0o600) }
        try contents.clear(row.ino, .local)
        try Posix.rename(
            at: folder.number, name.bytes, to: hidden.contents.number, Self.hiddenName(of: row))
        contents.movedIn()
    }

    /// The row of an entry of a detached directory, made unless a process that was killed has.
    private func adopt(_ fresh: LocalItem, named name: Name, into ino: Int64)
        throws(DocFSError) -> LocalItem
    {
        try catalog.write { (write) throws(DocFSError) in
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
            if row.isDirectory {
                parent.links += 1
                try write.update(parent)
            }
            return row
        }
    }

    /// Whether a row waits for its file: it was made for that, perhaps by a process that was
    /// killed.
    private func isImporting(_ row: LocalItem) throws(DocFSError) -> Bool {
        guard row.place == .local, row.divergence == .written else { return false }
        return try !contents.hasFile(row)
    }

    /// Gives the row its name: from here on the document is in the cloud scope.
    ///
    /// What has the name goes to `exchange`, or is replaced.
    func settle(
        _ row: LocalItem, as name: Name, in parent: FileNumber, _ exchange: DiskPlace?,
        _ scope: CloudScope, caller: Caller
    ) throws(DocFSError) {
        let now = clock.wallTime()
        let replaced = try catalog.write { (write) throws(DocFSError) -> Int64? in
            guard let row = try write.read.local(row.ino) else { throw .stale }
            let parent = try scope.directory(parent, in: write.read)
            var rename = CloudRename(
                scope: scope, transaction: write, now: now, from: parent, to: parent,
                caller: caller)
            let other = try write.read.child(name, of: parent.ino)
            if let other, let exchange {
                try depart(other, from: parent, to: exchange, scope, write)
                try rename.move(row, as: name)
            } else if let other {
                try rename.replace(other, by: row, as: name)
            } else {
                try rename.move(row, as: name)
            }
            if row.isDirectory { try scope.touch(parent, links: 1, now, write) }
            try markBelow(row, write)
            try write.removeImport(ino: row.ino)
            return exchange == nil ? other?.ino : nil
        }
        CrashPoint.reached(.importNamed)
        contents.labelTree(row.ino)
        if let replaced { contents.unlinked(replaced) }
        if !row.isDirectory { clearHidden(Self.hiddenName(row.ino)) }
        if exchange != nil { lookAgain() }
    }

    /// Removes what is left of something that moved and was neither file nor directory.
    func clearHidden(_ name: [UInt8]) {
        // Of a file there is none here, a directory stays, and what fails the next start tries.
        try? Posix.unlink(at: hidden.moving.number, name)
    }

    private func markBelow(_ row: LocalItem, _ write: CatalogWriter) throws(DocFSError) {
        guard row.isDirectory else { return }
        for child in try write.read.children(of: row.ino) {
            try write.markEdited(child)
            try markBelow(child, write)
        }
    }

    /// The kernel and the open handles go on with the row.
    private func rehome(_ number: FileNumber, to ino: Int64) {
        for file in local.openFiles(of: number) {
            // A handle that stays behind still reaches the file: what is written through it is
            // followed, like what programs outside write (``Contents/settleImported(_:)``).
            guard let (content, _) = try? contents.open(ino, forWriting: file.isWritable) else {
                continue
            }
            local.release(file, from: number)
            file.move(to: FileNumber(row: ino), descriptor: nil, content: content)
            handles.add(file)
        }
        let isWrittenUnseen = local.isWrittenUnseen(number)
        if isWrittenUnseen { holdWriter(of: ino) }
        invalidator.renumbered(number, to: FileNumber(row: ino))
        // The kernel's reference goes on under the new number.
        contents.retain(ino)
        local.forget(number)
        if isWrittenUnseen { contents.askToForget(ino) }
    }

    /// The kernel may go on writing by itself into what moved in.
    private func holdWriter(of ino: Int64) {
        // Else it is followed like a program outside, by ``Contents/settleImported(_:)``.
        guard let (content, row) = try? contents.open(ino, forWriting: true) else { return }
        defer { contents.close(content, forWriting: true) }
        try? contents.hold(content, shown: row)
    }
}
