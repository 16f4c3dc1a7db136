/// Names one body in a folder: inode, size and modification time, as text
/// `i12345-s678-m1700000000.123456789`.
///
/// A body that another program changes gets another token, as far as the filesystem's clock tells
/// two moments apart; renaming keeps it.
struct BodyIdentity: Hashable, Sendable {
    let text: String

    init(_ status: FileStatus) {
        self.init(inode: status.inode, size: status.size, modified: status.modified)
    }

    init(inode: UInt64, size: UInt64, modified: Timestamp) {
        text = "i\(inode)-s\(size)-m\(modified.text)"
    }

    var revision: Revision { Revision(text) }
}

extension Timestamp {
    /// Seconds, a point, nine digits.
    var text: String {
        let digits = String(nanoseconds)
        return "\(seconds)." + String(repeating: "0", count: 9 - digits.utf8.count) + digits
    }

    /// Reads ``text``; `nil` for anything else.
    init?(text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 9, let seconds = Int64(parts[0]),
            let nanoseconds = UInt32(parts[1]), nanoseconds < 1_000_000_000
        else { return nil }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }
}
