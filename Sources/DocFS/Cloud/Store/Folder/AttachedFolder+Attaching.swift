internal import Glibc

/// How a folder is found, made and probed.
extension AttachedFolder {
    /// What becomes of a folder's `.docfs`, and of a missing folder.
    enum Control {
        case made, required, optional
    }

    /// Opens the folder at `path` and finds out what its filesystem can do.
    ///
    /// - Parameters:
    ///   - control: whether the folder and its `.docfs` are made when missing. An existing folder
    ///     without a `.docfs` that is required is no container, perhaps the mount point of one:
    ///     `.noContainer`.
    ///   - mayBeReadOnly: whether a folder that cannot be written is one that is only read; then
    ///     it needs no `.docfs`.
    ///   - most: what may be used of it at most.
    ///   - owner: whose staged files are cleared away that nobody writes any more.
    static func attach(
        path: String, control: Control, mayBeReadOnly: Bool = false,
        most: FolderTraits = FolderTraits(), owner: DeviceID? = nil
    ) throws(DocFSError) -> AttachedFolder {
        let (root, status) = try open(path, create: control == .made)
        try refuseInside(root, path)
        // Not by the device alone: there may be two that take each other for themselves (S34).
        let ownName = [owner?.description, freshName()].compactMap(\.self).joined(separator: "-")
        let folder = AttachedFolder(
            path: path, root: root, status: status, traits: FolderTraits(), ownName: ownName)
        return try folder.store { () throws(DocFSError) in
            var refusal: String?
            var hasControl = try folder.findControl()
            if mayBeReadOnly, !hasControl { refusal = try folder.refusal }
            if refusal == nil, !hasControl, control != .optional {
                guard control == .made else { throw .noContainer("\(path) has no .docfs") }
                try folder.makeControl()
                hasControl = true
            }
            var traits = most
            if most != .none {
                traits = try folder.traits(owner, isTried: hasControl, &refusal)
                    .intersection(most)
            }
            return AttachedFolder(
                path: path, root: root, status: status, traits: traits, ownName: ownName,
                writesRefused: mayBeReadOnly ? refusal : nil, hasControl: hasControl)
        }
    }

    private static func open(_ path: String, create: Bool) throws(DocFSError)
        -> (Descriptor, FileStatus)
    {
        do {
            if create { try Posix.makeDirectories(path: path, mode: 0o700) }
            let root = try Posix.open(path: path, flags: O_RDONLY | O_DIRECTORY)
            return (root, try Posix.status(of: root.number))
        } catch .accessDenied {
            throw .credentialsRefused("\(path): permission denied")
        } catch .readOnly {
            throw .credentialsRefused("\(path): the filesystem is read-only")
        } catch {
            if Posix.isFull(error) { throw .storeFull }
            throw .offline("\(path): \(error.sentence)")
        }
    }

    /// Refuses a folder in that of another container: what is done in either would be done in both
    /// (S33).
    private static func refuseInside(_ root: Descriptor, _ path: String) throws(DocFSError) {
        let real: [UInt8]
        do throws(DocFSError) {
            real = try Posix.readLink(at: AT_FDCWD, Array("/proc/self/fd/\(root.number)".utf8))
        } catch {
            throw .offline("\(path): where it lies cannot be told: \(error.sentence)")
        }
        var rest = real.split(separator: 0x2F).dropLast()
        while !rest.isEmpty {
            let above = Array("/".utf8) + rest.joined(separator: [0x2F])
            if holdsContainer(above) {
                let other = String(decoding: above, as: UTF8.self)
                throw .offline("\(path) lies in the folder of another container, \(other)")
            }
            rest = rest.dropLast()
        }
    }

    /// Whether the directory at `path` is a container's folder, as far as the user may look.
    private static func holdsContainer(_ path: [UInt8]) -> Bool {
        let marker = path + Array("/.docfs/container.json".utf8)
        // What another user keeps to themselves may not be known, and roots of automounters answer
        // as they like: neither is a reason to do without this container.
        let status = try? Posix.statusIfPresent(at: AT_FDCWD, marker)
        return status?.isRegularFile ?? false
    }

    /// - Returns: whether there is a `.docfs`.
    private func findControl() throws(DocFSError) -> Bool {
        let name = AttachedFolder.controlName
        guard let status = try Posix.statusIfPresent(at: root.number, name) else { return false }
        guard status.isDirectory else { throw .corrupt("\(path)/.docfs is no directory") }
        return true
    }

    /// Why nothing can be made in the folder, in words.
    private var refusal: String? {
        get throws(DocFSError) {
            do throws(DocFSError) {
                try Posix.checkAccess(at: root.number, [0x2E], W_OK | X_OK)
                return nil
            } catch {
                return try AttachedFolder.refusal(by: error)
            }
        }
    }

    /// What a failure to write says of the whole folder, in words.
    ///
    /// - Throws: `error`, where it says nothing of that.
    private static func refusal(by error: DocFSError) throws(DocFSError) -> String {
        switch error {
        case .readOnly: return "the filesystem is read-only"
        case .accessDenied: return "permission denied"
        default: throw error
        }
    }

