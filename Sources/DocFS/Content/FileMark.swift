/// What tells that a file was written: the kernel moves the time with every write, and with the
/// first one through a mapping since the page was last sent to the disk.
struct FileMark: Hashable, Sendable {
    /// Bytes.
    var size: UInt64
    var modified: Timestamp

    init(_ status: FileStatus) {
        size = status.size
        modified = status.modified
    }

    init(_ row: LocalItem) {
        size = row.size
        modified = row.modified
    }
}
