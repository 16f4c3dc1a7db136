internal import Glibc

/// Where a state directory is at home: the computer and the very directory, by which a copy is told
/// from what it was copied from (S34).
///
/// Start of the system, kernel and a renamed directory make no difference. A copy on another
/// computer, under another path or in place of what it was made from does; what changes none of it
/// (a cloned disk, a snapshot that was gone back to) is seen in the change log.
struct StatePlace: Hashable {
    /// The computer, in hexadecimal digits, `-` where it cannot be told; ``anyMachine`` on a
    /// filesystem that several share, where each may be at home.
    var machine: String
    var inode: UInt64
    /// When the directory was made; `nil` where the filesystem does not tell.
    var born: Timestamp?
    var path: String

    static let anyMachine = "shared"
    private static let application = Array("docfs state place".utf8)

    /// The place of an open directory.
    init(of directory: Descriptor, path: String) throws(DocFSError) {
        // In doubt it is this computer's: at worst it counts as a copy, which costs nothing.
        let isShared = (try? Posix.isRemote(directory.number)) ?? false
        machine = isShared ? Self.anyMachine : Posix.machine(for: Self.application) ?? "-"
        inode = try Posix.status(of: directory.number).inode
        born = Posix.birth(of: directory.number)
        self.path = path
    }

    /// Lines of machine, inode, time (`-` for what is not known) and the path up to the end;
    /// `nil` for anything else.
    init?(text: String) {
        let lines = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, let inode = UInt64(lines[1]), lines[3].hasPrefix("/"),
            lines[3].hasSuffix("\n")
        else { return nil }
        machine = String(lines[0])
        self.inode = inode
        let words = lines[2].split(separator: " ").compactMap { Int64($0) }
        born = words.count == 2 ? Timestamp(checked: words[0], nanoseconds: words[1]) : nil
        path = String(lines[3].dropLast())
    }

    var text: String {
        let time = born.map { "\($0.seconds) \($0.nanoseconds)" } ?? "-"
        return "\(machine)\n\(inode)\n\(time)\n\(path)\n"
    }

    /// Whether the directory of `known` and this one are two.
    ///
    /// In doubt they are: to be another device from now on costs nobody anything.
    ///
    /// - Parameter current: what is under the path of `known` now.
    func isCopy(of known: StatePlace, current: Current) -> Bool {
        if machine != known.machine { return true }
        // Network filesystems number their files as they like.
        if machine == Self.anyMachine, path == known.path { return false }
        if inode != known.inode || born != known.born { return true }
        return path != known.path && current == .another
    }

    /// What is under the path of a known place now: no state directory of this device, this very
    /// directory, or a second one.
    enum Current {
        case nothing, this, another
    }
}
