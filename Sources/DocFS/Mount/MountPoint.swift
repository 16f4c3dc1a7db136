internal import Glibc

/// The directory to mount at, resolved and found usable.
package enum MountPoint {
    /// The path without symbolic links.
    ///
    /// Looks at the table of mounts before it touches anything, since what is mounted there may be
    /// dead.
    package static func checked(_ path: String) throws(MountFailure) -> String {
        try refuseMount(at: path)
        guard let resolved = resolved(path) else {
            throw MountFailure("mount point \(path): \(Posix.lastError().sentence)")
        }
        try refuseMount(at: resolved)
        do throws(DocFSError) {
            let directory = try Posix.open(
                path: resolved, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            guard try DirectoryStream.names(at: directory.number).isEmpty else { throw .notEmpty }
        } catch {
            throw MountFailure("mount point \(resolved): \(error.sentence)")
        }
        return resolved
    }

    /// The same path with the parent's symbolic links resolved: where a mount would be, without
    /// touching it.
    private static func refuseMount(at path: String) throws(MountFailure) {
        let parts = path.split(separator: "/")
        guard let last = parts.last else { throw MountFailure("the root cannot be a mount point") }
        let parent = "/" + parts.dropLast().joined(separator: "/")
        let place = resolved(parent).map { ($0 == "/" ? "" : $0) + "/" + last } ?? path
        guard let mount = MountTable.current(at: place) else { return }
        let advice =
            mount.type == SessionOptions.mountType
            ? ", by a daemon with another state directory; to remove it: fusermount3 -u -z \(place)"
            : ""
        throw MountFailure("\(place) is already mounted (\(mount.type))\(advice)")
    }

    /// realpath(3).
    private static func resolved(_ path: String) -> String? {
        guard let result = realpath(path, nil) else { return nil }
        defer { free(result) }
        return String(cString: result)
    }
}
