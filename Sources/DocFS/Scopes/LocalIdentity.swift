/// How the disk tells one file from another while it exists: `st_dev` and `st_ino`.
struct LocalIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    init(_ status: FileStatus) {
        self.init(device: status.device, inode: status.inode)
    }

    /// Whether the inode is too great for a file number, and is folded into fewer bits there.
    var isFolded: Bool { inode >> 48 != 0 }
}
