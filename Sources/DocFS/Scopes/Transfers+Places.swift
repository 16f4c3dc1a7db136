/// Names in the plain directory: what arrives takes the place of what the rename was accepted over,
/// and of nothing that another program has put there since (S2).
extension Transfers {
    /// Renames a staged file to the name that its entry says, or, where that is somebody else's by
    /// now, to a conflict version's beside it.
    ///
    /// - Returns: the entry as it was done.
    func place(_ staged: [UInt8], _ entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError) -> IncomingEntry
    {
        let name = entry.place.name.bytes
        if try isReplaced(by: entry, folder),
            try exchange(staged, name, folder, for: entry.replaced)
        {
            return entry
        }
        var entry = entry
        while true {
            do throws(DocFSError) {
                try Posix.rename(
                    at: hidden.moving.number, staged, to: folder.number, entry.place.name.bytes,
                    mode: .noReplace)
                return entry
            } catch .exists {
                entry = try moveAside(entry, folder)
            } catch .invalidArgument {
                // A filesystem without that flag: link(2) replaces nothing either.
                do throws(DocFSError) {
                    try Posix.link(
                        at: hidden.moving.number, staged, to: folder.number,
                        entry.place.name.bytes)
                    try Posix.unlink(at: hidden.moving.number, staged)
                    return entry
                } catch .exists {
                    entry = try moveAside(entry, folder)
                }
            }
        }
    }

    /// A name that only the catalog has came into a directory of the disk, or went: the directory
    /// has the time of that, as after rename(2) and unlink(2).
    ///
    /// For who has ``Arrivals/whileNoneLands(_:)``: what lands gives a directory back the time that
    /// it had.
    func touch(_ directory: FileNumber) {
        // One that cannot be reached any more has no name in it that anybody could see.
        guard let folder = try? local.descriptor(of: directory) else { return }
        setTime(of: folder, to: clock.wallTime())
    }

    /// Gives a directory of the disk a time, unless that is refused.
    func setTime(of folder: Descriptor, to time: Timestamp) {
        // In a directory of somebody else's: it shows another time then.
        try? whilePermitted(in: folder, 0o100) { () throws(DocFSError) in
            try Posix.setTimes(
                at: folder.number, [0x2E], accessed: .keep, modified: .set(time))
        }
    }

    /// Gives what has a name on disk another one, that is free.
    func moveOthersAside(_ name: Name, _ folder: Descriptor) throws(DocFSError) {
        guard try Posix.statusIfPresent(at: folder.number, name.bytes) != nil else { return }
        let now = clock.wallTime()
        for attempt in 0... {
            let free = SiblingName.make(for: name, device: "Local", time: now, attempt: attempt)
            do throws(DocFSError) {
                return try Posix.rename(
                    at: folder.number, name.bytes, to: folder.number, free.bytes, mode: .noReplace)
            } catch .exists {
                continue
            }
        }
    }

    /// Whether the disk has under the name what the rename was accepted over.
    private func isReplaced(by entry: IncomingEntry, _ folder: Descriptor) throws(DocFSError)
        -> Bool
    {
        guard let replaced = entry.replaced,
            let status = try Posix.statusIfPresent(at: folder.number, entry.place.name.bytes)
        else { return false }
        return replaced.isStill(status)
    }

    /// Puts a staged file in the place of `replaced`, so that there is always one under the name.
    ///
    /// - Returns: whether it is there; otherwise somebody was quicker, and has the name again.
    private func exchange(
        _ staged: [UInt8], _ name: [UInt8], _ folder: Descriptor, for replaced: ReplacedFile?
    ) throws(DocFSError) -> Bool {
        let ours = try Posix.status(at: hidden.moving.number, staged).inode
        do throws(DocFSError) {
            try Posix.rename(
                at: hidden.moving.number, staged, to: folder.number, name, mode: .exchange)
        } catch .notFound {
            return false
        } catch .invalidArgument {
            // A filesystem without that flag: as it still is what it was, it is replaced.
            try Posix.rename(at: hidden.moving.number, staged, to: folder.number, name)
            return true
        }
        let out = try Posix.status(at: hidden.moving.number, staged)
        if replaced?.isStill(out) == true {
            try remove(hiddenName: staged, out)
            return true
        }
        try Posix.rename(at: hidden.moving.number, staged, to: folder.number, name, mode: .exchange)
        guard try Posix.status(at: hidden.moving.number, staged).inode == ours else {
            // Replaced once more in between: that one goes beside it, and ours is staged again.
            try putBack(staged, as: Name(name), folder)
            throw .busy
        }
        return false
    }

