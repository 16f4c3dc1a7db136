/// How a session mounts.
package struct SessionOptions: Sendable {
    /// Absolute, and resolved: no symbolic link on the way.
    package var mountPoint: String
    package var allowsOthers: Bool
    package var isReadOnly: Bool
    /// Whether the kernel is asked to read and write files by itself.
    package var passesThrough: Bool
    /// How many threads answer requests.
    ///
    /// Parked reads hold none.
    package var threads: UInt32
    /// How many names of files the kernel may know before the oldest are taken back (S4).
    package var namesKept: Int

    package init(
        mountPoint: String, allowsOthers: Bool = false, isReadOnly: Bool = false,
        passesThrough: Bool = true, threads: UInt32 = 10, namesKept: Int = 65_536
    ) {
        self.mountPoint = mountPoint
        self.allowsOthers = allowsOthers
        self.isReadOnly = isReadOnly
        self.passesThrough = passesThrough
        self.threads = threads
        self.namesKept = namesKept
    }

    /// What the table of mounts shows as our type.
    package static let mountType = "fuse.docfs"

    /// What libfuse and the kernel are told, as `-o` takes it (fuse(8)).
    var text: String {
        var words = [
            "fsname=docfs", "subtype=docfs", "default_permissions", "nosuid", "nodev",
        ]
        if allowsOthers { words.append("allow_other") }
        if isReadOnly { words.append("ro") }
        return words.joined(separator: ",")
    }
}
