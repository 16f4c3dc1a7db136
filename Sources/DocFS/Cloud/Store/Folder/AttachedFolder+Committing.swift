/// How a staged body takes its place.
extension AttachedFolder {
    func commit(_ change: FolderChange, _ staged: StagedBody, _ cancellation: Cancellation)
        throws(DocFSError) -> ObjectInfo
    {
        do {
            try store { () throws(DocFSError) in
                switch change.condition {
                case .absent:
                    try create(staged.place, at: change.place)
                    CrashPoint.reached(.bodyCreated)
                case .revision(let base):
                    try locked(cancellation) { () throws(DocFSError) in
                        try replace(change, base, staged)
                    }
                }
            }
        } catch {
            // Ours alone, and not there any more once it was exchanged. What stays is removed when
            // the change is made again or settled, and collected in the end.
            try? Posix.unlink(at: staged.place.directory.number, staged.place.name)
            throw error
        }
        dirty.insert(change.path.parent)
        return committed(change, staged)
    }

    private func committed(_ change: FolderChange, _ staged: StagedBody) -> ObjectInfo {
        if let target = change.object.target {
            return ObjectInfo(
                path: change.path, kind: .symlink, size: staged.status.size,
                revision: BodyIdentity(staged.status).revision, modified: staged.status.modified,
                target: target)
        }
        let attribute = change.object.metadata.map {
            MetadataAttribute($0, tokens: [BodyIdentity(staged.status).text])
        }
        return info(
            change.path, status: staged.status, attribute: traits.attributes ? attribute : nil)
    }

    /// Renames `from` to a name that must be free: `.refused` when it is taken.
    func create(_ from: FolderPlace, at place: FolderPlace) throws(DocFSError) {
        do {
            if traits.renamesWithoutReplacing {
                try rename(from, to: place, mode: .noReplace)
            } else {
                try link(from, at: place)
            }
        } catch .exists {
            throw .refused
        }
    }

    /// renameat2(2).
    ///
    /// When the filesystem breaks down under it nobody knows whether it was done.
    func rename(_ from: FolderPlace, to place: FolderPlace, mode: RenameMode = .replace)
        throws(DocFSError)
    {
        do {
            try Posix.rename(
                at: from.directory.number, from.name, to: place.directory.number, place.name,
                mode: mode)
        } catch {
            throw Posix.isUnreachable(error) ? .outcomeUnknown(error.sentence) : error
        }
    }

    /// What ``create(_:at:)`` does where renameat2(2) knows no flags.
    private func link(_ from: FolderPlace, at place: FolderPlace) throws(DocFSError) {
        do {
            try Posix.link(
                at: from.directory.number, from.name, to: place.directory.number, place.name)
        } catch .exists {
            // link(2), BUGS: over NFS the reply may be lost after the link was made.
            guard
                let there = try Posix.statusIfPresent(at: place.directory.number, place.name),
                there.inode == (try Posix.status(at: from.directory.number, from.name)).inode
            else { throw .exists }
        }
        do {
            try Posix.unlink(at: from.directory.number, from.name)
        } catch {
            throw .outcomeUnknown(error.sentence)
        }
    }

