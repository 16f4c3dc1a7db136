import CFuse
import Glibc
import Synchronization
import Testing

@testable import DocFS

/// A plain directory of its own for one test, and the scope that shows it.
final class LocalFixture: Sendable {
    let path: String
    let directory: Descriptor
    let scope: LocalScope
    let kernel = RecordingKernel()

    /// `descriptors` is how many directories keep one.
    ///
    /// With 1, nearly everything is reached by its names.
    init(descriptors: Int = 256) throws {
        umask(0)
        var template = Array("/tmp/docfs-local-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Posix.lastError() }
        path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        directory = try Posix.open(path: path, flags: docfs_o_path | O_DIRECTORY)
        scope = try LocalScope(
            root: directory, hidden: ".docfs", invalidator: kernel, deviceIndex: nil,
            descriptors: descriptors)
    }

    deinit { Self.removeTree(path) }

    static func removeTree(_ path: String) {
        let child = removing(path)
        var status: Int32 = 0
        waitpid(child, &status, 0)
    }

    private static func removing(_ path: String) -> pid_t {
        var child: pid_t = 0
        let words = ["rm", "-rf", path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        posix_spawnp(&child, "rm", nil, nil, &arguments, environ)
        return child
    }

    // MARK: Behind the scope's back

    /// Makes or replaces a file directly in the directory.
    func put(_ path: String, _ text: String, mode: UInt32 = 0o644) throws {
        let file = try Posix.open(
            at: directory.number, Array(path.utf8), flags: O_WRONLY | O_CREAT | O_TRUNC,
            mode: mode)
        try Array(text.utf8).withUnsafeBytes { bytes in
            if !bytes.isEmpty { try Posix.write(file.number, bytes, at: 0) }
        }
    }

    func bare(_ path: String) throws -> FileStatus {
        try Posix.status(at: directory.number, Array((path.isEmpty ? "." : path).utf8))
    }

    // MARK: Through the scope, as the kernel would

    let me = Caller(user: geteuid(), group: getegid(), thread: 0)

    /// Looks a path up component by component, and retains nothing.
    func number(_ path: String) throws -> FileNumber {
        var number = scope.root
        for name in path.split(separator: "/") {
            guard let found = try scope.lookup(Name(String(name)), in: number).attributes else {
                throw DocFSError.notFound
            }
            number = found.number
        }
        return number
    }

    func attributes(_ path: String) throws -> FileAttributes {
        try #require(try scope.attributes(of: try number(path)).attributes)
    }

    func read(_ file: OpenFile, at offset: UInt64 = 0, length: Int = 65536) throws -> String {
        guard
            case .range(let descriptor, let offset, let length) =
                try scope.read(file, at: offset, length: length)
        else { throw DocFSError.badHandle }
        var bytes = [UInt8](repeating: 0, count: length)
        let count = try bytes.withUnsafeMutableBytes {
            try Posix.read(descriptor, into: $0, at: offset)
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @discardableResult
    func write(_ file: OpenFile, _ text: String, at offset: UInt64 = 0) throws -> Int {
        let bytes = Array(text.utf8)
        return try scope.write(file, at: offset, length: bytes.count) {
            (descriptor) throws(DocFSError) in
            Int(try Posix.check { pwrite(descriptor, bytes, bytes.count, off_t(offset)) })
        }
    }

    /// One write(2) through a handle with O_APPEND, as the FUSE room carries it out.
    func append(_ file: OpenFile, _ text: String) throws {
        var bytes = Array(text.utf8)
        _ = try scope.write(file, at: 0, length: bytes.count) { (descriptor) throws(DocFSError) in
            let count = bytes.withUnsafeMutableBytes { bytes in
                var vector = docfs_bufvec(bytes.count)
                vector.buf.mem = bytes.baseAddress
                return docfs_append_buf(&vector, descriptor)
            }
            if count < 0 { throw Posix.error(for: Int32(-count)) }
            return count
        }
    }

    /// Every entry of a directory, `.` and `..` left out.
    func list(_ number: FileNumber, withAttributes: Bool = false, batch: Int = .max) throws
        -> [DirectoryEntry]
    {
        let listing = try scope.openDirectory(number)
        var entries: [DirectoryEntry] = []
        var cookie: UInt64 = 0
        while true {
            var taken = 0
            try scope.list(listing, from: cookie, withAttributes: withAttributes) { entry in
                if taken == batch { return false }
                taken += 1
                cookie = entry.cookie
                if entry.name.isValid { entries.append(copy entry) }
                return true
            }
            if taken == 0 || batch == .max { return entries }
        }
    }
}

/// Notes what the kernel was told.
final class RecordingKernel: KernelInvalidator {
    private let told = Mutex<[FileNumber]>([])
    private let moved = Mutex<[(FileNumber, FileNumber)]>([])

    /// What the kernel means now by what it was given as `number`.
    func now(_ number: FileNumber) -> FileNumber {
        moved.withLock { $0.last { $0.0 == number }?.1 ?? number }
    }

    /// The numbers whose content was said to have changed, since the last time that this was asked.
    func contentChanges() -> [FileNumber] {
        told.withLock { told in
            defer { told = [] }
            return told
        }
    }

    func entryChanged(in parent: FileNumber, _ name: Name) {}
    func entryRemoved(in parent: FileNumber, _ name: Name, child: FileNumber) {}
    func entryUnused(in parent: FileNumber, _ name: Name, child: FileNumber) {}
    func attributesChanged(of number: FileNumber) {}
    func contentChanged(of number: FileNumber) { told.withLock { $0.append(number) } }
    func renumbered(_ old: FileNumber, to new: FileNumber) {
        moved.withLock { $0.append((old, new)) }
    }
}
