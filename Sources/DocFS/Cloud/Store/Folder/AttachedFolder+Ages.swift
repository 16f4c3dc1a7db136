internal import Glibc

/// How long things have been where they are.
///
/// That is what st_ctime tells (inode(7)): it moves on with every change of a file's bytes, owner
/// or mode, and on Linux's filesystems with every rename of it, and nobody can set it.
extension AttachedFolder {
    func stored(_ path: ItemPath) throws(DocFSError) -> StoredObject? {
        try store { () throws(DocFSError) in
            guard let place = try existingPlace(path) else { return nil }
            return try stored(path, at: place)
        }
    }

    func stored(below path: ItemPath, _ cancellation: Cancellation) throws(DocFSError)
        -> [StoredObject]
    {
        try store { () throws(DocFSError) in
            let directory = try directory(path, flags: O_RDONLY)
            var objects: [StoredObject] = []
            for (index, name) in try DirectoryStream.names(at: directory.number).enumerated() {
                if index % 256 == 0 { try cancellation.check() }
                let place = FolderPlace(directory: directory, name: name.bytes)
                if let found = try stored(path.appending(name), at: place) { objects.append(found) }
            }
            return objects
        }
    }

    private func stored(_ path: ItemPath, at place: FolderPlace) throws(DocFSError)
        -> StoredObject?
    {
        guard let status = try Posix.statusIfPresent(at: place.directory.number, place.name),
            status.isRegularFile || status.isDirectory || status.isSymlink
        else { return nil }
        let kind: ItemKind =
            status.isDirectory ? .directory : status.isSymlink ? .symlink : .file
        return StoredObject(
            path: path, kind: kind,
            revision: status.isDirectory ? nil : BodyIdentity(status).revision,
            stored: traits.changeTimes ? status.changed : nil)
    }

    /// Whether the filesystem keeps st_ctime for itself: some put st_mtime in its place, which is
    /// the document's.
    func keepsChangeTimes(_ file: Descriptor) throws(DocFSError) -> Bool {
        try setModified(Timestamp(seconds: 1_000_000_000), of: file)
        let status = try Posix.status(of: file.number)
        return status.changed > status.modified
    }
}
