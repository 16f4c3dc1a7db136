/// A row of a cloud scope that the mount already shows in a directory of `Local/` (S24).
package struct IncomingEntry: Hashable, Sendable {
    package var place: DiskPlace
    package var ino: Int64
    /// The directory's modification time before the disk had the name: it moved when the user
    /// moved the document.
    ///
    /// `nil` until the document arrives.
    package var directoryModified: Timestamp?
    /// What the disk had under the name when the rename was accepted; `nil` when it had nothing.
    package var replaced: ReplacedFile?

    package init(
        place: DiskPlace, ino: Int64, directoryModified: Timestamp? = nil,
        replaced: ReplacedFile? = nil
    ) {
        self.place = place
        self.ino = ino
        self.directoryModified = directoryModified
        self.replaced = replaced
    }

    init(row: Statement) {
        place = DiskPlace(row: row)
        ino = row.int()
        let seconds = row.optionalInt()
        let nanoseconds = row.optionalInt() ?? 0
        directoryModified = seconds.map {
            Timestamp(
                seconds: $0, nanoseconds: UInt32(clamping: min(nanoseconds, 999_999_999)))
        }
        replaced = ReplacedFile(row: row)
    }
}
