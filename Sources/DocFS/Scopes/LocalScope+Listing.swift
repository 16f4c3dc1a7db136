internal import Glibc
internal import Synchronization

/// Listing directories.
extension LocalScope {
    /// opendir(3).
    package func openDirectory(_ number: FileNumber) throws(DocFSError) -> LocalListing {
        try LocalListing(try directory(number))
    }

    /// Hands the entries after `cookie` (0 is the beginning) to `each` until it answers false, or
    /// there are no more.
    ///
    /// The entry for which it answers false comes again in the next call.
    ///
    /// `.` and `..` are left out. Cookies are the filesystem's own positions: any value below 2^63,
    /// not in order. With attributes, an entry that is gone by
    /// then is left out, and one that cannot be asked comes without; every number that is handed
    /// out with attributes is to be retained when the kernel gets it.
    package func list(
        _ listing: LocalListing, from cookie: UInt64, withAttributes: Bool,
        each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        let result: Result<Void, DocFSError> = listing.state.withLock { state in
            do throws(DocFSError) {
                return .success(
                    try list(listing.directory, &state, cookie, withAttributes, each))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func list(
        _ directory: LocalDirectory, _ state: inout LocalListing.State, _ cookie: UInt64,
        _ withAttributes: Bool, _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        if cookie != state.position {
            state.stream.seek(to: Int(truncatingIfNeeded: cookie))
            state.position = cookie
            state.held = nil
        }
        while true {
            let next: DirectoryStream.Entry?
            if let held = state.held { next = held } else { next = try state.stream.next() }
            guard let next else { return }
            state.held = next
            if let entry = entry(next, directory, withAttributes), !each(entry) { return }
            state.held = nil
            state.position = UInt64(bitPattern: Int64(next.position))
        }
    }

    /// `nil` for what is not to be listed.
    private func entry(
        _ next: DirectoryStream.Entry, _ directory: LocalDirectory, _ withAttributes: Bool
    ) -> DirectoryEntry? {
        if next.name.isDots || isHidden(next.name, in: directory) { return nil }
        var entry = DirectoryEntry(
            name: next.name, number: directory.number, type: UInt32(next.type) << 12,
            cookie: UInt64(bitPattern: Int64(next.position)))
        // A directory is asked in any case: where a filesystem is mounted on it, the listing has
        // the inode that is covered. So is what has no type.
        let isDirectory = entry.type == S_IFDIR
        guard withAttributes || isDirectory || entry.type == 0 else {
            entry.number = table.number(
                of: LocalIdentity(device: directory.device, inode: next.inode))
            return entry
        }
        return asked(entry, directory, next.inode, withAttributes)
    }

    private func asked(
        _ entry: DirectoryEntry, _ directory: LocalDirectory, _ inode: UInt64,
        _ withAttributes: Bool
    ) -> DirectoryEntry? {
        var entry = entry
        do throws(DocFSError) {
            let status = try Posix.status(at: directory.descriptor.number, entry.name.bytes)
            entry.type = status.mode & S_IFMT
            if withAttributes {
                let answer = answer(status, entry.name, directory)
                entry.attributes = answer.attributes
                entry.number = answer.attributes?.number ?? entry.number
            } else {
                entry.number = table.number(of: LocalIdentity(status))
            }
        } catch .notFound {
            return nil
        } catch {
            entry.number = table.number(
                of: LocalIdentity(device: directory.device, inode: inode))
        }
        return entry
    }

    /// fsync(2) of a directory.
    package func syncDirectory(_ number: FileNumber) throws(DocFSError) {
        let directory = try directory(number)
        let descriptor = try Posix.open(
            at: directory.descriptor.number, [0x2E], flags: O_RDONLY | O_DIRECTORY)
        try Posix.sync(descriptor.number)
    }
}

extension Name {
    /// Whether this is `.` or `..`.
    fileprivate var isDots: Bool {
        bytes[0] == 0x2E && (bytes.count == 1 || bytes.count == 2 && bytes[1] == 0x2E)
    }
}
