internal import Glibc

/// What a lost catalog leaves behind, put aside: its content files are named by numbers that a new
/// catalog gives to other documents.
package struct LostCatalog: Sendable {
    private let state: Descriptor
    private let hidden: HiddenFolder

    private static let files = ["", "-wal", "-shm", "-open", "-sealed"]
        .map { Array("catalog.sqlite\($0)".utf8) }
    private static let contents = Array("contents".utf8)
    private static let prefix = Array(ContentFiles.asidePrefix.utf8)

    /// - Parameter state: the state directory.
    package init(state: Descriptor, hidden: HiddenFolder) {
        self.state = state
        self.hidden = hidden
    }

    /// Whether there are contents, but no catalog, or an empty one, that tells whose they are.
    ///
    /// - Parameter state: the state directory.
    package static func isMissing(in state: Descriptor) throws(DocFSError) -> Bool {
        let catalog = try Posix.statusIfPresent(at: state.number, files[0])
        let contents = try Posix.statusIfPresent(at: state.number, contents)
        // One that was cut to nothing would be taken for a new one, and all contents for nobody's.
        return (catalog?.size ?? 0) == 0 && contents != nil
    }

    /// Moves the catalog, if there is one, and all contents into directories of their own.
    ///
    /// The contents of the state directory go last: as long as they are there, a start after a
    /// crash knows that there is something to put aside.
    ///
    /// Returns the name of the directory in the state directory.
    package func putAside(at time: Timestamp) throws(DocFSError) -> String {
        let name = Self.prefix + Array(String(time.seconds).utf8)
        do throws(DocFSError) {
            try Posix.makeDirectory(at: state.number, name, mode: 0o700)
        } catch .exists {}
        for file in Self.files { try move(file, into: name) }
        try hidden.putAside(as: name)
        try move(Self.contents, into: name)
        return String(decoding: name, as: UTF8.self)
    }

    private func move(_ file: [UInt8], into name: [UInt8]) throws(DocFSError) {
        do throws(DocFSError) {
            try Posix.rename(at: state.number, file, to: state.number, name + [0x2F] + file)
        } catch .notFound {}
    }

    /// Whether nothing was put aside, neither at this start nor at an earlier one.
    package func isEmpty() throws(DocFSError) -> Bool {
        let (kept, hidden) = (try names(in: state), try names(in: hidden.folder))
        return kept.isEmpty && hidden.isEmpty
    }

    /// Whether the state directory still has what was put aside.
    ///
    /// As long as it has, the user may want it back.
    package func isKept() throws(DocFSError) -> Bool { try !names(in: state).isEmpty }

    /// Hands every directory with content files that were put aside to `body`, one after the other.
    ///
    /// - Throws: at the end, when one of them could not be looked into, or `body` has thrown.
    func eachFolder(_ body: (Descriptor) throws(DocFSError) -> Void) throws(DocFSError) {
        var failure: DocFSError?
        for name in try names(in: state) {
            do throws(DocFSError) {
                try eachPart(of: name, body)
            } catch {
                failure = error
            }
        }
        for name in try names(in: hidden.folder) {
            do throws(DocFSError) {
                if let folder = try open(name.bytes, in: hidden.folder) { try body(folder) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// The same for what was put aside as `name` in the state directory.
    private func eachPart(of name: Name, _ body: (Descriptor) throws(DocFSError) -> Void)
        throws(DocFSError)
    {
        let path = name.bytes + [0x2F] + Self.contents
        guard let contents = try open(path, in: state) else { return }
        var failure: DocFSError?
        for part in try DirectoryStream.names(at: contents.number) {
            do throws(DocFSError) {
                if let folder = try open(part.bytes, in: contents) { try body(folder) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func names(in directory: Descriptor) throws(DocFSError) -> [Name] {
        try DirectoryStream.names(at: directory.number)
            .filter { $0.bytes.starts(with: Self.prefix) }
    }

    /// `nil` for what is not there, or no directory.
    private func open(_ path: [UInt8], in directory: Descriptor) throws(DocFSError) -> Descriptor? {
        try Posix.ifPresent { () throws(DocFSError) in
            try Posix.open(at: directory.number, path, flags: Posix.directoryFlags)
        }
    }
}
