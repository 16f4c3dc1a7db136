internal import Glibc

/// The last steps of an arrival, from the first that the disk shows to the last that the catalog
/// does. Each can be done again (S25).
extension Transfers {
    private static let staged = "out-"

    /// The name of a row's file in the hidden folder before it has one in `Local/`.
    static func stagedName(_ ino: Int64) -> [UInt8] { Array((staged + String(ino)).utf8) }

    /// The row of such a name.
    static func stagedRow(_ name: [UInt8]) -> Int64? {
        guard name.starts(with: staged.utf8) else { return nil }
        return Int64(String(decoding: name.dropFirst(staged.utf8.count), as: UTF8.self))
    }

    /// Notes what the disk is like before it has the name, for who finds it half done.
    ///
    /// - Parameter file: the inode of the file that will have the name.
    /// - Returns: the entry with the directory's time, and the row: nothing is set on it until the
    ///   file has landed.
    /// - Throws: `.stale` when the entry is gone, or elsewhere by now.
    func note(_ entry: IncomingEntry, _ folder: Descriptor, file: UInt64? = nil)
        throws(DocFSError) -> (IncomingEntry, LocalItem)
    {
        let modified = try Posix.status(of: folder.number).modified
        return try catalog.write { (write) throws(DocFSError) in
            guard var known = try write.read.incoming(ino: entry.ino), known.place == entry.place,
                var row = try write.read.local(entry.ino), row.isDeparting
            else { throw .stale }
            known.directoryModified = known.directoryModified ?? modified
            try write.addIncoming(known)
            if let file {
                row.device = file
                try write.update(row)
            }
            return (known, row)
        }
    }

    // MARK: Directories

    /// Makes the directory on disk; what is in it comes after it, each for itself.
    func landDirectory(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError)
    {
        let parent = local.number(of: try Posix.status(of: folder.number))
        let (entry, made) = try whilePermitted(in: folder) { () throws(DocFSError) in
            try removeReplacedDirectory(by: entry, folder)
            let entry = try makeDirectory(entry, folder)
            CrashPoint.reached(.arrivalDirectoryMade)
            let made = try Posix.open(
                at: folder.number, entry.place.name.bytes, flags: Posix.directoryFlags)
            return (entry, made)
        }
        let name = entry.place.name
        noteArrival { () throws(DocFSError) in try Posix.status(of: made.number) }
        let status = try Posix.status(of: made.number)
        var place = DiskPlace(of: status, name: name)
        arrivals.keep(made, at: place)
        // One that another program has made and filled meanwhile is shared with it.
        if try DirectoryStream.names(at: made.number).isEmpty {
            try describe(made, as: row)
        }
        resetTime(of: folder, entry)
        try catalog.write { (write) throws(DocFSError) in
            for child in try write.read.children(of: row.ino) {
                place.name = child.name
                try depart(child, to: place, write)
            }
            try letGo(row, write)
        }
        CrashPoint.reached(.arrivalDirectoryFinished)
        show(row, entry, folder, parent)
    }

    /// Makes a directory, or takes the one that is there; what is no directory keeps its name.
    private func makeDirectory(_ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError) -> IncomingEntry
    {
        var entry = entry
        while true {
            let name = entry.place.name.bytes
            do throws(DocFSError) {
                try Posix.makeDirectory(at: folder.number, name, mode: 0o700)
                return entry
            } catch .exists {
                guard let other = try Posix.statusIfPresent(at: folder.number, name) else {
                    continue
                }
                if other.isDirectory { return entry }
                entry = try moveAside(entry, folder)
            }
        }
    }

    // MARK: Files

    /// Whether the file has its name already, and only the catalog does not know.
    func isPlaced(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError) -> Bool
    {
        guard row.isFile, row.device != 0 else { return false }
        let there = try whilePermitted(in: folder, 0o100) { () throws(DocFSError) in
            try Posix.statusIfPresent(at: folder.number, entry.place.name.bytes)
        }
        return there?.inode == row.device
    }

    /// Gives a file that got its name at an earlier try, which did not come to its end, what was
    /// set on its row since.
    ///
    /// What another program has set on the file since is kept unless that was before.
    func describePlaced(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError)
    {
        try whilePermitted(in: folder, 0o100) { () throws(DocFSError) in
            let reached = try Posix.reach(at: folder.number, entry.place.name.bytes)
            let status = try Posix.status(of: reached.number)
            guard status.inode == row.device, status.changed < row.changed else { return }
            try Posix.setMode(reached: reached, 0o600)
            let file = try Posix.reopen(reached, flags: O_RDONLY | O_NONBLOCK)
            try describe(file, as: row)
            try Posix.sync(file.number)
        }
    }

