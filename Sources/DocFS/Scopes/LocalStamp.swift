/// What a file was like when the kernel's pages of it were last known to be right.
///
/// Exact after a look at the file. Our own writes make it loose: looking after every one would
/// cost more than the write, since Linux gives a file that was looked at a new time, and with it a
/// new record in the journal. Then the size is what our writes must have made it, and times count
/// up to the end of our last write. What a loose stamp cannot tell from our own is a change by
/// others that kept the size and came between two writes of ours, or within a tick of the last.
struct LocalStamp: Sendable {
    /// `nil` while nobody knows.
    private var size: UInt64?
    private var modified: Timestamp
    private var changed: Timestamp
    /// When our last write ended, if that was after the last look.
    private var writtenUntil: Timestamp?

    init(_ status: FileStatus) {
        size = status.size
        modified = status.modified
        changed = status.changed
    }

    var isExact: Bool { writtenUntil == nil }

    /// We wrote up to `end`.
    mutating func wrote(upTo end: UInt64, at time: Timestamp) {
        size = size.map { max($0, end) }
        writtenUntil = time
    }

    /// We made changes of which only the last one's time is known.
    mutating func loosen(at time: Timestamp) {
        size = nil
        writtenUntil = time
    }

    /// Whether `status` shows a change that somebody else made to the content.
    func differsInContent(from status: FileStatus) -> Bool {
        if let size, size != status.size { return true }
        if let writtenUntil { return status.modified > writtenUntil }
        return modified != status.modified
    }

    /// Whether nobody else did anything at all to the file, as far as can be told.
    ///
    /// The change time catches who rewrites a file and puts its modification time back.
    func isUntouched(in status: FileStatus) -> Bool {
        !differsInContent(from: status) && (!isExact || changed == status.changed)
    }
}
