internal import CControl
internal import Glibc

/// System calls on paths, with their errors as ``Failure``.
enum Files {
    /// One name of a directory.
    struct Entry {
        let name: String
        let isDirectory: Bool
    }

    static func with<Result>(_ path: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let bytes = ByteText.bytes(path).map { CChar(bitPattern: $0) } + [0]
        return bytes.withUnsafeBufferPointer { body($0.baseAddress!) }
    }

    static func check(_ path: String, _ result: Int32) throws {
        if result < 0 { throw Failure(path, errno) }
    }

    // MARK: Looking

    /// lstat(2).
    static func status(of path: String) throws -> stat {
        var status = stat()
        try check(path, with(path) { lstat($0, &status) })
        return status
    }

    /// Whether nothing has this name any more, for certain.
    static func isGone(_ path: String) -> Bool {
        var status = stat()
        return with(path, { lstat($0, &status) }) != 0 && errno == ENOENT
    }

    /// Whether something has this name, as far as the user may look.
    ///
    /// - Throws: when that cannot be known: above all, when the mount does not answer.
    static func exists(_ path: String) throws -> Bool {
        var status = stat()
        if with(path, { lstat($0, &status) }) == 0 { return true }
        switch errno {
        case ENOENT, ENOTDIR, ENAMETOOLONG, EACCES, ESTALE: return false
        case let code: throw Failure(path, code)
        }
    }

    static func isDirectory(_ path: String) throws -> Bool { try status(of: path).isDirectory }

    /// The names of a directory, sorted.
    static func entries(of path: String) throws -> [Entry] {
        guard let directory = with(path, opendir) else { throw Failure(path, errno) }
        defer { closedir(directory) }
        var entries: [Entry] = []
        errno = 0
        while let entry = readdir(directory) {
            let length = strlen(
                UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name)!)
                    .assumingMemoryBound(to: CChar.self))
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix(length)) }
            let name = ByteText.text(bytes)
            if name != ".", name != ".." {
                let isDirectory = Int(entry.pointee.d_type) == Int(DT_DIR)
                entries.append(Entry(name: name, isDirectory: isDirectory))
            }
            errno = 0
        }
        if errno != 0 { throw Failure(path, errno) }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// realpath(3).
    static func real(_ path: String) throws -> String {
        guard let found = with(path, { realpath($0, nil) }) else { throw Failure(path, errno) }
        defer { free(found) }
        return ByteText.text(UnsafeRawBufferPointer(start: found, count: strlen(found)))
    }

    static func currentDirectory() throws -> String {
        guard let found = getcwd(nil, 0) else { throw Failure(".", errno) }
        defer { free(found) }
        return ByteText.text(UnsafeRawBufferPointer(start: found, count: strlen(found)))
    }

    // MARK: Attributes

    /// `nil` where there is no such attribute.
    static func attribute(_ name: String, of path: String) throws -> String? {
        var value = [UInt8](repeating: 0, count: 65_536)
        let length = with(path) { control_getxattr($0, name, &value, value.count) }
        if length >= 0 { return ByteText.text(value.prefix(length)) }
        if errno == ENODATA || errno == EOPNOTSUPP { return nil }
        throw Failure(path, errno)
    }

    /// A user's own; those of DocFS are never listed.
    static func attributeNames(of path: String) throws -> [String] {
        var list = [UInt8](repeating: 0, count: 65_536)
        let length = with(path) { control_listxattr($0, &list, list.count) }
        if length < 0 { throw Failure(path, errno) }
        return list.prefix(length).split(separator: 0).map { ByteText.text($0) }
            .filter { $0.hasPrefix("user.") }
    }

    /// Returns errno, 0 when it was set.
    static func setAttribute(_ name: String, of path: String, to value: String) -> Int32 {
        let bytes = ByteText.bytes(value)
        return with(path) { control_setxattr($0, name, bytes, bytes.count) } == 0 ? 0 : errno
    }

    // MARK: Changing names

    /// rename(2), which takes the name over if it is there.
    static func move(_ path: String, over other: String) throws {
        try check(path, with(path) { path in with(other) { rename(path, $0) } })
    }

    /// Never over something that is there.
    static func move(_ path: String, to new: String) throws {
        let result = with(path) { path in with(new) { control_rename_new(path, $0) } }
        if result < 0, errno == EEXIST { throw Failure(new, EEXIST) }
        try check(path, result)
    }

    /// The path, or `NAME 2.EXT`, `NAME 3.EXT` and so on where that is taken.
    static func freeName(_ path: String) throws -> String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let dot = path[path.index(after: slash)...].dropFirst().lastIndex(of: ".") ?? path.endIndex
        var (new, number) = (path, 1)
        while try exists(new) {
            number += 1
            new = "\(path[..<dot]) \(number)\(path[dot...])"
        }
        return new
    }

    static func remove(_ path: String) throws { try check(path, with(path, unlink)) }
}

extension stat {
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    /// Seconds since 1970, with nanoseconds.
    var modified: Moment {
        Moment(seconds: Int64(st_mtim.tv_sec), nanoseconds: Int64(st_mtim.tv_nsec))
    }
    /// When its state changed last; of what lies in the trash, when it was deleted.
    var changed: Moment {
        Moment(seconds: Int64(st_ctim.tv_sec), nanoseconds: Int64(st_ctim.tv_nsec))
    }
    /// Bytes.
    var size: UInt64 { UInt64(st_size) }
}