    /// The file is in its directory: nothing else is needed of its row.
    func finishFile(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError)
    {
        let parent = local.number(of: try Posix.status(of: folder.number))
        try seal(folder, entry)
        show(row, entry, folder, parent)
        try finish(row, entry)
    }

    /// The directory is as it is to stay.
    func seal(_ folder: Descriptor, _ entry: IncomingEntry) throws(DocFSError) {
        resetTime(of: folder, entry)
        try whilePermitted(in: folder, 0o500) { () throws(DocFSError) in
            try Posix.syncDirectory(folder.number)
        }
    }

    func finish(_ row: LocalItem, _ entry: IncomingEntry) throws(DocFSError) {
        try catalog.write { (write) throws(DocFSError) in
            try noteLanding(row, at: entry.place, write)
            try letGo(row, write)
        }
        CrashPoint.reached(.arrivalFinished)
        if row.isFile {
            // Until then a power cut may bring the row back, which then needs its bytes.
            try catalog.makeDurable()
            contents.discard(row)
        }
    }

    /// The row has become a file in `Local/`; its item goes from the store.
    private func letGo(_ row: LocalItem, _ write: CatalogWriter) throws(DocFSError) {
        try write.removeIncoming(ino: row.ino)
        try write.delete(row.ino)
        if try write.read.state(.base, of: row.item, scope: row.scope) != nil {
            try write.addHandover(of: row.item, scope: row.scope, to: nil)
        } else {
            catalog.bulletin.noteMovedOut(row.item)
        }
        try write.markEdited(row)
    }

    // MARK: Links, pipes and sockets

    func landNode(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError)
    {
        let parent = local.number(of: try Posix.status(of: folder.number))
        let entry = try whilePermitted(in: folder) { () throws(DocFSError) in
            let entry = try makeNode(row, entry, folder)
            let name = entry.place.name.bytes
            noteArrival { () throws(DocFSError) in
                try Posix.status(at: folder.number, name)
            }
            CrashPoint.reached(.arrivalNodeMade)
            try whereAllowed { () throws(DocFSError) in
                try Posix.setOwner(at: folder.number, name, user: row.owner, group: row.group)
            }
            try Posix.setTimes(
                at: folder.number, name, accessed: .keep, modified: .set(row.modified))
            return entry
        }
        resetTime(of: folder, entry)
        show(row, entry, folder, parent)
        try finish(row, entry)
    }

    private func makeNode(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError) -> IncomingEntry
    {
        try removeReplaced(by: entry, folder)
        var entry = entry
        while true {
            do throws(DocFSError) {
                try makeNode(row, at: folder.number, entry.place.name.bytes)
                return entry
            } catch .exists {
                if try isMade(row, at: folder.number, entry.place.name.bytes) { return entry }
                entry = try moveAside(entry, folder)
            }
        }
    }

    private func makeNode(_ row: LocalItem, at folder: Int32, _ name: [UInt8]) throws(DocFSError) {
        if let target = row.target {
            try Posix.symlink(target: target, at: folder, name)
        } else {
            try Posix.makeNode(at: folder, name, mode: row.mode, device: row.device)
        }
    }

    /// Whether what is there is the link that arrives: a crash came between the disk and the
    /// catalog.
    ///
    /// Of pipes and sockets nobody has anything to lose.
    private func isMade(_ row: LocalItem, at folder: Int32, _ name: [UInt8]) throws(DocFSError)
        -> Bool
    {
        guard let other = try Posix.statusIfPresent(at: folder, name) else { return false }
        guard let target = row.target else { return other.mode & S_IFMT == row.mode & S_IFMT }
        guard other.isSymlink else { return false }
        return try Posix.readLink(at: folder, name) == target
    }

    // MARK: Helpers

    /// Has `body` work in a directory where its owner may not: one that is read-only has its mode
    /// already when what is in it comes after it.
    ///
    /// Whoever dies meanwhile, for as long as a rename takes, leaves the directory with `bits`.
    ///
    /// - Parameter bits: what the owner has to be allowed; by default to put a name there.
    func whilePermitted<Value>(
        in folder: Descriptor, _ bits: UInt32 = 0o300, _ body: () throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        let status = try Posix.status(of: folder.number)
        guard user != 0, status.owner == user, status.mode & bits != bits else {
            return try body()
        }
        let open = status.permissions | bits
        try Posix.setMode(reached: folder, open)
        defer {
            // Unless somebody has given it another one meanwhile; whose it is may do so again.
            if let now = try? Posix.status(of: folder.number), now.permissions == open {
                try? Posix.setMode(reached: folder, status.permissions)
            }
        }
        return try body()
    }

