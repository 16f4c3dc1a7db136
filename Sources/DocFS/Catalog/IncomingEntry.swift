/// A row of a cloud scope that the mount already shows in a directory of `Local/` (S24).
package struct IncomingEntry: Hashable, Sendable {
    package var place: DiskPlace
    package var ino: Int64
    /// The directory's modification time before the disk had the name: it moved when the user
    /// moved the document.
    ///
    /// `nil` until the document arrives.
    package var directoryModified: Timestamp?

    package init(place: DiskPlace, ino: Int64, directoryModified: Timestamp? = nil) {
        self.place = place
        self.ino = ino
        self.directoryModified = directoryModified
    }

    init(row: Statement) {
        place = DiskPlace(row: row)
        ino = row.int()
        if let seconds = row.optionalInt() {
            directoryModified = Timestamp(seconds: seconds, nanoseconds: UInt32(row.int()))
        }
    }
}
