internal import CFuse
internal import Glibc

extension Posix {
    /// Takes the mount at `point` out of the tree at once, busy or not (umount2(2) MNT_DETACH); for
    /// a user who is not root through fusermount3(1).
    ///
    /// Follows no symbolic link at the end.
    package static func detachMount(at point: String) throws(DocFSError) {
        if umount2(point, Int32(MNT_DETACH | UMOUNT_NOFOLLOW)) == 0 { return }
        let error = lastError()
        guard error == .notPermitted else { throw error }
        let status = try run(["fusermount3", "-u", "-z", "-q", "--", point])
        if status != 0 { throw error }
    }

    /// Runs a program found in PATH and returns its exit status, -1 when a signal ended it.
    package static func run(_ arguments: [String]) throws(DocFSError) -> Int32 {
        let words = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        var child = pid_t()
        let result = posix_spawnp(&child, arguments[0], nil, nil, words + [nil], environ)
        if result != 0 { throw error(for: result) }
        var status: Int32 = 0
        try check { waitpid(child, &status, 0) }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }
}
