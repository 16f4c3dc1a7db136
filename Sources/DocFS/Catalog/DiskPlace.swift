/// A name in a directory of `Local/`, told by what the disk calls the directory.
package struct DiskPlace: Hashable, Sendable {
    /// `st_dev` and `st_ino` of the directory.
    package var device: UInt64
    package var inode: UInt64
    package var name: Name

    package init(device: UInt64, inode: UInt64, name: Name) {
        self.device = device
        self.inode = inode
        self.name = name
    }

    package init(of directory: FileStatus, name: Name) {
        self.init(device: directory.device, inode: directory.inode, name: name)
    }

    init(row: Statement) {
        device = UInt64(bitPattern: row.int())
        inode = UInt64(bitPattern: row.int())
        name = Name(row.bytes())
    }
}
