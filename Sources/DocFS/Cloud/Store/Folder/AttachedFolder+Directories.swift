internal import Glibc

/// Directories, metadata in place, durability and room.
extension AttachedFolder {
    /// Made whole below `.docfs/tmp` and renamed, so that nobody sees it without its metadata.
    func makeDirectory(
        _ path: ItemPath, metadata: ObjectMetadata, _ cancellation: Cancellation
    ) throws(DocFSError) {
        try store { () throws(DocFSError) in
            let place = try place(path)
            if let found = try info(path, at: place) {
                guard found.kind == .directory, found.metadata?.operation == metadata.operation
                else { throw .exists }
                return
            }
            let part = try stagingPlace(
                FolderChange.partName(metadata.operation.description))
            try removeLeftoverDirectory(part)
            try Posix.makeDirectory(at: part.directory.number, part.name, mode: 0o700)
            do throws(DocFSError) {
                let made = try Posix.open(
                    at: part.directory.number, part.name,
                    flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
                try apply(metadata, toDirectory: made)
                CrashPoint.reached(.directoryStaged)
                try moveDirectory(part, place, cancellation)
            } catch {
                // Whoever makes it again removes what stays, or it is collected.
                try? Posix.removeDirectory(at: part.directory.number, part.name)
                throw error == .refused ? .exists : error
            }
            CrashPoint.reached(.bodyCreated)
            dirty.insert(path)
            dirty.insert(path.parent)
        }
    }

    private func removeLeftoverDirectory(_ part: FolderPlace) throws(DocFSError) {
        do {
            try Posix.removeDirectory(at: part.directory.number, part.name)
        } catch .notFound {
            // No attempt before this one left any.
        }
    }

    private func apply(_ metadata: ObjectMetadata, toDirectory descriptor: Descriptor)
        throws(DocFSError)
    {
        let status = try Posix.status(of: descriptor.number)
        try setAttribute(
            MetadataAttribute(metadata, tokens: [MetadataAttribute.directoryToken(status)]),
            of: descriptor)
        try Posix.setMode(
            of: descriptor.number,
            UInt32(AttachedFolder.storedMode(metadata.mode, isFile: false)))
        try setModified(metadata.modified, of: descriptor)
    }

    func removeDirectory(_ path: ItemPath) throws(DocFSError) {
        try store { () throws(DocFSError) in
            guard !path.isRoot else { throw .invalidArgument }
            guard let place = try existingPlace(path) else { throw .notFound }
            do throws(DocFSError) {
                try Posix.removeDirectory(at: place.directory.number, place.name)
            } catch .exists {
                // rmdir(2): EEXIST or ENOTEMPTY, as the filesystem likes.
                throw .notEmpty
            }
            CrashPoint.reached(.directoryRemoved)
            dirty.insert(path.parent)
        }
    }

    // MARK: Metadata in place

    func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata,
        _ cancellation: Cancellation
    ) throws(DocFSError) -> ObjectInfo {
        try store { () throws(DocFSError) in
            guard let place = try existingPlace(path) else { throw .notFound }
            return try locked(cancellation) { () throws(DocFSError) in
                guard let found = try info(path, at: place) else { throw .notFound }
                // Done by an attempt that was interrupted, perhaps but for the mode.
                let isOurs = found.metadata == metadata && found.modified == metadata.modified
                if isOurs, found.mode == metadata.mode & 0o777 { return found }
                guard isOurs || found.revision == expected else { throw .refused }
                try apply(metadata, to: found, at: place)
                CrashPoint.reached(.metadataSet)
                guard let result = try info(path, at: place) else { throw .refused }
                return result
            }
        }
    }

    private func apply(_ metadata: ObjectMetadata, to found: ObjectInfo, at place: FolderPlace)
        throws(DocFSError)
    {
        guard found.kind != .symlink else {
            dirty.insertEverything()
            return try setModified(metadata.modified, at: place)
        }
        let descriptor = try Posix.open(
            at: place.directory.number, place.name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        if found.kind == .directory {
            try apply(metadata, toDirectory: descriptor)
        } else {
            try apply(metadata, toFile: descriptor, expecting: found.revision)
        }
        try Posix.sync(descriptor.number)
    }

    /// The attribute names the body before and after, so that it speaks of the file at every
    /// instant; the mode allows writing it until the end.
    private func apply(
        _ metadata: ObjectMetadata, toFile descriptor: Descriptor, expecting expected: Revision?
    ) throws(DocFSError) {
        let before = try Posix.status(of: descriptor.number)
        guard before.isRegularFile, BodyIdentity(before).revision == expected else {
            throw .refused
        }
        let after = BodyIdentity(
            inode: before.inode, size: before.size, modified: metadata.modified)
        if before.permissions & 0o600 != 0o600 {
            try Posix.setMode(of: descriptor.number, before.permissions & 0o777 | 0o600)
        }
        try setAttribute(
            MetadataAttribute(metadata, tokens: [BodyIdentity(before).text, after.text]),
            of: descriptor)
        CrashPoint.reached(.metadataWritten)
        try setModified(metadata.modified, of: descriptor)
        let now = try Posix.status(of: descriptor.number)
        if BodyIdentity(now) != after, now.size == before.size {
            // The filesystem keeps times more coarsely than they were given.
            try setAttribute(
                MetadataAttribute(metadata, tokens: [BodyIdentity(now).text]), of: descriptor)
        }
        try Posix.setMode(
            of: descriptor.number, UInt32(AttachedFolder.storedMode(metadata.mode, isFile: true)))
    }

    // MARK: Durability and room

    /// The most directories that are synced one by one; for more the whole filesystem is.
    private static let manyDirectories = 256

    func makeDurable() throws(DocFSError) {
        try dirty.syncing { () throws(DocFSError) in
            let paths = dirty.take()
            do throws(DocFSError) {
                try store { () throws(DocFSError) in
                    if let paths, paths.count <= AttachedFolder.manyDirectories {
                        for path in paths { try sync(path) }
                    } else {
                        try Posix.syncFileSystem(root.number)
                    }
                }
                CrashPoint.reached(.storeSynced)
            } catch {
                dirty.insertEverything()
                throw error
            }
        }
    }

    private func sync(_ path: ItemPath) throws(DocFSError) {
        do {
            let directory = try directory(path, flags: O_RDONLY)
            try Posix.sync(directory.number)
        } catch .notFound {
            // Removed since, which its parent has to remember.
            try checkRoot()
        }
    }

    func space() throws(DocFSError) -> StoreSpace {
        let space = try Posix.space(of: root.number)
        return StoreSpace(total: space.total, free: space.free)
    }
}
