/// move and remove.
extension AttachedFolder {
    func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition, _ cancellation: Cancellation
    ) throws(DocFSError) -> ObjectInfo {
        try store { () throws(DocFSError) in
            guard let from = try existingPlace(source), let found = try info(source, at: from)
            else {
                return try alreadyMoved(expected, to: destination)
            }
            if found.kind == .directory, destination.isAtOrBelow(source) { throw .loop }
            let to = try place(destination)
            switch (expected, condition) {
            case (nil, .absent) where found.kind == .directory:
                try moveDirectory(from, to, cancellation)
            case (let expected?, .absent) where found.revision == expected:
                try locked(cancellation) { () throws(DocFSError) in
                    try moveFile(from, expected, to)
                }
            case (let expected?, .revision(let replaced)):
                try locked(cancellation) { () throws(DocFSError) in
                    try moveFile(from, expected, over: to, replaced)
                }
            default:
                throw .refused
            }
            CrashPoint.reached(.objectMoved)
            if found.kind == .directory { dirty.move(source, to: destination) }
            dirty.insert(source.parent)
            dirty.insert(destination.parent)
            guard let moved = try info(destination, at: to) else {
                throw .outcomeUnknown("\(destination) changed at once")
            }
            return moved
        }
    }

    /// The result of a move whose source has gone: done before, when the destination is the body.
    private func alreadyMoved(_ expected: Revision?, to destination: ItemPath)
        throws(DocFSError) -> ObjectInfo
    {
        guard let expected, let place = try existingPlace(destination),
            let found = try info(destination, at: place), found.revision == expected
        else { throw .notFound }
        dirty.insert(destination.parent)
        return found
    }

    func moveDirectory(
        _ from: FolderPlace, _ to: FolderPlace, _ cancellation: Cancellation
    ) throws(DocFSError) {
        if traits.renamesWithoutReplacing { return try create(from, at: to) }
        try locked(cancellation) { () throws(DocFSError) in
            guard try Posix.statusIfPresent(at: to.directory.number, to.name) == nil else {
                throw .refused
            }
            try rename(from, to: to)
        }
    }

    private func moveFile(_ from: FolderPlace, _ expected: Revision, _ to: FolderPlace)
        throws(DocFSError)
    {
        guard try revision(at: from) == expected else { throw .refused }
        try create(from, at: to)
        guard try revision(at: to) == expected else {
            // Another program was quicker: its body goes back.
            do throws(DocFSError) {
                try create(to, at: from)
            } catch .refused {
                try moveToFound(to)
            }
            throw .refused
        }
    }

    private func moveFile(
        _ from: FolderPlace, _ expected: Revision, over to: FolderPlace, _ replaced: Revision
    ) throws(DocFSError) {
        let before = (try revision(at: from), try revision(at: to))
        if before == (replaced, expected) {
            // Exchanged by an attempt that was interrupted.
            return try discard(from, replaced)
        }
        guard before == (expected, replaced) else { throw .refused }
        guard traits.exchanges else {
            return try rename(from, to: to)
        }
        try exchange(from, to)
        guard (try revision(at: from), try revision(at: to)) == (replaced, expected) else {
            try exchange(from, to)
            throw .refused
        }
        try discard(from, replaced)
    }

    func remove(_ path: ItemPath, expecting expected: Revision, _ cancellation: Cancellation)
        throws(DocFSError)
    {
        try store { () throws(DocFSError) in
            guard let place = try existingPlace(path) else { throw .notFound }
            try locked(cancellation) { () throws(DocFSError) in
                guard let found = try info(path, at: place) else { throw .notFound }
                guard found.revision == expected else { throw .refused }
                try discard(place, expected)
            }
            dirty.insert(path.parent)
        }
    }

    /// Removes a body that was looked at after it was taken away, or puts it back.
    private func discard(_ place: FolderPlace, _ expected: Revision) throws(DocFSError) {
        let aside = try stagingPlace(Self.freshName())
        do {
            try create(place, at: aside)
        } catch .notFound {
            throw .refused
        }
        guard try revision(at: aside) == expected else {
            do throws(DocFSError) {
                try create(aside, at: place)
            } catch .refused {
                try moveToFound(aside)
            }
            throw .refused
        }
        try Posix.unlink(at: aside.directory.number, aside.name)
    }

    /// The revision of the file or link at `place`; `nil` for a directory and when nothing is.
    private func revision(at place: FolderPlace) throws(DocFSError) -> Revision? {
        guard let status = try Posix.statusIfPresent(at: place.directory.number, place.name),
            status.isRegularFile || status.isSymlink
        else { return nil }
        return BodyIdentity(status).revision
    }
}
