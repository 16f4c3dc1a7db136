/// A file of `Local/` that a rename over its name has replaced, and that the disk still has there:
/// what arrives later may take its place, and nothing else's (S2, S24).
package struct ReplacedFile: Hashable, Sendable {
    /// `st_ino`.
    package var inode: UInt64
    /// Bytes.
    package var size: UInt64
    package var modified: Timestamp

    package init(_ status: FileStatus) {
        inode = status.inode
        size = status.size
        modified = status.modified
    }

    /// Reads three columns; `nil` when the first is NULL.
    init?(row: Statement) {
        let number = row.optionalInt()
        let bytes = row.optionalInt() ?? 0
        let time = row.optionalInt() ?? 0
        let fraction = row.optionalInt() ?? 0
        guard let number else { return nil }
        inode = UInt64(bitPattern: number)
        size = UInt64(clamping: bytes)
        modified = Timestamp(
            seconds: time, nanoseconds: UInt32(clamping: min(fraction, 999_999_999)))
    }

    /// Whether `status` still is the file that was replaced: nobody has put another one there, or
    /// written into it, since.
    ///
    /// Of a directory, what is in it counts elsewhere.
    package func isStill(_ status: FileStatus) -> Bool {
        guard inode == status.inode else { return false }
        return status.isDirectory || (size == status.size && modified == status.modified)
    }
}
