internal import Glibc

/// write and copy: a new body is made whole below `.docfs/tmp`, then committed.
extension AttachedFolder {
    func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?, _ cancellation: Cancellation
    ) throws(DocFSError) -> ObjectInfo {
        let change = try store { () throws(DocFSError) in
            try prepare(path, ExpectedObject(object), condition, keep)
        }
        if let done = try settled(change, cancellation) { return done }
        let staged = try stage(object, change, cancellation)
        CrashPoint.reached(.bodyStaged)
        return try commit(change, staged, cancellation)
    }

    func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?,
        _ cancellation: Cancellation
    ) throws(DocFSError) -> ObjectInfo {
        let repeated = try store { () throws(DocFSError) in
            try copied(to: destination, metadata.operation, condition, keep)
        }
        if let repeated, let done = try settled(repeated, cancellation) { return done }
        let (place, found) = try store { () throws(DocFSError) -> (FolderPlace, ObjectInfo) in
            guard let place = try existingPlace(source), let found = try info(source, at: place)
            else { throw .notFound }
            guard found.revision == expected else { throw .refused }
            return (place, found)
        }
        let object = ExpectedObject(metadata: metadata, size: found.size, target: found.target)
        let change = try store { () throws(DocFSError) in
            try prepare(destination, object, condition, keep)
        }
        if let done = try settled(change, cancellation) { return done }
        let staged =
            if let target = found.target {
                try stageLink(target, modified: metadata.modified, change)
            } else {
                try stageCopy(of: place, found, change, cancellation)
            }
        return try commit(change, staged, cancellation)
    }

    /// The change that an earlier attempt of the same copy has carried out, by now perhaps without
    /// its source.
    private func copied(
        to path: ItemPath, _ operation: OperationID, _ condition: WriteCondition, _ keep: ItemPath?
    ) throws(DocFSError) -> FolderChange? {
        guard let place = try existingPlace(path), let found = try info(path, at: place),
            let metadata = found.metadata, metadata.operation == operation
        else { return nil }
        let object = ExpectedObject(metadata: metadata, size: found.size, target: nil)
        return try prepare(path, object, condition, keep)
    }

    private func prepare(
        _ path: ItemPath, _ object: ExpectedObject, _ condition: WriteCondition, _ keep: ItemPath?
    ) throws(DocFSError) -> FolderChange {
        FolderChange(
            path: path, place: try place(path), object: object, condition: condition, keep: keep,
            name: object.metadata?.operation.description ?? ownName)
    }

    // MARK: Staging

    private func stage(
        _ object: ObjectWrite, _ change: FolderChange, _ cancellation: Cancellation
    ) throws(DocFSError) -> StagedBody {
        switch object.payload {
        case .symlink(let target):
            return try stageLink(target, modified: object.metadata?.modified, change)
        case .bytes(let source, let size):
            return try stageFile(change) { (descriptor) throws(DocFSError) in
                try fill(descriptor, from: source, size, object.metadata?.digest, cancellation)
                return try store { () throws(DocFSError) in
                    try finish(
                        descriptor, object.metadata, modified: object.metadata?.modified,
                        mode: object.metadata?.mode)
                }
            }
        }
    }

    /// Makes `OP.part` and lets `body` complete it; removes it when that fails.
    private func stageFile(
        _ change: FolderChange, _ body: (Descriptor) throws(DocFSError) -> FileStatus
    ) throws(DocFSError) -> StagedBody {
        let (part, descriptor) = try store {
            () throws(DocFSError) in try makeStaged(change.partName)
        }
        // A file of the container's own, which others of this device's name leave alone for it. If
        // they take it away all the same, it cannot get its name: the write fails.
        let lock =
            change.object.metadata == nil && traits.locks ? try? FileLock(descriptor) : nil
        defer { withExtendedLifetime(lock) {} }
        do {
            return StagedBody(place: part, status: try body(descriptor))
        } catch {
            // What stays is removed when the change is made again, and collected in the end.
            try? Posix.unlink(at: part.directory.number, part.name)
            throw error
        }
    }

    private func stageLink(_ target: [UInt8], modified: Timestamp?, _ change: FolderChange)
        throws(DocFSError) -> StagedBody
    {
        try store { () throws(DocFSError) in
            let part = try stagingPlace(change.partName)
            try removeLeftover(part)
            try Posix.symlink(target: target, at: part.directory.number, part.name)
            if let modified {
                try setModified(modified, at: part)
            }
            return StagedBody(
                place: part, status: try Posix.status(at: part.directory.number, part.name))
        }
    }

    func removeLeftover(_ part: FolderPlace) throws(DocFSError) {
        do {
            try Posix.unlink(at: part.directory.number, part.name)
        } catch .notFound {
            // No attempt before this one left any.
        }
    }

    /// Copies `size` bytes of `source`, and refuses them unless they are what was announced.
    private func fill(
        _ descriptor: Descriptor, from source: any ByteSource, _ size: UInt64, _ digest: Digest?,
        _ cancellation: Cancellation
    ) throws(DocFSError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(max(size, 1), Self.chunk)), alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: UInt64 = 0
        while offset < size {
            try cancellation.check()
            let wanted = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<Int(min(size - offset, Self.chunk))])
            let count = try source.read(into: wanted, at: offset)
            guard count > 0 else { throw .bodyChanged }
            let piece = UnsafeRawBufferPointer(rebasing: wanted[..<count])
            if digest != nil { hash.update(piece) }
            try store { () throws(DocFSError) in
                try Posix.write(descriptor.number, piece, at: offset)
            }
            offset += UInt64(count)
        }
        let extra = UnsafeMutableRawBufferPointer(rebasing: buffer[..<1])
        guard try source.read(into: extra, at: size) == 0 else { throw .bodyChanged }
        if let digest, hash.digest() != digest { throw .bodyChanged }
    }

    /// Gives a complete body its times, metadata and mode, and makes it durable.
    ///
    /// The mode comes last, since a file without write permission takes no attributes; fsync and
    /// not fdatasync, since the time is part of the revision.
    private func finish(
        _ descriptor: Descriptor, _ metadata: ObjectMetadata?, modified: Timestamp?, mode: UInt16?
    ) throws(DocFSError) -> FileStatus {
        if let modified {
            try setModified(modified, of: descriptor)
        }
        // Looked at again: the filesystem may keep times more coarsely than they were given.
        var status = try Posix.status(of: descriptor.number)
        if let metadata {
            try setAttribute(
                MetadataAttribute(metadata, tokens: [BodyIdentity(status).text]), of: descriptor)
        }
        if let mode {
            let stored = UInt32(AttachedFolder.storedMode(mode, isFile: true))
            try Posix.setMode(of: descriptor.number, stored)
            status.mode = status.mode & ~0o7777 | stored
        }
        try Posix.sync(descriptor.number)
        return status
    }

    /// The access time is set too: some FUSE filesystems ignore a call that leaves it out.
    func setModified(_ time: Timestamp, of descriptor: Descriptor) throws(DocFSError) {
        try Posix.setTimes(of: descriptor.number, accessed: .set(time), modified: .set(time))
    }

    /// As ``setModified(_:of:)``, for a symbolic link.
    func setModified(_ time: Timestamp, at place: FolderPlace) throws(DocFSError) {
        try Posix.setTimes(
            at: place.directory.number, place.name, accessed: .set(time), modified: .set(time))
    }

    func setAttribute(_ attribute: MetadataAttribute, of descriptor: Descriptor)
        throws(DocFSError)
    {
        guard traits.attributes else { return }
        try Posix.setAttribute(MetadataAttribute.name, attribute.bytes, of: descriptor.number)
    }

    private func stageCopy(
        of source: FolderPlace, _ found: ObjectInfo, _ change: FolderChange,
        _ cancellation: Cancellation
    ) throws(DocFSError) -> StagedBody {
        try stageFile(change) { (descriptor) throws(DocFSError) in
            let original = try store { () throws(DocFSError) in
                try Posix.open(
                    at: source.directory.number, source.name,
                    flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            }
            try duplicate(original, found.size, to: descriptor, cancellation)
            return try store { () throws(DocFSError) in
                guard BodyIdentity(try Posix.status(of: original.number)).revision == found.revision
                else { throw .refused }
                return try finish(
                    descriptor, change.object.metadata, modified: change.object.metadata?.modified,
                    mode: change.object.metadata?.mode)
            }
        }
    }

    /// Shares the extents of `source`, or copies its bytes where the filesystem cannot.
    private func duplicate(
        _ source: Descriptor, _ size: UInt64, to destination: Descriptor,
        _ cancellation: Cancellation
    ) throws(DocFSError) {
        do {
            try Posix.clone(from: source.number, to: destination.number)
            return
        } catch {
            // Whatever keeps the clone from being made keeps the copy from it too, or not.
        }
        var offset: UInt64 = 0
        while offset < size {
            try cancellation.check()
            let length = min(size - offset, Self.chunk)
            let copied = try store { () throws(DocFSError) -> UInt64 in
                try Posix.copy(
                    from: source.number, to: destination.number, at: offset, length: length)
            }
            guard copied > 0 else { throw .refused }
            offset += copied
        }
    }

}
