internal import Synchronization

/// Bringing what moved to `Local/` into the plain directory, in the background (S24, S25).
extension Transfers {
    /// Microseconds between two looks at what is on its way: after one that brought something on,
    /// and at most.
    private static let (pause, longestPause): (UInt32, UInt32) = (20_000, 2_000_000)

    /// Downloads at once.
    private static let downloads = 4

    /// A document was moved, a download has ended, or the store told something: what waits may go
    /// on.
    package func lookAgain() {
        guard hasIncoming, arrivals.begin() else { return }
        workers.submit { [self] in bringAll(after: Self.pause) }
    }

    /// Brings all entries a step further.
    ///
    /// What cannot be brought now is tried again, at growing distances.
    ///
    /// - Parameter pause: microseconds since the last time.
    private func bringAll(after pause: UInt32) {
        // Where the catalog cannot be read, nothing is brought this time.
        let entries =
            (try? catalog.read { (read) throws(DocFSError) in try read.allIncoming() }) ?? []
        arrivals.tries.withLock { $0.keep(only: Set(entries.map(\.ino))) }
        var progress = false
        var room = Self.downloads - entries.count { contents.isComing($0.ino) }
        for entry in entries {
            do throws(DocFSError) {
                if try bring(entry, &room) { progress = true }
            } catch {
                note(error, of: entry)
            }
        }
        guard hasIncoming else {
            arrivals.end()
            // It may have come just now.
            return lookAgain()
        }
        let next = progress ? Self.pause : min(pause * 2, Self.longestPause)
        workers.submit(after: next) { [self] in bringAll(after: next) }
    }