    func makeControl() throws(DocFSError) {
        do {
            try Posix.makeDirectory(at: root.number, AttachedFolder.controlName, mode: 0o700)
        } catch .exists {
            // Another device was quicker.
        }
        dirty.insert(.root)
    }

    // MARK: Probing

    /// Tries every call that some filesystem lacks, below `.docfs/tmp`.
    ///
    /// On a folder that cannot be written the usual is assumed: nothing of it will be used.
    ///
    /// - Parameters:
    ///   - isTried: false where there is no `.docfs` to try anything in.
    ///   - refusal: why it cannot be written, in words, where that is found out.
    private func traits(_ owner: DeviceID?, isTried: Bool, _ refusal: inout String?)
        throws(DocFSError) -> FolderTraits
    {
        var traits = FolderTraits()
        // inotify(7) does not tell of their other users.
        traits.events = try !Posix.isRemote(root.number)
        if !isTried { return traits }
        let name = "probe-" + ownName
        do {
            let places = try ["-a", "-b", "-c", "-C"].map { (suffix) throws(DocFSError) in
                try stagingPlace(name + suffix)
            }
            defer {
                // Not all of them were made. What stays is cleared away by a later attach.
                for place in places { try? Posix.unlink(at: place.directory.number, place.name) }
            }
            try probe(places[0], places[1], &traits)
            if let owner, traits.locks { try clear(afterDeaths: owner) }
            traits.foldsNames = try probeFolding(places[2], places[3])
        } catch  where Posix.isFull(error) {
            // As said above: what cannot be written cannot be tried.
        } catch {
            refusal = try Self.refusal(by: error)
        }
        return traits
    }

    /// Removes what interrupted probes and writes of the container's own files have left.
    ///
    /// Whoever still writes one holds its lock; what cannot be told is left to the collector.
    private func clear(afterDeaths owner: DeviceID) throws(DocFSError) {
        let directory = try Posix.open(
            at: stagingDirectory().number, [0x2E], flags: O_RDONLY | O_DIRECTORY)
        let (staged, probes) = (Array("\(owner)-".utf8), Array("probe-\(owner)-".utf8))
        let current = Array("probe-\(ownName)".utf8)
        for name in try DirectoryStream.names(at: directory.number).map(\.bytes)
        where (name.starts(with: staged) || name.starts(with: probes))
            && !name.starts(with: current)
        {
            // Gone since, being written, or not to be told: see above.
            guard
                let file = try? Posix.open(
                    at: directory.number, name, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK),
                let lock = try? FileLock(file)
            else { continue }
            // The next attach tries again.
            try? Posix.unlink(at: directory.number, name)
            withExtendedLifetime(lock) {}
        }
    }

    private func probe(_ one: FolderPlace, _ other: FolderPlace, _ traits: inout FolderTraits)
        throws(DocFSError)
    {
        let file = try make(one)
        traits.attributes = try offers { () throws(DocFSError) in
            try Posix.setAttribute(MetadataAttribute.name, [0x31], of: file.number)
        }
        traits.modes = try offers { () throws(DocFSError) in
            try Posix.setMode(of: file.number, 0o640)
            let status = try Posix.status(of: file.number)
            if status.permissions & 0o777 != 0o640 { throw .notOffered }
        }
        // Without modes it is FAT or its like, whose files lose st_ctime with the cache.
        traits.changeTimes = try keepsChangeTimes(file) && traits.modes
        traits.locks = try offers { () throws(DocFSError) in _ = try FileLock(file) }
        traits.links = try offers { () throws(DocFSError) in
            try Posix.link(
                at: one.directory.number, one.name, to: other.directory.number, other.name)
            try Posix.unlink(at: other.directory.number, other.name)
        }
        // To a free name: when it is taken the kernel refuses without asking the filesystem.
        traits.renamesWithoutReplacing = try offers { () throws(DocFSError) in
            try Posix.rename(
                at: one.directory.number, one.name, to: other.directory.number, other.name,
                mode: .noReplace)
        }
        _ = try make(traits.renamesWithoutReplacing ? one : other)
        traits.exchanges = try offers { () throws(DocFSError) in try exchange(one, other) }
    }

    /// Whether `attempt` works here.
    ///
    /// `.exists` is the refusal that was asked for.
    private func offers(_ attempt: () throws(DocFSError) -> Void) throws(DocFSError) -> Bool {
        do {
            try attempt()
            return true
        } catch .exists {
            return true
        } catch .diskFull {
            throw .diskFull
        } catch .readOnly {
            throw .readOnly
        } catch {
            return false
        }
    }

    private func probeFolding(_ lower: FolderPlace, _ upper: FolderPlace) throws(DocFSError)
        -> Bool
    {
        _ = try make(lower)
        return try Posix.statusIfPresent(at: upper.directory.number, upper.name) != nil
    }

    private func make(_ place: FolderPlace) throws(DocFSError) -> Descriptor {
        try Posix.open(
            at: place.directory.number, place.name, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    }
}
