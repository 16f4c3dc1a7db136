internal import CFuse
internal import Glibc

/// What is mounted, as /proc/self/mountinfo tells (proc(5)): the only way to ask about a mount
/// that may be dead without ever waiting for it.
package struct MountTable: Sendable {
    package struct Entry: Hashable, Sendable {
        /// The device of the mounted filesystem; for FUSE the minor number names the connection.
        package let major: UInt32
        package let minor: UInt32
        /// Where it is mounted.
        package let point: String
        /// As `fuse.docfs`.
        package let type: String
    }

    /// In the order of mounting: of several mounts at one place the last is the visible one.
    package let entries: [Entry]

    /// Reads the table of this process.
    package static func current() throws(DocFSError) -> MountTable {
        MountTable(text: try Posix.contents(ofPath: "/proc/self/mountinfo"))
    }

    /// The mount that is visible at `point` now.
    ///
    /// A process without /proc sees none.
    package static func current(at point: String) -> Entry? {
        // Always there where /proc is, and readable by everybody.
        (try? current())?.mount(at: point)
    }

    package init(text: [UInt8]) {
        entries = text.split(separator: 0x0A).compactMap { MountTable.entry($0) }
    }

    /// The mount that is visible at `point`.
    package func mount(at point: String) -> Entry? { entries.last { $0.point == point } }

    /// A line: id, parent, major:minor, root, point, options, optional fields, "-", type, and more.
    private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
        let words = line.split(separator: 0x20)
        guard words.count > 6, let dash = words.firstIndex(of: [0x2D]), dash + 1 < words.count
        else { return nil }
        let device = words[2].split(separator: 0x3A).compactMap {
            UInt32(String(decoding: $0, as: UTF8.self))
        }
        guard device.count == 2 else { return nil }
        return Entry(
            major: device[0], minor: device[1], point: unescaped(words[4]),
            type: unescaped(words[dash + 1]))
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
        return String(decoding: bytes, as: UTF8.self)
    }
}
