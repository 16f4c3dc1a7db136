internal import Glibc

/// What is known of a name in a watched directory of `Local/`.
struct LocalEntry: Hashable, Sendable {
    let file: LocalIdentity
    let mode: UInt32
    let owner: UInt32
    let links: UInt32
    /// Bytes.
    let size: UInt64
    let modified: Timestamp
    let changed: Timestamp

    init(_ status: FileStatus) {
        file = LocalIdentity(status)
        mode = status.mode
        owner = status.owner
        links = status.links
        size = status.size
        modified = status.modified
        changed = status.changed
    }

    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

    /// Whether both are the same file or directory.
    func isSame(as other: LocalEntry) -> Bool {
        file == other.file && mode & S_IFMT == other.mode & S_IFMT
    }

    /// Whether this, the same file as `old`, is another one to a reader.
    ///
    /// - Parameter hasAttributes: whether the kernel has told of its attributes: they leave no
    ///   other trace than the time of the last change, and so does another name of the file.
    func differs(from old: LocalEntry, _ hasAttributes: Bool) -> Bool {
        if mode != old.mode || owner != old.owner { return true }
        // What comes into a directory or goes is no edit of it.
        if isDirectory { return false }
        if size != old.size || modified != old.modified { return true }
        return hasAttributes && links == old.links && changed != old.changed
    }
}