    /// Removes the directory that the rename was accepted over: its mode and attributes are not the
    /// other one's.
    ///
    /// It stays where another program has put something into it meanwhile.
    func removeReplacedDirectory(by entry: IncomingEntry, _ folder: Descriptor)
        throws(DocFSError)
    {
        guard try isReplaced(by: entry, folder) else { return }
        // Whatever keeps it there, it is shared then.
        try? Posix.removeDirectory(at: folder.number, entry.place.name.bytes)
    }

    /// Removes what the rename was accepted over, if the disk still has that under the name.
    func removeReplaced(by entry: IncomingEntry, _ folder: Descriptor) throws(DocFSError) {
        guard let replaced = entry.replaced, try isReplaced(by: entry, folder) else { return }
        // Looked at where nobody else can put something in its place.
        let away = Self.stagedName(entry.ino) + Array("-replaced".utf8)
        do throws(DocFSError) {
            try Posix.rename(
                at: folder.number, entry.place.name.bytes, to: hidden.moving.number, away,
                mode: .noReplace)
        } catch {
            // Gone, or on another filesystem: what is left there stays.
            return
        }
        let status = try Posix.status(at: hidden.moving.number, away)
        guard replaced.isStill(status) else {
            return try putBack(away, as: entry.place.name, folder)
        }
        do throws(DocFSError) {
            try remove(hiddenName: away, status)
        } catch .notEmpty {
            try putBack(away, as: entry.place.name, folder)
        }
    }

    private func remove(hiddenName name: [UInt8], _ status: FileStatus) throws(DocFSError) {
        if status.isDirectory {
            try Posix.removeDirectory(at: hidden.moving.number, name)
        } else {
            try Posix.unlink(at: hidden.moving.number, name)
        }
    }

    /// Gives what is another program's its name again, or one beside it that is free.
    private func putBack(_ hiddenName: [UInt8], as name: Name, _ folder: Descriptor)
        throws(DocFSError)
    {
        let now = clock.wallTime()
        var free = name
        for attempt in 0... {
            do throws(DocFSError) {
                return try Posix.rename(
                    at: hidden.moving.number, hiddenName, to: folder.number, free.bytes,
                    mode: .noReplace)
            } catch .exists {
                free = SiblingName.make(for: name, device: "Local", time: now, attempt: attempt)
            }
        }
    }

    /// The name is another program's: what arrives gets a conflict version's beside it.
    func moveAside(_ entry: IncomingEntry, _ folder: Descriptor) throws(DocFSError) -> IncomingEntry
    {
        let now = clock.wallTime()
        let place = entry.place
        let parent = local.number(of: try Posix.status(of: folder.number))
        let moved = try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(entry.ino), row.isDeparting,
                let scope = try write.read.scope(row.scope)
            else { throw .stale }
            var moved = entry
            moved.replaced = nil
            let known = try write.read.incoming(device: place.device, inode: place.inode)
            for attempt in 0... {
                moved.place.name = SiblingName.make(
                    for: place.name, device: scope.name, time: now, attempt: attempt)
                let name = moved.place.name
                if known.contains(where: { $0.0 == name }) { continue }
                if try Posix.statusIfPresent(at: folder.number, name.bytes) == nil { break }
            }
            try write.removeIncoming(ino: row.ino)
            row.name = moved.place.name
            try write.update(row)
            try write.addIncoming(moved)
            return moved
        }
        invalidator.entryChanged(in: parent, place.name)
        return moved
    }
}
