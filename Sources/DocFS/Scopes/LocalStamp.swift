/// What a file was like when the kernel's pages of it were last known to be right.
struct LocalStamp: Sendable {
    private var size: UInt64
    private var modified: Timestamp
    private var changed: Timestamp
    /// Several things of our own went on at once, so nobody knows which status came last: the next
    /// one that is seen counts as ours.
    var isUnsure = false

    init(_ status: FileStatus) {
        size = status.size
        modified = status.modified
        changed = status.changed
    }

    /// Whether `status` shows other bytes than this: a size or modification time has moved.
    func differsInContent(from status: FileStatus) -> Bool {
        size != status.size || modified != status.modified
    }

    /// Whether anything at all was done to the file since. The change time catches who rewrites a
    /// file and puts its modification time back.
    func isExactly(_ status: FileStatus) -> Bool {
        !differsInContent(from: status) && changed == status.changed
    }
}
