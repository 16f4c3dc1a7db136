internal import Glibc

/// Puts bytes under a name: whole or not at all, and never over something by accident.
enum Replacing {
    /// Writes a document anew; what it was becomes a version of it.
    ///
    /// By a file beside it that takes its place at the end, under a name that is never sent to a
    /// container (S15). Mode and attributes of the document stay.
    static func document(
        _ path: String, by write: (_ file: Int32, _ path: String) throws -> Void
    ) throws {
        let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let part = directory + "/.docfs-\(getpid()).part"
        // Opened as an editor does, so that what is saved is known to be based on it.
        let old = try Document.open(path, O_RDONLY)
        defer { close(old) }
        let mode = try Files.status(of: path).st_mode & 0o7777
        let file = try Document.open(part, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do {
            defer { close(file) }
            try write(file, part)
            try copyAttributes(of: path, to: part)
            try Files.check(part, fchmod(file, mode))
            try Files.check(part, fsync(file))
            try Files.move(part, over: path)
        } catch {
            try? Files.remove(part)
            throw error
        }
    }

    /// A new document with the bytes of the file at `source`.
    static func copy(_ source: String, to path: String) throws {
        let input = try Document.open(source, O_RDONLY)
        defer { close(input) }
        try create(path) { file, _ in
            try Document.eachPiece(of: input, source) { try Document.write($0, to: file, path) }
        }
    }

    /// A new document with what is written; none when that fails.
    static func create(
        _ path: String, by write: (_ file: Int32, _ path: String) throws -> Void
    ) throws {
        let file = try Document.open(path, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(file) }
        do {
            try write(file, path)
            try Files.check(path, fsync(file))
        } catch {
            try? Files.remove(path)
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
