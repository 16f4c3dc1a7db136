internal import CFuse
internal import Glibc

/// What stat(2) tells of a file on this computer's disk.
package struct FileStatus: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// Type and permissions, as in `st_mode`.
    package var mode: UInt32
    package var links: UInt32
    package var owner: UInt32
    package var group: UInt32
    package var deviceNode: UInt64
    /// Bytes.
    package var size: UInt64
    /// Units of 512 bytes.
    package var blocks: UInt64
    package var accessed: Timestamp
    package var modified: Timestamp
    package var changed: Timestamp

    init(_ value: stat) {
        device = UInt64(value.st_dev)
        inode = UInt64(value.st_ino)
        mode = value.st_mode
        links = UInt32(truncatingIfNeeded: value.st_nlink)
        owner = value.st_uid
        group = value.st_gid
        deviceNode = UInt64(value.st_rdev)
        size = UInt64(max(0, value.st_size))
        blocks = UInt64(max(0, value.st_blocks))
        accessed = Timestamp(value.st_atim)
        modified = Timestamp(value.st_mtim)
        changed = Timestamp(value.st_ctim)
    }

    package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
    package var isSymlink: Bool { mode & S_IFMT == S_IFLNK }
    /// A FIFO, a socket or a device: used without open files of ours.
    package var isSpecial: Bool { !isDirectory && !isRegularFile && !isSymlink }
    /// The low twelve bits of ``mode``.
    package var permissions: UInt32 { mode & 0o7777 }
}

extension Timestamp {
    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    }
}
