/// From a cloud scope to `Local/`, and what can be done to a document on its way.
extension Transfers {
    /// Answers rename(2) from a directory of `scope` into one of `Local/`.
    func moveOut(_ move: Move, from scope: CloudScope) throws(DocFSError) {
        if move.mode == .exchange {
            let mirrored = Move(
                name: move.newName, parent: move.newParent, newName: move.name,
                newParent: move.parent, mode: .exchange, caller: move.caller)
            return try moveIn(mirrored, to: scope)
        }
        let folder = try local.descriptor(of: move.newParent)
        let place = try diskPlace(move.newName, in: move.newParent)
        let row = try source(of: move)
        // Asked first: it may make room for another program's file, which is not what is replaced.
        let other = try incoming(move.newName, in: move.newParent)
        var replaced = try refuse(row, move, folder)
        try reserve(row, on: folder)
        if let other {
            if move.mode == .noReplace { throw .exists }
            let isRemoved = try removeIncoming(
                move.newName, in: move.newParent, isDirectory: other.isDirectory)
            // What another program has put there meanwhile is not what the user has replaced, and
            // what has just arrived is.
            replaced = isRemoved ? nil : try refuse(row, move, folder)
        }
        let accepted = replaced
        try catalog.write { (write) throws(DocFSError) in
            let parent = try scope.directory(move.parent, in: write.read)
            guard let row = try write.read.child(move.name, of: parent.ino) else {
                throw .notFound
            }
            try depart(row, from: parent, to: place, replacing: accepted, scope, write)
        }
        CrashPoint.reached(.departureNoted)
        if let accepted { dropOpen(accepted, place, row, folder) }
        arrivals.keep(folder, at: place)
        try arrivals.whileNoneLands { () throws(DocFSError) in touch(move.newParent) }
        lookAgain()
    }

    /// Takes away what a rename has replaced where it is open for writing through the mount.
    ///
    /// Who has it open may write on into it, which is no other program's new file: nothing of it is
    /// to be seen under the name again.
    private func dropOpen(
        _ replaced: ReplacedFile, _ place: DiskPlace, _ row: LocalItem, _ folder: Descriptor
    ) {
        let number = local.table.number(
            of: LocalIdentity(device: place.device, inode: replaced.inode))
        guard
            local.openFiles(of: number).contains(where: \.isWritable)
                || local.isWrittenUnseen(number)
        else { return }
        do throws(DocFSError) {
            // A power cut leaves one of both.
            if row.isFile, row.unsynced != .none { try contents.bringToDisk(row.ino) }
            try arrivals.whileNoneLands { () throws(DocFSError) in
                try catalog.makeDurable()
                try removeReplaced(
                    by: IncomingEntry(place: place, ino: row.ino, replaced: replaced), folder)
            }
        } catch {
            // The arrival finds it as it is, and keeps it if it was written.
        }
    }

    private func source(of move: Move) throws(DocFSError) -> LocalItem {
        let row = try catalog.read { (read) throws(DocFSError) -> LocalItem? in
            // The directory has arrived in `Local/` itself: the kernel looks again.
            guard try read.local(move.parent.row) != nil else { throw .stale }
            return try read.child(move.name, of: move.parent.row)
        }
        guard let row else { throw .notFound }
        return row
    }

    /// Refuses what rename(2) onto the name on disk would refuse.
    ///
    /// - Returns: what the disk has there, which the rename replaces.
    private func refuse(_ row: LocalItem, _ move: Move, _ folder: Descriptor)
        throws(DocFSError) -> ReplacedFile?
    {
        if move.newParent == local.root, move.newName == HiddenFolder.name { throw .notPermitted }
        guard move.newName.isValid else { throw .nameTooLong }
        guard let other = try Posix.statusIfPresent(at: folder.number, move.newName.bytes) else {
            return nil
        }
        if move.mode == .noReplace { throw .exists }
        switch (row.isDirectory, other.isDirectory) {
        case (true, false): throw .notDirectory
        case (false, true): throw .isDirectory
        case (true, true):
            // Asked first: what lands meanwhile is on the disk.
            if try isAwaited(below: other) { throw .notEmpty }
            let directory = try Posix.open(
                at: folder.number, move.newName.bytes, flags: Posix.directoryFlags)
            if try !DirectoryStream.names(at: directory.number).isEmpty { throw .notEmpty }
        case (false, false): break
        }
        return ReplacedFile(other)
    }

    /// Whether anything is on its way into a directory of the disk.
    private func isAwaited(below directory: FileStatus) throws(DocFSError) -> Bool {
        guard hasIncoming else { return false }
        return try catalog.read { (read) throws(DocFSError) in
            try !read.incoming(device: directory.device, inode: directory.inode).isEmpty
        }
    }

    /// Refuses what rename(2) within `Local/` refuses and its disk does not: a directory that
    /// something is on its way into is not empty.
    func refuseAwaited(_ move: Move) throws(DocFSError) {
        guard hasIncoming, move.mode == .replace,
            let other = try status(move.newName, in: move.newParent), other.isDirectory,
            let row = try status(move.name, in: move.parent), row.isDirectory,
            (row.device, row.inode) != (other.device, other.inode)
        else { return }
        if try isAwaited(below: other) { throw .notEmpty }
    }

