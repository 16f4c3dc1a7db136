internal import Glibc
internal import Synchronization

/// Bringing what moved to `Local/` into the plain directory, in the background (S24, S25).
extension Transfers {
    /// Starts the thread that brings documents to `Local/`.
    package func start() {
        OwnThread.start(name: "arrivals") { [self] in
            while true {
                bringAll()
                arrivals.wait()
            }
        }
        arrivals.wake()
    }

    /// A download has ended, or the store told something: what waits may go on.
    package func lookAgain() { arrivals.wake() }

    private func bringAll() {
        // What cannot be brought now is tried again, at growing distances.
        var delay: UInt32 = 20_000
        while incomingCount.load(ordering: .relaxed) > 0 {
            let entries =
                (try? catalog.read { (read) throws(DocFSError) in try read.allIncoming() }) ?? []
            if entries.isEmpty { break }
            var progress = false
            for entry in entries {
                do throws(DocFSError) {
                    if try bring(entry) { progress = true }
                } catch {
                    note(error, of: entry)
                }
            }
            delay = progress ? 20_000 : min(delay * 2, 2_000_000)
            usleep(delay)
        }
        arrivals.forgetDirectories()
    }

    private func note(_ error: DocFSError, of entry: IncomingEntry) {
        try? catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(entry.ino), row.error != error.sentence else {
                return
            }
            row.error = error.sentence
            try write.update(row)
        }
    }

    /// Brings one entry a step further.
    ///
    /// - Returns: whether it has arrived.
    private func bring(_ entry: IncomingEntry) throws(DocFSError) -> Bool {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(entry.ino) }
        guard let row, row.isDeparting else {
            try finish(entry, row: nil)
            return true
        }
        let folder: Descriptor
        if let known = arrivals.directory(of: entry) {
            folder = known
        } else if let found = try find(entry) {
            folder = found
            arrivals.keep(found, for: try Posix.status(of: found.number))
        } else {
            try giveBack(row, entry)
            return true
        }
        if row.isDirectory { return try bringDirectory(row, entry, folder) }
        if row.isFile { return try bringFile(row, entry, folder) }
        try bringOther(row, entry, folder)
        return true
    }

    // MARK: Directories

    /// Makes the directory on disk; what is in it comes after it, each for itself.
    private func bringDirectory(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError) -> Bool
    {
        do throws(DocFSError) {
            try Posix.makeDirectory(at: folder.number, entry.name.bytes, mode: 0o700)
        } catch .exists {}
        CrashPoint.reached(.arrivalDirectoryMade)
        let made = try Posix.open(
            at: folder.number, entry.name.bytes, flags: Posix.directoryFlags)
        let place = try Posix.status(of: made.number)
        arrivals.keep(made, for: place)
        try describe(made.number, as: row)
        try catalog.write { (write) throws(DocFSError) in
            for child in try write.read.children(of: row.ino) {
                try depart(child, to: place, as: child.name, write)
            }
            try write.removeIncoming(ino: row.ino)
            try write.delete(row.ino)
            try write.markEdited(row)
        }
        CrashPoint.reached(.arrivalDirectoryFinished)
        try? Posix.setTimes(
            of: made.number, accessed: .keep, modified: .set(row.modified))
        incomingCount.subtract(1, ordering: .relaxed)
        show(row, entry, folder)
        return true
    }

    // MARK: Files

    private func bringFile(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError) -> Bool
    {
        let staged = Array("out-\(row.ino)".utf8)
        if row.device != 0, try wasPlaced(row, entry, folder, staged) {
            try finishFile(row, entry, folder)
            return true
        }
        guard let row = try newest(row) else { return false }
        if !contents.claim(row.ino), try !isOnSameDisk(row, folder) { return false }
        defer { contents.release([row.ino]) }
        try contents.flush(row.ino)
        guard let fresh = try catalog.read({ (read) throws(DocFSError) in try read.local(row.ino) })
        else { return false }
        let file = try contents.hand(
            over: fresh, into: hidden.moving.number, as: staged)
        try describe(file.number, as: fresh)
        try Posix.sync(file.number)
        CrashPoint.reached(.arrivalStaged)
        let status = try Posix.status(of: file.number)
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(row.ino) else { throw .stale }
            row.device = status.inode
            try write.update(row)
        }
        CrashPoint.reached(.arrivalNoted)
        try place(staged, entry, folder)
        try finishFile(fresh, entry, folder)
        return true
    }

    /// The row with its newest version here, or `nil` while that is on its way.
    private func newest(_ row: LocalItem) throws(DocFSError) -> LocalItem? {
        let remote = try catalog.read { (read) throws(DocFSError) in
            try read.state(.remote, of: row.item, scope: row.scope)
        }
        if row.divergence == .none, let remote, case .file(let body) = remote.content,
            body.revision != row.basis
        {
            if row.state != .none { try contents.evict(row.ino) }
            try catalog.write { (write) throws(DocFSError) in
                guard var row = try write.read.local(row.ino) else { throw .stale }
                row.basis = body.revision
                row.sourceItem = row.item
                row.sourceRevision = body.revision
                row.sourceDigest = body.digest
                row.size = body.size
                row.wanted = body.size
                row.state = body.size == 0 ? .current : .none
                row.modified = remote.metadata.modified
                try write.update(row)
            }
            return nil
        }
        if row.state == .current { return row }
        try contents.hydrate(row.ino)
        return nil
    }

    private func isOnSameDisk(_ row: LocalItem, _ folder: Descriptor) throws(DocFSError) -> Bool {
        let here = try contents.device(of: row)
        return try here == Posix.status(of: folder.number).device
    }

    /// Whether the file lies at its new name already, and only the catalog does not know.
    private func wasPlaced(
        _ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor, _ staged: [UInt8]
    ) throws(DocFSError) -> Bool {
        if try Posix.statusIfPresent(at: hidden.moving.number, staged)?.inode == row.device {
            try place(staged, entry, folder)
        }
        return try Posix.statusIfPresent(at: folder.number, entry.name.bytes)?.inode == row.device
    }

    private func place(_ staged: [UInt8], _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError)
    {
        let before = try Posix.status(of: folder.number)
        try Posix.rename(at: hidden.moving.number, staged, to: folder.number, entry.name.bytes)
        CrashPoint.reached(.arrivalPlaced)
        try Posix.syncDirectory(folder.number)
        // The directory's time moved when the user moved the document.
        try? Posix.setTimes(
            at: folder.number, [0x2E], accessed: .keep, modified: .set(before.modified))
    }

    private func finishFile(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError)
    {
        show(row, entry, folder)
        try finish(entry, row: row)
    }

    private func finish(_ entry: IncomingEntry, row: LocalItem?) throws(DocFSError) {
        try catalog.write { (write) throws(DocFSError) in
            try write.removeIncoming(ino: entry.ino)
            guard let row else { return }
            try write.delete(row.ino)
            try write.markEdited(row)
        }
        CrashPoint.reached(.arrivalFinished)
        incomingCount.subtract(1, ordering: .relaxed)
    }

    private func bringOther(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError)
    {
        try? Posix.unlink(at: folder.number, entry.name.bytes)
        if let target = row.target {
            try Posix.symlink(target: target, at: folder.number, entry.name.bytes)
        } else {
            try Posix.makeNode(
                at: folder.number, entry.name.bytes, mode: row.mode, device: row.device)
        }
        CrashPoint.reached(.arrivalNodeMade)
        try? Posix.setOwner(
            at: folder.number, entry.name.bytes, user: row.owner, group: row.group)
        try Posix.setTimes(
            at: folder.number, entry.name.bytes, accessed: .keep, modified: .set(row.modified))
        show(row, entry, folder)
        try finish(entry, row: row)
    }

    // MARK: Helpers

    private func describe(_ file: Int32, as row: LocalItem) throws(DocFSError) {
        try? Posix.setOwner(of: file, user: row.owner, group: row.group)
        try Posix.setMode(of: file, row.mode & 0o7777)
        for attribute in row.attributes {
            try? Posix.setAttribute(attribute.name, attribute.value, of: file)
        }
        try Posix.setTimes(of: file, accessed: .keep, modified: .set(row.modified))
    }

    /// The kernel and the open handles go on with the file on disk.
    private func show(_ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor) {
        guard let place = try? Posix.status(of: folder.number) else { return }
        let parent = local.number(of: place)
        guard let found = try? local.lookup(entry.name, in: parent),
            let number = found.attributes?.number
        else { return }
        for file in handles.take(row.ino) {
            let flags =
                file.isReadable ? (file.isWritable ? O_RDWR : O_RDONLY) : O_WRONLY
            guard let content = file.content,
                let descriptor = try? Posix.open(
                    at: folder.number, entry.name.bytes, flags: flags | O_NOFOLLOW)
            else { continue }
            file.move(to: number, descriptor: descriptor, content: nil)
            try? local.adopt(file)
            contents.close(content, forWriting: file.isWritable)
        }
        invalidator.renumbered(FileNumber(row: row.ino), to: number)
        local.retain(number)
        invalidator.attributesChanged(of: number)
    }

    /// Its directory in `Local/` is gone: the document stays in the cloud (S24).
    private func giveBack(_ row: LocalItem, _ entry: IncomingEntry) throws(DocFSError) {
        let now = clock.wallTime()
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(row.ino),
                let scope = try write.read.scope(row.scope)
            else { throw .stale }
            var parent = scope.root
            if let base = try write.read.state(.base, of: row.item, scope: row.scope) {
                let directory = try write.read.local(item: base.parent, scope: row.scope)
                parent = directory?.ino ?? scope.root
                row.name = base.name
            }
            let plain = row.name
            for attempt in 0... {
                if try write.read.child(row.name, of: parent) == nil { break }
                row.name = SiblingName.make(
                    for: plain, device: "Local", time: now, attempt: attempt)
            }
            row.parent = parent
            row.isDeparting = false
            row.error = "its directory in Local is gone"
            try write.update(row)
            try write.removeIncoming(ino: row.ino)
            try write.markEdited(row)
        }
        incomingCount.subtract(1, ordering: .relaxed)
    }

    /// Looks for the directory of an entry in the whole of `Local/`: after a restart only its
    /// device and inode are known.
    private func find(_ entry: IncomingEntry) throws(DocFSError) -> Descriptor? {
        var rest = [try local.descriptor(of: local.root)]
        while let directory = rest.popLast() {
            guard let status = try? Posix.status(of: directory.number) else { continue }
            if status.device == entry.device, status.inode == entry.inode { return directory }
            guard let names = try? DirectoryStream.names(at: directory.number) else { continue }
            for name in names {
                if let below = try? Posix.open(
                    at: directory.number, name.bytes, flags: Posix.directoryFlags)
                {
                    rest.append(below)
                }
            }
        }
        return nil
    }
}
