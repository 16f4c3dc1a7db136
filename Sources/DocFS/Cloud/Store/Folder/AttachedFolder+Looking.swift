internal import Glibc

/// head and list.
extension AttachedFolder {
    func head(_ path: ItemPath) throws(DocFSError) -> ObjectInfo? {
        let found = try store { () throws(DocFSError) -> ObjectInfo? in
            if path.isRoot {
                return try info(path, of: root, status: try Posix.status(of: root.number))
            }
            guard let place = try existingPlace(path) else { return nil }
            return try info(path, at: place)
        }
        if found == nil { try checkRoot() }
        return found
    }

    func list(_ path: ItemPath, _ cancellation: Cancellation) throws(DocFSError) -> [ObjectInfo] {
        let result = try store { () throws(DocFSError) -> [ObjectInfo] in
            let directory = try directory(path, flags: O_RDONLY)
            var infos: [ObjectInfo] = []
            let names = try DirectoryStream.names(at: directory.number)
            infos.reserveCapacity(names.count)
            for (index, name) in names.enumerated() {
                if index % 256 == 0 { try cancellation.check() }
                if path.isRoot, name.bytes == AttachedFolder.controlName { continue }
                let place = FolderPlace(directory: directory, name: name.bytes)
                if let found = try info(path.appending(name), at: place) { infos.append(found) }
            }
            return infos
        }
        // A folder that was just unmounted looks like an empty one (S23).
        try checkRoot()
        return result
    }

    /// What is at `place`; `nil` when nothing is, or a pipe, socket or device.
    func info(_ path: ItemPath, at place: FolderPlace) throws(DocFSError) -> ObjectInfo? {
        while true {
            guard
                let status = try Posix.statusIfPresent(at: place.directory.number, place.name),
                status.isRegularFile || status.isDirectory || status.isSymlink
            else { return nil }
            // A link is held by O_PATH, so that its status and target are of one link.
            let flags =
                status.isSymlink ? Posix.pathOnly | O_NOFOLLOW : O_RDONLY | O_NOFOLLOW | O_NONBLOCK
            do {
                let descriptor = try Posix.open(
                    at: place.directory.number, place.name, flags: flags)
                let opened = try Posix.status(of: descriptor.number)
                if opened.mode & S_IFMT == status.mode & S_IFMT {
                    return try info(path, of: descriptor, status: opened)
                }
            } catch .accessDenied {
                // It is there, and stat(2) tells all but what we wrote beside it.
                return info(path, status: status, attribute: nil)
            } catch .notFound {
                return nil
            } catch .loop {
                // It has become a link since: once more.
            }
        }
    }

    private func info(_ path: ItemPath, of descriptor: Descriptor, status: FileStatus)
        throws(DocFSError) -> ObjectInfo
    {
        if status.isSymlink {
            let token = BodyIdentity(status)
            return ObjectInfo(
                path: path, kind: .symlink, size: status.size, revision: token.revision,
                modified: status.modified,
                target: try Posix.readLink(at: descriptor.number, []))
        }
        return info(path, status: status, attribute: try attribute(of: descriptor))
    }

    /// What we wrote beside the body, `nil` where there is nothing that we can read.
    func attribute(of descriptor: Descriptor) throws(DocFSError) -> MetadataAttribute? {
        guard traits.attributes else { return nil }
        do {
            return try Posix.attribute(MetadataAttribute.name, of: descriptor.number)
                .flatMap(MetadataAttribute.init(bytes:))
        } catch .notOffered {
            return nil
        }
    }

    /// A file or directory as its status and attribute tell it.
    func info(_ path: ItemPath, status: FileStatus, attribute: MetadataAttribute?) -> ObjectInfo {
        let isFile = status.isRegularFile
        let token = isFile ? BodyIdentity(status).text : MetadataAttribute.directoryToken(status)
        let metadata = attribute.flatMap { $0.tokens.contains(token) ? $0.metadata : nil }
        var mode = traits.modes ? UInt16(status.permissions & 0o777) : metadata?.mode
        if let metadata, AttachedFolder.storedMode(metadata.mode, isFile: isFile) == mode {
            mode = metadata.mode & 0o777
        }
        return ObjectInfo(
            path: path, kind: isFile ? .file : .directory, size: isFile ? status.size : 0,
            revision: isFile ? Revision(token) : nil, modified: status.modified, mode: mode,
            metadata: metadata, formerItem: metadata == nil ? attribute?.metadata.item : nil)
    }

    /// The permission bits of a file or directory in the folder: as its document's, and always
    /// enough for its owner to read a file and to change a directory.
    ///
    /// Otherwise a document of mode 0 could not be fetched by any device but root's.
    static func storedMode(_ mode: UInt16, isFile: Bool) -> UInt16 {
        (mode & 0o777) | (isFile ? 0o400 : 0o700)
    }
}
