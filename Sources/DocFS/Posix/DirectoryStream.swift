internal import Glibc

/// One open listing of a directory on disk: readdir(3), telldir(3), seekdir(3).
///
/// Not safe for use by two threads at once.
package final class DirectoryStream: @unchecked Sendable {
    /// One name of a listing.
    package struct Entry: Sendable {
        package let name: Name
        package let inode: UInt64
        /// As `d_type`: DT_UNKNOWN (0) where the filesystem does not tell.
        package let type: UInt8
        /// The position after this entry, for ``DirectoryStream/seek(to:)``.
        package let position: Int
    }

    private let stream: OpaquePointer

    /// Opens `name` below `directory` anew; `"."` is the directory itself.
    package init(at directory: Int32, _ name: [UInt8] = [0x2E]) throws(DocFSError) {
        let number = try Posix.check { () -> Int32 in
            (name + [0]).withUnsafeBytes {
                Glibc.openat(
                    directory, $0.baseAddress!.assumingMemoryBound(to: CChar.self),
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
        }
        guard let stream = fdopendir(number) else {
            let error = Posix.lastError()
            Glibc.close(number)
            throw error
        }
        self.stream = stream
    }

    deinit { closedir(stream) }

    /// The directory's descriptor, for calls at its names.
    package var descriptor: Int32 { dirfd(stream) }

    package func seek(to position: Int) {
        if position == 0 { rewinddir(stream) } else { seekdir(stream, position) }
    }

    /// The next entry, `.` and `..` included; `nil` at the end.
    package func next() throws(DocFSError) -> Entry? {
        Glibc.errno = 0
        guard let entry = readdir(stream) else {
            if Glibc.errno != 0 { throw Posix.lastError() }
            return nil
        }
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes in
                let text = UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self)
                return Name(UnsafeBufferPointer(start: bytes, count: strlen(text)))
            }
        }
        return Entry(
            name: name, inode: UInt64(entry.pointee.d_ino), type: entry.pointee.d_type,
            position: Int(entry.pointee.d_off))
    }

    /// All names below a directory but `.` and `..`.
    package static func names(at directory: Int32, _ name: [UInt8] = [0x2E]) throws(DocFSError)
        -> [Name]
    {
        let stream = try DirectoryStream(at: directory, name)
        var names: [Name] = []
        while let entry = try stream.next() {
            if entry.name.isValid { names.append(entry.name) }
        }
        return names
    }
}