    /// Puts a staged body in the place of `base`.
    ///
    /// Under the container's lock.
    private func replace(_ change: FolderChange, _ base: Revision, _ staged: StagedBody)
        throws(DocFSError)
    {
        let place = change.place
        guard let now = try Posix.statusIfPresent(at: place.directory.number, place.name),
            !now.isDirectory, BodyIdentity(now).revision == base
        else { throw .refused }
        // Made before anything takes effect, so that it cannot fail for want of room after.
        let keep = try change.keep.map { (keep) throws(DocFSError) in try self.place(keep) }
        guard traits.exchanges else {
            return try replaceByRename(change, now, keep, staged)
        }
        let aside = try stagingPlace(change.name)
        // The container's own files have one name for all changes, and nobody settles them.
        if change.object.metadata == nil { try removeLeftover(aside) }
        try create(staged.place, at: aside)
        CrashPoint.reached(.bodySetAside)
        do {
            try exchange(aside, place)
            CrashPoint.reached(.bodyExchanged)
        } catch {
            // It may be the replaced body by now, or another program's: settling looks at it.
            if case .outcomeUnknown = error { throw error }
            do {
                try removeLeftover(aside)
            } catch {
                throw .outcomeUnknown(error.sentence)
            }
            throw error == .notFound ? .refused : error
        }
        do {
            let out = try Posix.status(at: aside.directory.number, aside.name)
            if BodyIdentity(out).revision == base, !out.isDirectory {
                try putAway(aside, change.keep)
                CrashPoint.reached(.bodyKept)
            } else {
                try exchangeBack(change, aside, ours: staged.status.inode)
            }
        } catch .refused {
            throw .refused
        } catch {
            throw .outcomeUnknown(error.sentence)
        }
    }

    /// What ``replace(_:_:_:)`` does without RENAME_EXCHANGE: safe among devices, which all take
    /// the lock; another program that replaces the file in the same instant loses its body.
    private func replaceByRename(
        _ change: FolderChange, _ now: FileStatus, _ keep: FolderPlace?, _ staged: StagedBody
    ) throws(DocFSError) {
        let place = change.place
        if let keep {
            if let kept = try Posix.statusIfPresent(at: keep.directory.number, keep.name) {
                // Kept by an attempt that was interrupted, or another body under the same name.
                if kept.inode != now.inode { try moveToFound(keep) }
            }
            do throws(DocFSError) {
                try Posix.link(
                    at: place.directory.number, place.name, to: keep.directory.number, keep.name)
            } catch .exists {
                // The very body: another one was moved away above.
            }
            dirty.insert(change.keep!.parent)
        }
        try rename(staged.place, to: place)
    }

    // MARK: What came out of an exchange

    func exchange(_ one: FolderPlace, _ other: FolderPlace) throws(DocFSError) {
        try rename(one, to: other, mode: .exchange)
    }

    /// Keeps a replaced body, or drops it when nobody wants it.
    func putAway(_ aside: FolderPlace, _ keep: ItemPath?) throws(DocFSError) {
        guard let keep else {
            return try Posix.unlink(at: aside.directory.number, aside.name)
        }
        do {
            try create(aside, at: try place(keep))
            dirty.insert(keep.parent)
        } catch .refused {
            try moveToFound(aside)
        }
    }

    /// Undoes an exchange that brought out another program's body, and throws `.refused`.
    ///
    /// Exchanged until what comes out is what was put in last: then nobody interfered, the newest
    /// body of another program stands at its path, and only what that program overwrote itself is
    /// left aside.
    func exchangeBack(_ change: FolderChange, _ aside: FolderPlace, ours: UInt64)
        throws(DocFSError)
    {
        var put = ours
        while true {
            let out = try Posix.status(at: aside.directory.number, aside.name).inode
            do throws(DocFSError) {
                try exchange(aside, change.place)
            } catch .notFound {
                // The other program removed ours; its body comes back, as edits beat deletes.
                do throws(DocFSError) {
                    try create(aside, at: change.place)
                    throw DocFSError.refused
                } catch .refused {
                    guard
                        try Posix.statusIfPresent(at: aside.directory.number, aside.name) != nil
                    else { throw .refused }
                    continue
                }
            }
            let back = try Posix.status(at: aside.directory.number, aside.name).inode
            if back == put { break }
            put = out
        }
        if put == ours {
            try Posix.unlink(at: aside.directory.number, aside.name)
        } else {
            try moveToFound(aside)
        }
        throw .refused
    }

    /// Moves a body that nobody expected to `.docfs/found`, where people find it.
    func moveToFound(_ aside: FolderPlace) throws(DocFSError) {
        try create(aside, at: try place(Self.foundPath.appending(Name(Self.freshName()))))
        dirty.insert(Self.foundPath)
    }
}
