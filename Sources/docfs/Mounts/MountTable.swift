internal import Glibc

/// The mounts of this process, from /proc/self/mountinfo (proc(5)): the only way to ask about a
/// mount that may be dead without ever waiting for it.
struct MountTable {
    struct Entry {
        /// Where it is mounted.
        let point: String
        /// As `fuse.docfs`.
        let type: String
        /// Who mounted it, where the filesystem says so.
        let user: uid_t?

        var isDocFS: Bool { type == "fuse.docfs" }
    }

    /// In the order of mounting.
    let entries: [Entry]

    static func current() throws -> MountTable {
        MountTable(text: try Document.bytes(of: "/proc/self/mountinfo"))
    }

    /// A line: id, parent, major:minor, root, point, options, optional fields, "-", type, source,
    /// options of the filesystem.
    init(text: [UInt8]) {
        entries = text.split(separator: 0x0A).compactMap { line in
            let words = line.split(separator: 0x20)
            guard words.count > 6, let dash = words.firstIndex(of: [0x2D]), dash + 3 < words.count
            else { return nil }
            let options = String(decoding: words[dash + 3], as: UTF8.self).split(separator: ",")
            let user = options.first { $0.hasPrefix("user_id=") }?.dropFirst(8)
            return Entry(
                point: Self.unescaped(words[4]), type: Self.unescaped(words[dash + 1]),
                user: user.flatMap { uid_t($0) })
        }
    }

    /// The mount that a path lies in; the path is absolute and without links.
    func entry(of path: String) -> Entry? {
        var found: Entry?
        for entry in entries where entry.point == "/" || (path + "/").hasPrefix(entry.point + "/") {
            // Of several mounts at one place the last is the visible one.
            if entry.point.utf8.count >= found?.point.utf8.count ?? 0 { found = entry }
        }
        return found
    }

    /// Blanks, tabs, newlines and backslashes come as a backslash and three octal digits.
    private static func unescaped(_ word: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = word
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == 0x5C, digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
                bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 - 0x30) })
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return ByteText.text(bytes)
    }
}
