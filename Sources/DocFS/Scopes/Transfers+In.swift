internal import Glibc

/// From `Local/` into a cloud scope.
extension Transfers {
    /// Answers rename(2) from a directory of `Local/` into one of `scope`.
    func moveIn(_ move: Move, to scope: CloudScope) throws(DocFSError) {
        try scope.check(move.newName, in: move.newParent)
        if try bringBack(move, to: scope) { return }
        let status = try local.status(of: move.name, in: move.parent)
        try checkWhetherTakeable(status, move)
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
        if catalog.bulletin.isWatched { crossings.noteDeparture(LocalIdentity(status)) }
        try detach(row, move, scope)
        CrashPoint.reached(.importDetached)
        var all = [(isShared ? nil : local.number(of: status), row.ino)]
        var directories: [UInt64: Int64] = [status.inode: row.ino]
        if row.isDirectory { all += adoptTree(row, scope, &directories) }
        let failure = try settle(row, move, exchange, scope)
        for case (let number?, let ino) in all where ino == row.ino || below.contains(number) {
            rehome(number, to: ino)
        }
        if isShared { invalidator.entryChanged(in: move.newParent, move.newName) }
        guard row.isDirectory else { return contents.settleImported([row.ino]) }
        let imported = all.map(\.1)
        lateWorkers.submit { [contents] in contents.settleImported(imported) }
        takeOverLater(row.ino, directories, scope)
        if let failure { throw failure }
    }

    /// Gives what has moved its name, or has it back where it can be found.
    ///
    /// - Returns: why a directory, which is in the scope, has not the name that was asked for.
    /// - Throws: why it is not in the scope.
    private func settle(
        _ row: LocalItem, _ move: Move, _ exchange: DiskPlace?, _ scope: CloudScope
    ) throws(DocFSError) -> DocFSError? {
        do throws(DocFSError) {
            try settle(
                row, as: move.newName, in: move.newParent, exchange, scope, caller: move.caller)
            return nil
        } catch {
            do throws(DocFSError) {
                try putBack(row, move, scope)
            } catch {
                // The disk is full: as after a restart, once there is room.
                if row.isDirectory { resumeLater(row.ino, scope) }
                throw error
            }
            guard row.isDirectory else { throw error }
            return error
        }
    }

    private func numbersBelow(_ status: FileStatus) -> [FileNumber] {
        local.numbersInMemory(below: local.number(of: status))
    }

    /// The row for what moves, without a name yet, and the intent that a restart finds.
    private func makeRow(
        _ status: FileStatus, _ move: Move, _ scope: CloudScope, _ exchange: DiskPlace?
    ) throws(DocFSError) -> LocalItem {
        let directory = try local.descriptor(of: move.parent)
        let place = try diskPlace(move.name, in: move.parent)
        var row = try row(of: status, named: move.newName, in: directory.number, move.name, scope)
        return try catalog.write { (write) throws(DocFSError) in
            let parent = try scope.directory(move.newParent, in: write.read)
            try refuse(row, over: write.read.child(move.newName, of: parent.ino), move, write.read)
            row.ino = try write.insert(row)
            try noteEntering(row, from: place, status.inode, write)
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
    static func attributes(of file: Descriptor) throws(DocFSError) -> [ExtendedAttribute] {
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

    private func detach(_ row: LocalItem, _ move: Move, _ scope: CloudScope)
        throws(DocFSError)
    {
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
            try putBack(row, move, scope)
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
            try write.releaseConflictMember(ino: row.ino)
            try write.delete(row.ino)
        }
    }

    /// Where what moves lies until its row has a name.
    func folder(of row: LocalItem) -> Descriptor {
        row.isFile ? hidden.contents : hidden.moving
    }

    private func putBack(_ row: LocalItem, _ move: Move, _ scope: CloudScope)
        throws(DocFSError)
    {
        // What is in a directory has left it already: it comes beside the place that is taken.
        if row.isDirectory {
            invalidator.entryChanged(in: move.parent, move.name)
            return try settleBeside(row, scope, caller: move.caller)
        }
        try returnMode(of: row)
        do throws(DocFSError) {
            _ = try local.attach(
                from: folder(of: row).number, Self.hiddenName(of: row), as: move.name,
                in: move.parent, mode: .noReplace)
        } catch .exists {
            return try giveBack(row)
        }
        try drop(row)
    }

    /// Gives the row its name: from here on the document is in the cloud scope.
    ///
    /// What has the name goes to `exchange`, or is replaced.
    func settle(
        _ row: LocalItem, as name: Name, in parent: FileNumber, _ exchange: DiskPlace?,
        _ scope: CloudScope, caller: Caller
    ) throws(DocFSError) {
        let origin = try scope.origin(
            ofSaveAs: name, in: parent, by: caller, saved: row.ino)
        let now = clock.wallTime()
        let replaced = try catalog.write { (write) throws(DocFSError) -> Int64? in
            guard let row = try write.read.local(row.ino) else { throw .stale }
            let parent = try scope.directory(parent, in: write.read)
            var rename = CloudRename(
                scope: scope, transaction: write, now: now, from: parent, to: parent,
                origin: origin)
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
            try noteEntry(of: row, write)
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
            try noteEntry(of: child, write)
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
        // The kernel may have asked for those of the former number just now.
        invalidator.attributesChanged(of: FileNumber(row: ino))
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
