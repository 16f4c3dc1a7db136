internal import Glibc

/// Puts bytes under a name: whole or not at all, and never over something by accident.
enum Replacing {
    /// Writes a document anew; what it was becomes a version of it.
    ///
    /// By a file beside it that takes its place at the end, under a name that is never sent to a
    /// container (S15). Owner, mode and attributes of the document stay.
    ///
    /// - Parameters:
    ///   - readers: the permission bits of what is written, if it is not the user's own: whom they
    ///     do not let read it cannot read the document either.
    ///   - check: called when all is written; what it throws leaves the document as it was.
    static func document(
        _ path: String, for readers: mode_t = 0o777, checking check: () throws -> Void,
        by write: (_ file: Int32, _ path: String) throws -> Void
    ) throws {
        let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let part = directory + "/.docfs-\(getpid()).part"
        // Opened as an editor does, so that what is saved is known to be based on it.
        let old = try Document.open(path, O_RDONLY)
        defer { close(old) }
        let status = try Files.status(of: path)
        let file = try Document.open(part, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do {
            defer { close(file) }
            try write(file, part)
            try copyAttributes(of: path, to: part)
            try give(file, part, like: status, mode: status.st_mode & ~(0o044 & ~readers))
            try Files.check(part, fsync(file))
            try check()
            try Files.move(part, over: path)
        } catch {
            // What stays is never sent, and the document is as it was.
            try? Files.remove(part)
            throw error
        }
    }

    /// Sets the mode, and the owner as far as the user may.
    private static func give(_ file: Int32, _ path: String, like other: stat, mode: mode_t) throws {
        if fchown(file, other.st_uid, other.st_gid) != 0 {
            _ = fchown(file, uid_t.max, other.st_gid)
        }
        try Files.check(path, fchmod(file, mode & 0o7777))
    }

    /// A new document with the bytes, the mode and, where the user may give it away, the owner of
    /// the file at `source`.
    static func copy(_ source: String, to path: String) throws {
        let input = try Document.open(source, O_RDONLY)
        defer { close(input) }
        let status = try Files.status(of: source)
        try create(path, for: 0o400) { file, _ in
            try Document.eachPiece(of: input, source) { try Document.write($0, to: file, path) }
            try give(file, path, like: status, mode: status.st_mode & 0o777)
        }
    }

    /// A new document with what is written; none when that fails.
    ///
    /// - Parameter readers: as of ``document(_:for:by:)``.
    static func create(
        _ path: String, for readers: mode_t,
        by write: (_ file: Int32, _ path: String) throws -> Void
    ) throws {
        var mode: mode_t = 0o600
        if readers & 0o040 != 0 { mode |= 0o060 }
        if readers & 0o004 != 0 { mode |= 0o006 }
        let file = try Document.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
        defer { close(file) }
        do {
            try write(file, path)
            try Files.check(path, fsync(file))
        } catch {
            // What stays would be taken for the document.
            if Files.with(path, unlink) < 0, errno != ENOENT {
                throw Failure("\(error); a part of it is left and has to be removed: \(path)")
            }
            throw error
        }
    }

    private static func copyAttributes(of path: String, to other: String) throws {
        for name in try Files.attributeNames(of: path) {
            guard let value = try Files.attribute(name, of: path) else { continue }
            let code = Files.setAttribute(name, of: other, to: value)
            if code != 0 { throw Failure(other, code) }
        }
    }
}
