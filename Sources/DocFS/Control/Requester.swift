/// Who asks, with the groups that the kernel does not tell.
struct Requester {
    let user: UInt32
    let groups: Set<UInt32>

    init(user: UInt32, groups: Set<UInt32>) {
        self.user = user
        self.groups = groups
    }

    /// Whether the mode lets this user read a file (path_resolution(7)).
    func mayRead(_ file: Ownership) -> Bool {
        if user == 0 { return true }
        if user == file.user { return file.mode & 0o400 != 0 }
        return file.mode & (groups.contains(file.group) ? 0o040 : 0o004) != 0
    }

    /// Whether this user may take `file` out of `directory`, as far as its sticky bit goes
    /// (unlink(2)).
    func mayRemove(_ file: Ownership, from directory: Ownership) -> Bool {
        directory.mode & 0o1000 == 0 || user == 0 || user == file.user || user == directory.user
    }
}
