/// Programs whose reads do not mean that somebody wants to read a document (S10).
///
/// They are known by the name of what they run, or the one that the kernel has of the thread.
package struct KnownReaders: Sendable {
    /// How much of a document is fetched for who reads in it.
    package enum Fetching: Sendable {
        /// All, once it seems to be read and not only looked at.
        case everything
        /// What it asks for.
        case ranges
        /// Nothing: it gets what is here.
        case nothing
    }

    private let indexers: [NamePattern]

    /// The indexers and thumbnailers of GNOME, KDE, Xfce and plocate, which read every document
    /// that there is.
    package static let knownIndexers = [
        "tracker-miner-fs-3", "tracker-extract-3", "localsearch-3", "localsearch-extractor-3",
        "tumblerd", "baloo_file", "baloo_file_extractor", "updatedb", "updatedb.*",
        "ffmpegthumbnailer", "gdk-pixbuf-thumbnailer", "glycin-*",
    ]
    /// Who looks at a document, however large its looks are: file(1) reads 7 MiB at either end.
    private static let lookers = [NamePattern("file")]

    /// What the kernel keeps of a thread's name, in bytes (TASK_COMM_LEN without its end).
    private static let threadNameLength = 15

    /// - Parameter indexers: patterns of names beside those that are known.
    package init(indexers: [String] = []) {
        self.indexers = (KnownReaders.knownIndexers + indexers).map(NamePattern.init)
    }

    /// What is fetched for a thread; no thread at all is no known program's.
    func fetching(for thread: Int32) -> Fetching {
        guard thread > 0 else { return .everything }
        // A script is known by the thread's name alone.
        let (program, name) = (Posix.program(ofThread: thread), Posix.name(ofThread: thread))
        func isOne(of patterns: [NamePattern]) -> Bool {
            if let program, Self.matches(program, patterns) { return true }
            guard let name else { return false }
            let isCut = name.utf8.count == Self.threadNameLength
            return Self.matches(name, patterns)
                || isCut && patterns.contains { $0.text.hasPrefix(name) }
        }
        if isOne(of: indexers) { return .nothing }
        return isOne(of: Self.lookers) ? .ranges : .everything
    }

    private static func matches(_ text: String, _ patterns: [NamePattern]) -> Bool {
        let name = Name(text)
        return patterns.contains { $0.matches(name) }
    }
}