    private func note(_ error: DocFSError, of entry: IncomingEntry) {
        // What the catalog does not take now is said at the next try.
        try? catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(entry.ino), row.isDeparting,
                row.error != error.sentence
            else { return }
            row.error = error.sentence
            try write.update(row)
        }
    }

    /// Brings one entry a step further.
    ///
    /// - Parameter room: how many downloads may begin.
    /// - Returns: whether it has arrived.
    private func bring(_ entry: IncomingEntry, _ room: inout Int) throws(DocFSError) -> Bool {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(entry.ino) }
        guard let row, row.isDeparting else {
            try forget(entry)
            return true
        }
        let folder: Descriptor
        if let known = arrivals.directory(of: entry.place) {
            folder = known
        } else if let found = try find(entry.place)?.folder {
            folder = found
            arrivals.keep(found, at: entry.place)
        } else {
            try giveBack(row, because: "its directory in Local is gone")
            return true
        }
        if row.isFile { return try bringFile(row, entry, folder, &room) }
        try checkAttributes(of: row)
        try arrivals.land { () throws(DocFSError) in
            let (entry, row) = try note(entry, folder)
            if row.isDirectory {
                try landDirectory(row, entry, folder)
            } else {
                try landNode(row, entry, folder)
            }
        }
        return true
    }

    /// Whatever was removed or moved on since the entry was read took the entry with it, and may be
    /// on its way once more.
    private func forget(_ entry: IncomingEntry) throws(DocFSError) {
        try catalog.write { (write) throws(DocFSError) in
            if try write.read.local(entry.ino)?.isDeparting == true { return }
            try write.removeIncoming(ino: entry.ino)
        }
    }

    private func bringFile(
        _ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor, _ room: inout Int
    ) throws(DocFSError) -> Bool {
        if try isPlaced(row, entry, folder) {
            try arrivals.land { () throws(DocFSError) in
                let (entry, row) = try note(entry, folder)
                try describePlaced(row, entry, folder)
                try finishFile(row, entry, folder)
            }
            return true
        }
        if try isLost(row) {
            if try follow(sourceOf: row) { return false }
            // The engine makes a document of what was written (S8).
            try giveBack(row, entry, folder, because: DocFSError.revisionGone.sentence)
            return true
        }
        guard let row = try newest(row, &room) else { return false }
        // The kernel would go on in the file that the copy was made from.
        if handles.isPassed(row.ino), try !isOnSameDisk(row, folder) { return false }
        if !contents.claim(row.ino), try !isOnSameDisk(row, folder) { return false }
        defer { contents.release([row.ino]) }
        try contents.flush(row.ino)
        let known = try catalog.read { (read) throws(DocFSError) in try read.local(row.ino) }
        // It may have been dropped before it was claimed.
        guard let fresh = known, fresh.state == .current else { return false }
        try checkAttributes(of: fresh)
        let staged = Self.stagedName(row.ino)
        let file = try contents.hand(over: fresh, into: hidden.moving.number, as: staged)
        try describe(file, as: fresh)
        try Posix.sync(file.number)
        // What was set meanwhile too, as long as nobody waits for it.
        let described = try catalog.read { (read) throws(DocFSError) in try read.local(row.ino) }
        if let described, !described.isDescribed(like: fresh) {
            try describe(file, as: described)
            try Posix.sync(file.number)
        }
        CrashPoint.reached(.arrivalStaged)
        try arrivals.land { () throws(DocFSError) in
            var (entry, row) = try note(entry, folder, file: Posix.status(of: file.number).inode)
            if !row.isDescribed(like: described ?? fresh) {
                try describe(file, as: row)
                try Posix.sync(file.number)
            }
            // A power cut may keep the file's name, and must not keep that alone.
            try catalog.makeDurable()
            CrashPoint.reached(.arrivalNoted)
            noteArrival { () throws(DocFSError) in try Posix.status(of: file.number) }
            entry = try whilePermitted(in: folder) { () throws(DocFSError) in
                try place(staged, entry, folder)
            }
            CrashPoint.reached(.arrivalPlaced)
            try finishFile(row, entry, folder)
        }
        return true
    }

    /// The row with its newest version here, or `nil` while that is on its way.
    private func newest(_ row: LocalItem, _ room: inout Int) throws(DocFSError) -> LocalItem? {
        // Refused while somebody reads the old version: then it waits for the close.
        if try contents.takeNewest(ofDeparting: row.ino) {
            invalidator.contentChanged(of: FileNumber(row: row.ino))
            return nil
        }
        if row.state == .current, try contents.isWhole(row) { return row }
        try fetch(row, &room)
        return nil
    }

    /// Another program has replaced the body of the document that a row is made of, and nobody kept
    /// it: what that document has now comes instead, as who reads it gets.
    ///
    /// - Returns: whether that is so.
    private func follow(sourceOf row: LocalItem) throws(DocFSError) -> Bool {
        guard row.divergence == .stored, let item = row.sourceItem, item != row.item else {
            return false
        }
        let scope = row.sourceScope ?? row.scope
        let remote = try catalog.read { (read) throws(DocFSError) -> ItemState? in
            guard try read.places(ofSourceOf: row).isEmpty else { return nil }
            return try read.state(.remote, of: item, scope: scope)
        }
        guard let remote, remote.content.body != nil else { return false }
        try contents.follow(row, to: remote)
        contents.forgetLoss(of: row.ino)
        invalidator.contentChanged(of: FileNumber(row: row.ino))
        return true
    }

    /// Begins the download of a document, if it may be tried again.
    private func fetch(_ row: LocalItem, _ room: inout Int) throws(DocFSError) {
        let now = clock.now()
        let isOnline = catalog.bulletin.health(of: row.scope).isOnline
        let isDue = arrivals.tries.withLock { tries in
            // Once the store is back it is tried at once.
            if !isOnline { tries.forget(row.ino) }
            return tries.isDue(row.ino, at: now)
        }
        guard room > 0, isDue, !contents.isComing(row.ino) else { return }
        // Opening one whose file is damaged has it fetched anew.
        try contents.hydrate(row.ino)
        room -= 1
        arrivals.tries.withLock { $0.tried(row.ino, at: now) }
    }

    private func isOnSameDisk(_ row: LocalItem, _ folder: Descriptor) throws(DocFSError) -> Bool {
        let here = try contents.device(of: row)
        return try here == Posix.status(of: folder.number).device
    }

    /// Whether the body that a row was written into, or is made of, is nowhere any more.
    private func isLost(_ row: LocalItem) throws(DocFSError) -> Bool {
        try catalog.read { (read) throws(DocFSError) in
            switch row.divergence {
            case .none: false
            case .stored: try contents.isHollow(row, in: read)
            case .written: try contents.lacksSource(row, in: read)
            }
        }
    }

    /// As ``giveBack(_:because:)``; `folder` shows it no more.
    private func giveBack(
        _ row: LocalItem, _ entry: IncomingEntry, _ folder: Descriptor, because reason: String
    ) throws(DocFSError) {
        let parent = local.number(of: try Posix.status(of: folder.number))
        try giveBack(row, because: reason)
        if row.divergence == .stored { contents.forgetLoss(of: row.ino) }
        invalidator.entryChanged(in: parent, entry.place.name)
    }

    /// It cannot come to `Local/`: the document stays in the cloud (S24).
    ///
    /// - Parameter reason: a sentence for the user.
    private func giveBack(_ row: LocalItem, because reason: String) throws(DocFSError) {
        let now = clock.wallTime()
        let (parent, name) = try catalog.write { (write) throws(DocFSError) -> (Int64, Name) in
            guard var row = try write.read.local(row.ino), row.isDeparting,
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
            row.error = reason
            try write.update(row)
            if row.isDirectory, var above = try write.read.local(parent) {
                above.links += 1
                try write.update(above)
            }
            try write.removeIncoming(ino: row.ino)
            try write.markEdited(row)
            try noteEntry(of: row, write)
            return (parent, row.name)
        }
        // The kernel may remember that nothing has this name.
        entryAppeared(name, in: parent)
    }

    /// Looks for a directory in the whole of `Local/`: after a restart only its
    /// device and inode are known.
    ///
    /// - Returns: the directory, and the names that lead to it.
    /// - Throws: when it is not found, and not all could be looked through.
    func find(_ place: DiskPlace) throws(DocFSError) -> (folder: Descriptor, way: [Name])? {
        var rest = [(try local.descriptor(of: local.root), [Name]())]
        var failure: DocFSError?
        while case (let directory, let way)? = rest.popLast() {
            do throws(DocFSError) {
                let status = try Posix.status(of: directory.number)
                if status.device == place.device, status.inode == place.inode {
                    return (directory, way)
                }
                for name in try DirectoryStream.names(at: directory.number) {
                    guard let below = open(name, in: directory, &failure) else { continue }
                    rest.append((below, way + [name]))
                }
            } catch .notFound {
                // Removed just now.
            } catch .accessDenied {
                // Somebody else's.
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// `nil` for what is no directory, or gone by now, or may not be read: somebody else's.
    ///
    /// - Parameter failure: what else keeps a directory from being opened.
    private func open(_ name: Name, in parent: Descriptor, _ failure: inout DocFSError?)
        -> Descriptor?
    {
        do throws(DocFSError) {
            return try Posix.open(at: parent.number, name.bytes, flags: Posix.directoryFlags)
        } catch .notDirectory {
        } catch .loop {
        } catch .notFound {
        } catch .accessDenied {
        } catch {
            failure = error
        }
        return nil
    }
}
