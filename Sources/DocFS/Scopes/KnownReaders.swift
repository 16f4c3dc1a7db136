/// Programs that read every document there is, and whose reads are no reason to fetch one (S10).
///
/// They are known by the name of what they run, or the one that the kernel has of the thread.
package struct Indexers: Sendable {
    private let patterns: [NamePattern]

    /// The indexers and thumbnailers of GNOME, KDE, Xfce and plocate.
    package static let known = [
        "tracker-miner-fs-3", "tracker-extract-3", "localsearch-3", "localsearch-extractor-3",
        "tumblerd", "baloo_file", "baloo_file_extractor", "updatedb", "updatedb.*",
        "ffmpegthumbnailer", "gdk-pixbuf-thumbnailer", "glycin-*",
    ]

    /// What the kernel keeps of a thread's name, in bytes (TASK_COMM_LEN without its end).
    private static let threadNameLength = 15

    /// - Parameter others: patterns of names beside those that are known.
    package init(and others: [String] = []) {
        patterns = (Indexers.known + others).map(NamePattern.init)
    }

    /// Whether a thread is one of such a program's; no thread at all is none.
    func include(thread: Int32) -> Bool {
        guard thread > 0 else { return false }
        if let program = Posix.program(ofThread: thread), matches(program) { return true }
        // A script is known by this name alone.
        guard let name = Posix.name(ofThread: thread) else { return false }
        let isCut = name.utf8.count == Self.threadNameLength
        return matches(name) || isCut && patterns.contains { $0.text.hasPrefix(name) }
    }

    private func matches(_ name: String) -> Bool {
        patterns.contains { $0.matches(Name(name)) }
    }
}