    private func status(_ name: Name, in parent: FileNumber) throws(DocFSError) -> FileStatus? {
        try Posix.statusIfPresent(at: local.descriptor(of: parent).number, name.bytes)
    }

    /// Refuses a document that the disk has no room for, or of which it cannot keep all (S24).
    func reserve(_ row: LocalItem, on directory: Descriptor) throws(DocFSError) {
        try checkAttributes(of: row)
        guard row.isFile, row.state != .current else { return }
        guard row.size <= (try Posix.space(of: directory.number).free) else { throw .diskFull }
    }

    /// Takes the row out of its cloud directory and shows it in the directory on disk.
    func depart(
        _ row: LocalItem, from parent: LocalItem, to place: DiskPlace,
        replacing replaced: ReplacedFile? = nil, _ scope: CloudScope, _ write: CatalogWriter
    ) throws(DocFSError) {
        let now = clock.wallTime()
        try scope.touch(parent, links: row.isDirectory ? -1 : 0, now, write)
        try depart(row, to: place, replacing: replaced, write)
    }

    /// As ``depart(_:from:to:replacing:_:_:)`` for a row whose directory goes too.
    ///
    /// - Parameter replaced: what the disk has under the name, if that is to go.
    func depart(
        _ row: LocalItem, to place: DiskPlace, replacing replaced: ReplacedFile? = nil,
        _ write: CatalogWriter
    ) throws(DocFSError) {
        try noteLeaving(row, as: place.name, write)
        var row = row
        row.parent = nil
        row.name = place.name
        row.changed = clock.wallTime()
        row.isDeparting = true
        // For regular files unused until the arrival notes the file's inode here.
        row.device = row.isFile ? 0 : row.device
        try write.update(row)
        try write.markEdited(row)
        try write.addIncoming(IncomingEntry(place: place, ino: row.ino, replaced: replaced))
    }

    // MARK: On the way

    /// unlink(2) and rmdir(2) of an incoming name: a delete like any other.
    ///
    /// - Returns: whether there was such a name.
    func removeIncoming(_ name: Name, in parent: FileNumber, isDirectory: Bool)
        throws(DocFSError) -> Bool
    {
        guard let seen = try incoming(name, in: parent) else { return false }
        return try arrivals.whileNoneLands { () throws(DocFSError) in
            // It may have arrived since, or have made room for another program's file.
            var row = try incoming(name, in: parent)
            if row == nil { row = try stillDeparting(seen) }
            guard let row else { return false }
            try remove(row, in: parent, isDirectory: isDirectory)
            touch(parent)
            return true
        }
    }

