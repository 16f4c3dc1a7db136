internal import Glibc

/// Putting aside what a lost catalog leaves behind: its content files are named by numbers that a
/// new catalog gives to other documents.
package struct LostCatalog: Sendable {
    private let state: Descriptor
    private let hidden: HiddenFolder

    private static let files = ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"]
    private static let contents = Array("contents".utf8)
    private static let prefix = Array("lost-".utf8)

    /// - Parameter state: the state directory.
    package init(state: Descriptor, hidden: HiddenFolder) {
        self.state = state
        self.hidden = hidden
    }

    /// Whether there are contents, but no catalog that tells whose they are.
    package func isMissing() throws(DocFSError) -> Bool {
        let catalog = try Posix.statusIfPresent(at: state.number, Array(Self.files[0].utf8))
        let contents = try Posix.statusIfPresent(at: state.number, Self.contents)
        return catalog == nil && contents != nil
    }

    /// Moves the catalog, if there is one, and all contents into directories of their own.
    ///
    /// Returns the name of that in the state directory.
    package func putAside(at time: Timestamp) throws(DocFSError) -> String {
        let name = Self.prefix + Array(String(time.seconds).utf8)
        try Posix.makeDirectory(at: state.number, name, mode: 0o700)
        for file in Self.files.map({ Array($0.utf8) }) + [Self.contents] {
            do throws(DocFSError) {
                try Posix.rename(
                    at: state.number, file, to: state.number, name + [0x2F] + file)
            } catch .notFound {}
        }
        try hidden.putAside(as: name)
        return String(decoding: name, as: UTF8.self)
    }

    /// The directories with content files that were put aside, at this start or an earlier one.
    package func folders() throws(DocFSError) -> [Descriptor] {
        var found: [Descriptor] = []
        for name in try DirectoryStream.names(at: state.number)
        where name.bytes.starts(with: Self.prefix) {
            guard
                let contents = try? Posix.open(
                    at: state.number, name.bytes + [0x2F] + Self.contents,
                    flags: Posix.directoryFlags)
            else { continue }
            for part in try DirectoryStream.names(at: contents.number) {
                if let folder = try? Posix.open(
                    at: contents.number, part.bytes, flags: Posix.directoryFlags)
                {
                    found.append(folder)
                }
            }
        }
        return try found + hidden.folders(startingWith: Self.prefix)
    }
}
