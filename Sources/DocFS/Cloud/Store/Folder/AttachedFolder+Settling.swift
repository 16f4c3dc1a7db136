internal import Glibc

/// How an interrupted change is finished, or cleared away.
extension AttachedFolder {
    /// What an earlier attempt of the same operation has already done: its result when it took
    /// effect, `nil` when everything is still to do.
    ///
    /// Refuses what cannot succeed before a byte is copied.
    func settled(_ change: FolderChange, _ cancellation: Cancellation) throws(DocFSError)
        -> ObjectInfo?
    {
        try store { () throws(DocFSError) in
            let current = try info(change.path, at: change.place)
            let isDone =
                try current.map { (current) throws(DocFSError) in
                    try isOurs(current, at: change.place, change.object)
                } ?? false
            if change.object.metadata != nil, case .revision(let base) = change.condition {
                try settleLeftover(change, base, isDone: isDone, cancellation)
            }
            if isDone { return current }
            try check(change.condition, current)
            return nil
        }
    }

    private func check(_ condition: WriteCondition, _ current: ObjectInfo?) throws(DocFSError) {
        switch condition {
        case .absent where current == nil: break
        case .revision(let expected) where current?.revision == expected: break
        default: throw .refused
        }
    }

    /// Whether `found` is what this operation writes, whole.
    private func isOurs(_ found: ObjectInfo, at place: FolderPlace, _ object: ExpectedObject)
        throws(DocFSError) -> Bool
    {
        guard let metadata = object.metadata else { return false }
        if let target = object.target {
            // Links carry no attributes: the same target and time is as good as the same link.
            return found.target == target && found.modified == metadata.modified
        }
        guard found.kind == .file, found.size == object.size else { return false }
        if traits.attributes { return found.metadata?.operation == metadata.operation }
        guard found.modified == metadata.modified, let digest = metadata.digest else {
            return false
        }
        return try self.digest(of: place) == digest
    }

    private func digest(of place: FolderPlace) throws(DocFSError) -> Digest? {
        let descriptor = try Posix.open(
            at: place.directory.number, place.name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(Self.chunk), alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: UInt64 = 0
        while true {
            let count = try Posix.read(descriptor.number, into: buffer, at: offset)
            if count == 0 { return hash.digest() }
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += UInt64(count)
        }
    }

    /// Finishes an exchange that was interrupted, by what is left at `.docfs/tmp/OP`.
    private func settleLeftover(
        _ change: FolderChange, _ base: Revision, isDone: Bool, _ cancellation: Cancellation
    ) throws(DocFSError) {
        let aside = try stagingPlace(change.name)
        guard try Posix.statusIfPresent(at: aside.directory.number, aside.name) != nil else {
            return
        }
        try locked(cancellation) { () throws(DocFSError) in
            guard let left = try info(change.path, at: aside) else { return }
            if try isOurs(left, at: aside, change.object) {
                // Not exchanged yet, or exchanged back.
                try Posix.unlink(at: aside.directory.number, aside.name)
            } else if left.revision == base {
                try putAway(aside, change.keep)
            } else if isDone {
                let ours = try Posix.status(at: change.place.directory.number, change.place.name)
                try exchangeBack(change, aside, ours: ours.inode)
            } else {
                try moveToFound(aside)
            }
        }
    }

    // MARK: Not to be repeated

    /// Ends a write or copy that was interrupted and is not repeated.
    ///
    /// What it left is finished when it took effect, and removed otherwise.
    func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?, _ cancellation: Cancellation
    ) throws(DocFSError) -> ObjectInfo? {
        guard let operation = object.metadata?.operation.description else { return nil }
        return try store { () throws(DocFSError) in
            try removePart(of: operation)
            guard let place = try existingPlace(path) else {
                let aside = try stagingPlace(operation)
                let left = try Posix.statusIfPresent(at: aside.directory.number, aside.name)
                if left != nil { try moveToFound(aside) }
                return nil
            }
            let change = FolderChange(
                path: path, place: place, object: ExpectedObject(object), condition: condition,
                keep: keep, name: operation)
            do throws(DocFSError) {
                return try settled(change, cancellation)
            } catch .refused {
                return nil
            }
        }
    }

    /// Removes a body or directory that was staged and never seen.
    private func removePart(of operation: String) throws(DocFSError) {
        let part = try stagingPlace(FolderChange.partName(operation))
        do {
            try Posix.unlink(at: part.directory.number, part.name)
        } catch .isDirectory {
            try Posix.removeDirectory(at: part.directory.number, part.name)
        } catch .notFound {
            // Nothing was staged, or it has its name.
        }
    }
}
