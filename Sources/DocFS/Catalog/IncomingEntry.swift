/// A row of a cloud scope that the mount already shows in a directory of `Local/` (S24).
package struct IncomingEntry: Hashable, Sendable {
    /// The directory on disk.
    package var device: UInt64
    package var inode: UInt64
    package var name: Name
    package var ino: Int64

    package init(device: UInt64, inode: UInt64, name: Name, ino: Int64) {
        self.device = device
        self.inode = inode
        self.name = name
        self.ino = ino
    }

    init(row: Statement) {
        device = UInt64(bitPattern: row.int())
        inode = UInt64(bitPattern: row.int())
        name = Name(row.bytes())
        ino = row.int()
    }
}
