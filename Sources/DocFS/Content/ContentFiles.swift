internal import Glibc

/// Where content files lie on this device: one per row, named by its number, never by a name that
/// somebody else chose.
///
/// Files are 0600 and reached by directory descriptor.
package struct ContentFiles: Sendable {
    private let state: Descriptor
    private let local: Descriptor?

    /// - Parameters:
    ///   - state: the directory `contents` of the state directory; the first file that is made
    ///     makes 256 directories in it.
    ///   - local: the directory `contents` of the hidden folder on Local's filesystem.
    package init(state: Descriptor, local: Descriptor?) {
        self.state = state
        self.local = local
    }

    /// What documents are filled from that have moved in from files with further names.
    var linked: LinkedFiles { LinkedFiles(local) }

    /// For statvfs(3).
    var stateDirectory: Descriptor { state }

    private static func directory(_ ino: Int64) -> [UInt8] {
        [hexDigits[Int(ino >> 4 & 15)], hexDigits[Int(ino & 15)]]
    }

    /// The directory that a content file lies in, and its path from there.
    func location(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> (
        directory: Int32, path: [UInt8]
    ) {
        let name = Array(String(ino).utf8)
        switch place {
        case .state: return (state.number, Self.directory(ino) + [0x2F] + name)
        case .local:
            guard let local else { throw .noDevice }
            return (local.number, name)
        }
    }

    /// Opens the content file of a row for reading and writing; `nil` when there is none.
    package func open(_ ino: Int64, _ place: ContentPlace, isReadOnly: Bool = false)
        throws(DocFSError) -> Descriptor?
    {
        let (directory, path) = try location(ino, place)
        do {
            return try Posix.open(
                at: directory, path, flags: (isReadOnly ? O_RDONLY : O_RDWR) | O_NOFOLLOW)
        } catch .notFound {
            return nil
        }
    }

    /// As ``open(_:_:isReadOnly:)``, but what cannot be a content file of ours counts as none:
    /// something of another kind, or that does not let itself be opened.
    func openWhole(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> Descriptor? {
        do {
            return try open(ino, place)
        } catch .isDirectory {
            return nil
        } catch .loop {
            return nil
        } catch .accessDenied {
            return nil
        }
    }

    /// Makes a new, empty content file in place of any that is there: whoever has that one open
    /// keeps it.
    package func make(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> Descriptor {
        do {
            return try makeNew(ino, place)
        } catch .exists {
            try remove(ino, place)
            return try makeNew(ino, place)
        }
    }

    /// As ``make(_:_:)``; throws `.exists` when there is one.
    func makeNew(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> Descriptor {
        let (directory, path) = try location(ino, place)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        do {
            return try Posix.open(at: directory, path, flags: flags, mode: 0o600)
        } catch .notFound where place == .state {
            try makeDirectories(around: ino)
            return try Posix.open(at: directory, path, flags: flags, mode: 0o600)
        }
    }

    /// Makes the directories of sixteen consecutive rows, of which `ino` is one, so that their
    /// parent is synced once.
    private func makeDirectories(around ino: Int64) throws(DocFSError) {
        for number in 0..<Int64(16) {
            try makeDirectory(state.number, Self.directory(ino & ~15 | number))
        }
        try Posix.sync(state.number)
    }

    /// Makes an empty file without a name on the filesystem of a content file.
    func makeNameless(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> Descriptor {
        let (directory, path) = try location(ino, place)
        let name = path + Array(".copy".utf8)
        while true {
            do {
                let file = try Posix.open(
                    at: directory, name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
                try removeName(at: directory, name)
                return file
            } catch .exists {
                // Of a process that was killed here, or of another thread, which does not need it.
                try removeName(at: directory, name)
            }
        }
    }

    private func removeName(at directory: Int32, _ name: [UInt8]) throws(DocFSError) {
        do {
            try Posix.unlink(at: directory, name)
        } catch .notFound {}
    }

    /// Removes the content file of a row, if there is one.
    package func remove(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) {
        let (directory, path) = try location(ino, place)
        do {
            try Posix.unlink(at: directory, path)
        } catch .notFound {
        } catch .isDirectory {
            try Posix.removeDirectory(at: directory, path)
        }
    }

    /// What the names of directories begin with that hold what a catalog has lost.
    package static let asidePrefix = "lost-"
    /// What the names of directories begin with that hold what was not on the disk in whole when
    /// the power went.
    static let tornPrefix = "torn-"

    /// Puts a content file into a directory of `prefix` and `time`; those of ``asidePrefix`` are
    /// found there by ``LostCatalog``.
    ///
    /// - Returns: where the file lies now, for people: in a directory beside that of all contents.
    func putAside(
        _ ino: Int64, _ place: ContentPlace, _ prefix: String = asidePrefix, at time: Timestamp
    ) throws(DocFSError) -> String {
        let (directory, path) = try location(ino, place)
        let parts = path.split(separator: 0x2F).dropLast().map { Array($0) }
        for second in time.seconds... {
            let name = "\(prefix)\(second)"
            var folder = Array("../\(name)".utf8)
            try makeDirectory(directory, folder)
            for part in place == .state ? [Array("contents".utf8)] + parts : [] {
                folder += [0x2F] + part
                try makeDirectory(directory, folder)
            }
            let target = folder + [0x2F] + Array(String(ino).utf8)
            // An earlier catalog's file may have the same number.
            if try Posix.statusIfPresent(at: directory, target) == nil {
                try Posix.rename(at: directory, path, to: directory, target)
                return Self.above(directory) + String(decoding: target.dropFirst(3), as: UTF8.self)
            }
        }
        throw .exists
    }

    /// The path of what a directory lies in, as far as it can be told, with a slash at its end.
    private static func above(_ directory: Int32) -> String {
        let link = Array("/proc/self/fd/\(directory)".utf8)
        // Else people get the end of the path: what matters is the name.
        guard let path = try? Posix.readLink(at: AT_FDCWD, link) else { return "" }
        return String(decoding: path[...(path.lastIndex(of: 0x2F) ?? 0)], as: UTF8.self)
    }

    private func makeDirectory(_ directory: Int32, _ path: [UInt8]) throws(DocFSError) {
        do {
            try Posix.makeDirectory(at: directory, path, mode: 0o700)
        } catch .exists {}
    }

    /// Returns when the name of a content file is on stable storage, as its bytes may be.
    func syncEntry(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) {
        let (directory, path) = try location(ino, place)
        let holder = place == .state ? Array(path.prefix(2)) : [0x2E]
        let opened = try Posix.open(at: directory, holder, flags: O_RDONLY | O_DIRECTORY)
        try Posix.sync(opened.number)
    }

    /// Returns when everything on the filesystem of content files is on stable storage.
    ///
    /// - Parameter inLocal: also those of the hidden folder.
    func sync(inLocal: Bool) throws(DocFSError) {
        try Posix.syncFileSystem(state.number)
        if inLocal, let local { try Posix.syncFileSystem(local.number) }
    }

    /// Returns when the names of content files in the hidden folder are on stable storage.
    func syncLocalNames() throws(DocFSError) {
        guard let local else { return }
        let opened = try Posix.open(at: local.number, [0x2E], flags: O_RDONLY | O_DIRECTORY)
        try Posix.sync(opened.number)
    }

    /// What stat(2) tells of a content file; `nil` when there is none.
    package func status(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> FileStatus? {
        let (directory, path) = try location(ino, place)
        return try Posix.statusIfPresent(at: directory, path)
    }

    /// The rows that have content files in one of the 256 directories of the state directory.
    func numbers(inDirectory index: Int) throws(DocFSError) -> [Int64] {
        do {
            return try DirectoryStream.names(at: state.number, Self.directory(Int64(index)))
                .compactMap { Int64($0.description) }
        } catch .notFound {
            return []
        }
    }

    /// The rows that have content files in the hidden folder.
    func localNumbers() throws(DocFSError) -> [Int64] {
        guard let local else { return [] }
        return try DirectoryStream.names(at: local.number).compactMap { Int64($0.description) }
    }
}
