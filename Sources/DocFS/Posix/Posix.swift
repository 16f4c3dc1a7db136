internal import CFuse
internal import Glibc

/// Linux system calls with names as bytes and failures as ``DocFSError``; no policy.
///
/// Every call names its directory by descriptor, so that nobody can exchange a path component
/// under it. Interrupted calls (EINTR) are made again, except close(2).
package enum Posix {
    /// The failure that the last system call of this thread left in `errno`.
    package static func lastError() -> DocFSError { error(for: Glibc.errno) }

    /// What an errno means in the terms of documents; `.system` where there is no own term.
    package static func error(for code: Int32) -> DocFSError {
        switch code {
        case ENOENT: .notFound
        case EEXIST: .exists
        case ENOTDIR: .notDirectory
        case EISDIR: .isDirectory
        case ENOTEMPTY: .notEmpty
        case EPERM: .notPermitted
        case EACCES: .accessDenied
        case EINVAL: .invalidArgument
        case ENAMETOOLONG: .nameTooLong
        case ENODATA: .noSuchAttribute
        case EBADF: .badHandle
        case EROFS: .readOnly
        case EMLINK: .tooManyLinks
        case ELOOP: .loop
        case EBUSY: .busy
        case EOPNOTSUPP: .notOffered
        case ESTALE: .stale
        case EINTR: .interrupted
        case EFBIG: .tooLarge
        case EAGAIN: .wouldBlock
        case ERANGE: .rangeTooSmall
        case E2BIG: .attributeTooLarge
        case ENXIO: .noMoreData
        case ENOSPC: .diskFull
        case EXDEV: .otherFilesystem
        default: .system(errno: code)
        }
    }

    /// Makes `call` until it was not interrupted, and throws what it left in `errno`.
    @discardableResult
    package static func check<Value: SignedInteger>(_ call: () -> Value) throws(DocFSError)
        -> Value
    {
        while true {
            let value = call()
            if value >= 0 { return value }
            if Glibc.errno != EINTR { throw lastError() }
        }
    }

    // MARK: Opening

    /// openat(2), close-on-exec.
    ///
    /// `name` may be a relative path.
    package static func open(
        at directory: Int32, _ name: [UInt8], flags: Int32, mode: UInt32 = 0
    ) throws(DocFSError) -> Descriptor {
        let name = name + [0]
        return Descriptor(
            try check {
                name.withUnsafeBytes {
                    docfs_openat(
                        directory, $0.baseAddress!.assumingMemoryBound(to: CChar.self),
                        flags | O_CLOEXEC, mode)
                }
            })
    }

    /// openat2(2) that resolves strictly below `directory` and follows no symbolic link.
    ///
    /// `path` has no leading slash; an empty one is the directory itself.
    package static func openBeneath(
        _ directory: Int32, _ path: [UInt8], flags: Int32, mode: UInt32 = 0
    ) throws(DocFSError) -> Descriptor {
        let path = (path.isEmpty ? [0x2E] : path) + [0]
        return Descriptor(
            try check {
                path.withUnsafeBytes {
                    docfs_openat_beneath(
                        directory, $0.baseAddress!.assumingMemoryBound(to: CChar.self),
                        flags | O_CLOEXEC, mode)
                }
            })
    }

    /// open(2) of an absolute or working-directory path, for what the configuration names.
    package static func open(path: String, flags: Int32, mode: UInt32 = 0) throws(DocFSError)
        -> Descriptor
    {
        try open(at: AT_FDCWD, Array(path.utf8), flags: flags, mode: mode)
    }

    // MARK: Status

    package static func status(of descriptor: Int32) throws(DocFSError) -> FileStatus {
        var value = stat()
        try check { fstat(descriptor, &value) }
        return FileStatus(value)
    }

    /// fstatat(2) without following a symbolic link.
    package static func status(at directory: Int32, _ name: [UInt8]) throws(DocFSError)
        -> FileStatus
    {
        var value = stat()
        try withCString(name) { (name) throws(DocFSError) in
            try check { fstatat(directory, name, &value, docfs_at_symlink_nofollow) }
        }
        return FileStatus(value)
    }

    /// What `body` finds by a name; `nil` where nothing has it, or something of another kind.
    ///
    /// That is a link where none is followed, or no directory where one is wanted.
    package static func ifPresent<Value>(_ body: () throws(DocFSError) -> Value)
        throws(DocFSError) -> Value?
    {
        do throws(DocFSError) {
            return try body()
        } catch .notFound {
            return nil
        } catch .notDirectory {
            return nil
        } catch .loop {
            return nil
        }
    }

    /// As ``status(at:_:)``, `nil` when there is nothing of this name.
    package static func statusIfPresent(at directory: Int32, _ name: [UInt8]) throws(DocFSError)
        -> FileStatus?
    {
        do {
            return try status(at: directory, name)
        } catch .notFound {
            return nil
        } catch .notDirectory {
            return nil
        }
    }

    // MARK: Names

    package static func makeDirectory(at directory: Int32, _ name: [UInt8], mode: UInt32)
        throws(DocFSError)
    {
        try withCString(name) { (name) throws(DocFSError) in
            try check { mkdirat(directory, name, mode) }
        }
    }

    package static func unlink(at directory: Int32, _ name: [UInt8]) throws(DocFSError) {
        try withCString(name) { (name) throws(DocFSError) in
            try check { unlinkat(directory, name, 0) }
        }
    }

    package static func removeDirectory(at directory: Int32, _ name: [UInt8]) throws(DocFSError) {
        try withCString(name) { (name) throws(DocFSError) in
            try check { unlinkat(directory, name, docfs_at_removedir) }
        }
    }

    /// renameat2(2).
    package static func rename(
        at directory: Int32, _ name: [UInt8], to newDirectory: Int32, _ newName: [UInt8],
        mode: RenameMode = .replace
    ) throws(DocFSError) {
        let flags: UInt32 =
            switch mode {
            case .replace: 0
            case .noReplace: docfs_rename_noreplace
            case .exchange: docfs_rename_exchange
            }
        try withCString(name) { (name) throws(DocFSError) in
            try withCString(newName) { (newName) throws(DocFSError) in
                try check { docfs_renameat2(directory, name, newDirectory, newName, flags) }
            }
        }
    }

    package static func link(
        at directory: Int32, _ name: [UInt8], to newDirectory: Int32, _ newName: [UInt8]
    ) throws(DocFSError) {
        try withCString(name) { (name) throws(DocFSError) in
            try withCString(newName) { (newName) throws(DocFSError) in
                try check { linkat(directory, name, newDirectory, newName, 0) }
            }
        }
    }

    package static func symlink(target: [UInt8], at directory: Int32, _ name: [UInt8])
        throws(DocFSError)
    {
        try withCString(target) { (target) throws(DocFSError) in
            try withCString(name) { (name) throws(DocFSError) in
                try check { symlinkat(target, directory, name) }
            }
        }
    }

    package static func readLink(at directory: Int32, _ name: [UInt8]) throws(DocFSError)
        -> [UInt8]
    {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = try withCString(name) { (name) throws(DocFSError) in
            try check { readlinkat(directory, name, &buffer, buffer.count) }
        }
        return buffer.prefix(length).map { UInt8(bitPattern: $0) }
    }

    package static func makeNode(
        at directory: Int32, _ name: [UInt8], mode: UInt32, device: UInt64
    ) throws(DocFSError) {
        try withCString(name) { (name) throws(DocFSError) in
            try check { mknodat(directory, name, mode, dev_t(device)) }
        }
    }

    // MARK: Attributes

    /// fchmodat(2); the kernel follows no link that is named here, but `name` must not be one.
    package static func setMode(at directory: Int32, _ name: [UInt8], _ mode: UInt32)
        throws(DocFSError)
    {
        try withCString(name) { (name) throws(DocFSError) in
            try check { fchmodat(directory, name, mode, 0) }
        }
    }

    /// Whether this process may do with a name what `wanted` says (R_OK, W_OK, X_OK): faccessat(2).
    ///
    /// - Throws: `.accessDenied` if not.
    package static func checkAccess(at directory: Int32, _ name: [UInt8], _ wanted: Int32)
        throws(DocFSError)
    {
        try withCString(name) { (name) throws(DocFSError) in
            try check { faccessat(directory, name, wanted, AT_EACCESS | AT_SYMLINK_NOFOLLOW) }
        }
    }

    package static func setMode(of descriptor: Int32, _ mode: UInt32) throws(DocFSError) {
        try check { fchmod(descriptor, mode) }
    }

    /// fchownat(2) of the name itself, also when it is a link; `nil` leaves a side as it is.
    package static func setOwner(
        at directory: Int32, _ name: [UInt8], user: UInt32?, group: UInt32?
    ) throws(DocFSError) {
        try withCString(name) { (name) throws(DocFSError) in
            try check {
                fchownat(
                    directory, name, user ?? .max, group ?? .max, docfs_at_symlink_nofollow)
            }
        }
    }

    /// utimensat(2) of the name itself, also when it is a link.
    package static func setTimes(
        at directory: Int32, _ name: [UInt8], accessed: TimeChange, modified: TimeChange
    ) throws(DocFSError) {
        let times = [accessed.timespec, modified.timespec]
        try withCString(name) { (name) throws(DocFSError) in
            try check { utimensat(directory, name, times, docfs_at_symlink_nofollow) }
        }
    }

    package static func setTimes(
        of descriptor: Int32, accessed: TimeChange, modified: TimeChange
    ) throws(DocFSError) {
        let times = [accessed.timespec, modified.timespec]
        try check { futimens(descriptor, times) }
    }

    // MARK: Bytes

    /// pread(2) until `buffer` is full or the file ends; returns the bytes read.
    package static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(DocFSError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = try check {
                pread(
                    descriptor, buffer.baseAddress! + done, buffer.count - done,
                    off_t(offset) + off_t(done))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// pwrite(2) until all of `bytes` is written.
    package static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(DocFSError) {
        var done = 0
        while done < bytes.count {
            done += try check {
                pwrite(
                    descriptor, bytes.baseAddress! + done, bytes.count - done,
                    off_t(offset) + off_t(done))
            }
        }
    }

    /// copy_file_range(2) until `length` bytes are copied or the source ends; returns the bytes.
    package static func copyRange(
        from source: Int32, at offset: UInt64, to destination: Int32, at newOffset: UInt64,
        length: UInt64
    ) throws(DocFSError) -> UInt64 {
        var from = off_t(offset)
        var to = off_t(newOffset)
        var left = length
        while left > 0 {
            let count = try check {
                docfs_copy_file_range(source, &from, destination, &to, Int(min(left, 1 << 30)))
            }
            if count == 0 { break }
            left -= UInt64(count)
        }
        return length - left
    }

    /// Copies up to `length` bytes at `offset` to the same place of another file: in the kernel
    /// where the filesystems let it, else by reading and writing.
    ///
    /// Returns the bytes copied: fewer at the source's end only.
    package static func copy(
        from source: Int32, to destination: Int32, at offset: UInt64, length: UInt64
    ) throws(DocFSError) -> UInt64 {
        do throws(DocFSError) {
            return try copyRange(
                from: source, at: offset, to: destination, at: offset, length: length)
        } catch  where isUnsupported(error) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(
                byteCount: Int(min(length, 1 << 20)), alignment: 4096)
            defer { buffer.deallocate() }
            var done: UInt64 = 0
            while done < length {
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<Int(min(UInt64(buffer.count), length - done))])
                let count = try read(source, into: part, at: offset + done)
                try write(
                    destination, UnsafeRawBufferPointer(rebasing: part[..<count]),
                    at: offset + done)
                done += UInt64(count)
                if count < part.count { break }
            }
            return done
        }
    }

    package static func truncate(_ descriptor: Int32, to size: UInt64) throws(DocFSError) {
        try check { ftruncate(descriptor, off_t(size)) }
    }

    /// fsync(2).
    package static func sync(_ descriptor: Int32) throws(DocFSError) {
        try check { fsync(descriptor) }
    }

    /// fdatasync(2).
    package static func syncData(_ descriptor: Int32) throws(DocFSError) {
        try check { fdatasync(descriptor) }
    }

    // MARK: Extended attributes, by a descriptor that was opened for reading or writing

    /// `nil` when there is no such attribute.
    package static func attribute(_ name: String, of descriptor: Int32) throws(DocFSError)
        -> [UInt8]?
    {
        do {
            return try attribute(name, of: descriptor, capacity: 512)
        } catch .noSuchAttribute {
            return nil
        } catch .rangeTooSmall {
            return try attribute(name, of: descriptor, capacity: 65536)
        }
    }

    private static func attribute(_ name: String, of descriptor: Int32, capacity: Int)
        throws(DocFSError) -> [UInt8]
    {
        var value = [UInt8](repeating: 0, count: capacity)
        let count = try check { docfs_fgetxattr(descriptor, name, &value, value.count) }
        return Array(value.prefix(count))
    }

    package static func setAttribute(_ name: String, _ value: [UInt8], of descriptor: Int32)
        throws(DocFSError)
    {
        try check { docfs_fsetxattr(descriptor, name, value, value.count, 0) }
    }

    package static func removeAttribute(_ name: String, of descriptor: Int32) throws(DocFSError) {
        try check { docfs_fremovexattr(descriptor, name) }
    }

    package static func attributeNames(of descriptor: Int32) throws(DocFSError) -> [String] {
        var list = [CChar](repeating: 0, count: 65536)
        let count = try check { docfs_flistxattr(descriptor, &list, list.count) }
        return list.prefix(count).split(separator: 0).map {
            String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    // MARK: Helpers

    /// Calls `body` with `bytes` as a C string.
    ///
    /// A NUL inside is `.invalidArgument`.
    @discardableResult
    package static func withCString<Value>(
        _ bytes: [UInt8], _ body: (UnsafePointer<CChar>) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        let result: Result<Value, DocFSError> = withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: bytes.count + 1
        ) { room in
            guard bytes.withUnsafeBytes({ copy($0, into: room) }) else {
                return .failure(.invalidArgument)
            }
            do throws(DocFSError) {
                return .success(try body(room.baseAddress!))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
    /// Makes a C string of `bytes`; false when there is a NUL inside.
    private static func copy(
        _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableBufferPointer<CChar>
    ) -> Bool {
        room[bytes.count] = 0
        guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
        memcpy(room.baseAddress!, start, bytes.count)
        return memchr(start, 0, bytes.count) == nil
    }
}