    private func resetTime(of folder: Descriptor, _ entry: IncomingEntry) {
        guard let modified = entry.directoryModified else { return }
        setTime(of: folder, to: modified)
    }

    /// Gives a file or directory the attributes of its row, whatever a file had from earlier tries.
    func describe(_ file: Descriptor, as row: LocalItem) throws(DocFSError) {
        let number = file.number
        Contents.removeLabel(of: number)
        try whereAllowed { () throws(DocFSError) in
            try Posix.setOwner(of: number, user: row.owner, group: row.group)
        }
        // Its own mode, which it may have already, may refuse attributes.
        try Posix.setMode(of: number, row.isDirectory ? 0o700 : 0o600)
        let former = try Self.attributes(of: file)
        let names = Set(row.attributes.map(\.name))
        for attribute in former where row.isFile && !names.contains(attribute.name) {
            try Posix.removeAttribute(attribute.name, of: number)
        }
        for attribute in row.attributes where !former.contains(attribute) {
            try Posix.setAttribute(attribute.name, attribute.value, of: number)
        }
        try Posix.setMode(of: number, row.mode & 0o7777)
        try Posix.setTimes(of: number, accessed: .keep, modified: .set(row.modified))
    }

    /// Has a file get its owner, who counts on this computer only (S31), unless that is root's to
    /// do (sshfs says EACCES then), or the filesystem has no owners.
    private func whereAllowed(_ setOwner: () throws(DocFSError) -> Void) throws(DocFSError) {
        do throws(DocFSError) {
            try setOwner()
        } catch .notPermitted {
        } catch .accessDenied {
        } catch  where Posix.isUnsupported(error) {}
    }

    /// So much room, in bytes, has a disk that is not full.
    private static let room: UInt64 = 1 << 20

    /// Refuses a row with an attribute that the disk of `Local/` cannot keep (S24).
    ///
    /// Tried on a file of its own, before the document goes from its container.
    ///
    /// - Throws: `.attributeTooLarge`, `.nameTooLong`, or `.notOffered` where it keeps none.
    func checkAttributes(of row: LocalItem) throws(DocFSError) {
        if row.attributes.isEmpty { return }
        let name = Self.stagedName(row.ino) + Array("-attributes".utf8)
        let file = try Posix.open(
            at: hidden.moving.number, name, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        defer { clearHidden(name) }
        for attribute in row.attributes {
            do throws(DocFSError) {
                try Posix.setAttribute(attribute.name, attribute.value, of: file.number)
            } catch .diskFull {
                // ext4 says so of one that is larger than it takes, too.
                let isFull = try Posix.space(of: file.number).free <= Self.room
                throw isFull ? .diskFull : .attributeTooLarge
            } catch .rangeTooSmall {
                throw .nameTooLong
            }
        }
    }

    /// The kernel and the open handles go on with the file on disk.
    ///
    /// - Parameter parent: the number of `folder`.
    private func show(
        _ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor, _ parent: FileNumber
    ) {
        // Another program may have removed it already; and of a directory that the kernel does not
        // know, nobody has anything open. What is written through a handle that stays behind is
        // refused; what was written before is in the file.
        guard let found = try? local.lookup(entry.place.name, in: parent),
            let number = found.attributes?.number
        else { return invalidator.entryChanged(in: parent, entry.place.name) }
        for file in handles.take(row.ino) {
            let flags =
                file.isReadable ? (file.isWritable ? O_RDWR : O_RDONLY) : O_WRONLY
            // Where its mode refuses that, the content's own descriptor will do: it is the same
            // file, or on another disk, where nobody is writing, has the same bytes.
            let opened = try? Posix.open(
                at: folder.number, entry.place.name.bytes, flags: flags | O_NOFOLLOW)
            guard let content = file.content, let descriptor = opened ?? content.wholeFile
            else { continue }
            file.move(to: number, descriptor: descriptor, content: nil)
            // What fails here is a look at the file: later ones find what others change in it.
            try? local.adopt(file)
            contents.close(content, forWriting: file.isWritable)
        }
        if contents.endHold(row.ino) { local.table.passed(number, isWritten: true) }
        invalidator.renumbered(FileNumber(row: row.ino), to: number)
        local.retain(number)
        invalidator.attributesChanged(of: number)
    }

    /// Has who watches `Local/` know where a file comes from.
    func noteArrival(_ status: () throws(DocFSError) -> FileStatus) {
        guard catalog.bulletin.isWatched else { return }
        // Without it, it looks like any other file, and has arrived all the same.
        if let status = try? status() { crossings.noteArrival(LocalIdentity(status)) }
    }
}
