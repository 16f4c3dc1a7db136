/// What stat(2) shows of one file.
package struct FileAttributes: Sendable {
    package var number: FileNumber
    /// Type and permissions, as in `st_mode`.
    package var mode: UInt32
    package var links: UInt32
    package var owner: UInt32
    package var group: UInt32
    /// Bytes.
    package var size: UInt64
    /// Units of 512 bytes.
    ///
    /// Covers the whole size also for placeholders (S3).
    package var blocks: UInt64
    package var accessed: Timestamp
    package var modified: Timestamp
    package var changed: Timestamp
    /// As `st_rdev`, for device nodes.
    package var device: UInt64

    /// Whether it is a file that has further names: what the kernel remembers of one of them is
    /// another file once that name has moved into a container (S31).
    package var hasOtherNames: Bool { links > 1 && mode & 0o170000 != 0o040000 }

    package init(
        number: FileNumber, mode: UInt32, links: UInt32, owner: UInt32, group: UInt32,
        size: UInt64, blocks: UInt64, accessed: Timestamp, modified: Timestamp,
        changed: Timestamp, device: UInt64 = 0
    ) {
        self.number = number
        self.mode = mode
        self.links = links
        self.owner = owner
        self.group = group
        self.size = size
        self.blocks = blocks
        self.accessed = accessed
        self.modified = modified
        self.changed = changed
        self.device = device
    }
}