    private func stillDeparting(_ seen: LocalItem) throws(DocFSError) -> LocalItem? {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(seen.ino) }
        return row?.isDeparting == true ? row : nil
    }

    private func remove(_ row: LocalItem, in parent: FileNumber, isDirectory: Bool)
        throws(DocFSError)
    {
        if isDirectory != row.isDirectory { throw isDirectory ? .notDirectory : .isDirectory }
        let entry = try catalog.write { (write) throws(DocFSError) in
            let entry = try write.read.incoming(ino: row.ino)
            guard var row = try write.read.local(row.ino), row.isDeparting else { throw .stale }
            if row.isDirectory, try write.read.hasChildren(row.ino) { throw .notEmpty }
            // As long as it is known to be on its way: afterwards nothing reaches it.
            try write.markEdited(row)
            row.isDeparting = false
            row.links = 0
            try write.update(row)
            try write.removeIncoming(ino: row.ino)
            return entry
        }
        contents.unlinked(row.ino)
        if let entry { try removeReplaced(by: entry, local.descriptor(of: parent)) }
    }

    /// rename(2) within `Local/` where incoming names are concerned.
    ///
    /// - Returns: whether the rename is done.
    func renameIncoming(_ move: Move) throws(DocFSError) -> Bool {
        let row = try incoming(move.name, in: move.parent)
        let other = try incoming(move.newName, in: move.newParent)
        guard row != nil || other != nil else { return false }
        if row?.ino == other?.ino { return true }
        if other != nil, move.mode == .noReplace { throw .exists }
        if move.mode == .exchange { throw .busy }
        if let other {
            _ = try removeIncoming(
                move.newName, in: move.newParent, isDirectory: other.isDirectory)
        }
        guard let row else {
            // The user has replaced what was on its way, and not what another program has put
            // there.
            try moveOthersAside(move.newName, local.descriptor(of: move.newParent))
            return false
        }
        let folder = try local.descriptor(of: move.newParent)
        let replaced = other == nil ? try refuse(row, move, folder) : nil
        let place = try diskPlace(move.newName, in: move.newParent)
        let now = clock.wallTime()
        let former = try catalog.read { (read) throws(DocFSError) in
            try read.incoming(ino: row.ino)
        }
        let isRenamed = try arrivals.whileNoneLands { () throws(DocFSError) in
            try catalog.write { (write) throws(DocFSError) in
                // It may have arrived since.
                guard var row = try write.read.local(row.ino), row.isDeparting else {
                    return false
                }
                try write.removeIncoming(ino: row.ino)
                try noteNewName(move.newName, of: row.ino, write)
                row.name = move.newName
                row.changed = now
                try write.update(row)
                try write.addIncoming(
                    IncomingEntry(place: place, ino: row.ino, replaced: replaced))
                return true
            }
        }
        guard isRenamed else { return false }
        if let former { try removeReplaced(by: former, local.descriptor(of: move.parent)) }
        if let replaced { dropOpen(replaced, place, row, folder) }
        arrivals.keep(folder, at: place)
        try arrivals.whileNoneLands { () throws(DocFSError) in
            for directory in Set([move.parent, move.newParent]) { touch(directory) }
        }
        lookAgain()
        return true
    }

    /// An incoming document moves on into a cloud scope before it has arrived.
    ///
    /// - Returns: whether there was such a name.
    func bringBack(_ move: Move, to scope: CloudScope) throws(DocFSError) -> Bool {
        guard hasIncoming else { return false }
        return try arrivals.whileNoneLands { () throws(DocFSError) in
            guard let row = try incoming(move.name, in: move.parent) else { return false }
            if move.mode == .exchange { throw .busy }
            let entry = try catalog.read { (read) throws(DocFSError) in
                try read.incoming(ino: row.ino)
            }
            let replaced = try takeBack(row, move, to: scope)
            if let entry { try removeReplaced(by: entry, local.descriptor(of: move.parent)) }
            if let replaced { contents.unlinked(replaced) }
            touch(move.parent)
            return true
        }
    }

    /// What is still on its way into a directory that moves into a cloud scope goes with it (S25).
    ///
    /// - Parameters:
    ///   - ino: the directory's row.
    ///   - folder: the directory on disk, where nobody else finds it.
    func takeAlong(into ino: Int64, _ folder: Descriptor, _ scope: CloudScope) throws(DocFSError) {
        guard hasIncoming else { return }
        let place = try Posix.status(of: folder.number)
        try arrivals.whileNoneLands { () throws(DocFSError) in
            let arriving = try catalog.read { (read) throws(DocFSError) in
                try read.incoming(device: place.device, inode: place.inode)
            }
            for (_, row) in arriving {
                let entry = try catalog.read { (read) throws(DocFSError) in
                    try read.incoming(ino: row)
                }
                if let entry { try takeAlong(entry, into: ino, folder, scope) }
            }
        }
    }

    private func takeAlong(
        _ entry: IncomingEntry, into ino: Int64, _ folder: Descriptor, _ scope: CloudScope
    ) throws(DocFSError) {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(entry.ino) }
        // A crash came between the disk and the catalog.
        if let row, try isPlaced(row, entry, folder) {
            try describePlaced(row, entry, folder)
            return try finish(row, entry)
        }
        try removeReplaced(by: entry, folder)
        try catalog.write { (write) throws(DocFSError) in
            try write.removeIncoming(ino: entry.ino)
            guard var row = try write.read.local(entry.ino), row.isDeparting,
                var parent = try write.read.local(ino)
            else { return }
            row.isDeparting = false
            row.error = nil
            if row.scope != scope.id { try handOver(&row, to: scope, as: entry.place.name, write) }
            row.parent = ino
            row.name = entry.place.name
            row.isExcluded = row.isExcluded || parent.isExcluded
            try write.update(row)
            try write.markEdited(row)
            try noteEntry(of: row, write)
            guard row.isDirectory else { return }
            parent.links += 1
            try write.update(parent)
        }
    }

    /// - Returns: the row that was replaced.
    private func takeBack(_ row: LocalItem, _ move: Move, to scope: CloudScope)
        throws(DocFSError) -> Int64?
    {
        let origin = try scope.origin(
            ofSaveAs: move.newName, in: move.newParent, by: move.caller, saved: row.ino)
        let now = clock.wallTime()
        return try catalog.write { (write) throws(DocFSError) -> Int64? in
            guard var row = try write.read.local(row.ino), row.isDeparting else { throw .stale }
            let parent = try scope.directory(move.newParent, in: write.read)
            let other = try write.read.child(move.newName, of: parent.ino)
            try refuse(row, over: other, move, write.read)
            row.isDeparting = false
            if row.scope != scope.id { try handOver(&row, to: scope, as: move.newName, write) }
            var rename = CloudRename(
                scope: scope, transaction: write, now: now, from: parent, to: parent,
                origin: origin)
            if let other {
                try rename.replace(other, by: row, as: move.newName)
            } else {
                try rename.move(row, as: move.newName)
            }
            if row.isDirectory { try scope.touch(parent, links: 1, now, write) }
            try write.removeIncoming(ino: row.ino)
            try noteEntry(of: row, write)
            return other?.ino
        }
    }
}
