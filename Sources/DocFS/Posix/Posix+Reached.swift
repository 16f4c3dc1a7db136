internal import CFuse
internal import Glibc

/// Calls on the very file that a descriptor reaches, which may have been opened with O_PATH: no
/// name is looked up, so nobody can exchange the file under the call.
///
/// Where Linux has no such call for O_PATH descriptors, `/proc/self/fd` names the file (proc(5)).
/// All take the ``Descriptor`` itself, so that it cannot be closed meanwhile.
extension Posix {
    /// O_NOATIME, which Glibc's module hides.
    package static let noAccessTime = docfs_o_noatime
    /// O_DIRECT, the same.
    package static let direct = docfs_o_direct

    /// The file `name` itself, also where it is a symbolic link: openat(2) with O_PATH.
    package static func reach(at directory: Int32, _ name: [UInt8]) throws(DocFSError)
        -> Descriptor
    {
        try open(at: directory, name, flags: docfs_o_path | O_NOFOLLOW)
    }

    /// As ``reach(at:_:)``; `.notDirectory` for anything but a directory.
    package static func reachDirectory(at directory: Int32, _ name: [UInt8]) throws(DocFSError)
        -> Descriptor
    {
        try open(at: directory, name, flags: docfs_o_path | O_NOFOLLOW | O_DIRECTORY)
    }

    /// As ``openBeneath(_:_:flags:mode:)``, for a directory that calls are to be made in.
    ///
    /// `nil` when the path leads to no directory, through a symbolic link, or out.
    package static func reachDirectoryBeneath(_ directory: Int32, _ path: [UInt8])
        throws(DocFSError) -> Descriptor?
    {
        do throws(DocFSError) {
            return try openBeneath(directory, path, flags: docfs_o_path | O_DIRECTORY)
        } catch {
            switch error {
            case .notFound, .notDirectory, .loop, .otherFilesystem: return nil
            default: throw error
            }
        }
    }

    /// Opens the file behind `descriptor` anew.
    package static func reopen(_ descriptor: Descriptor, flags: Int32) throws(DocFSError)
        -> Descriptor
    {
        try onPath(of: descriptor) { (path) throws(DocFSError) in
            Descriptor(try check { docfs_open(path, flags | O_CLOEXEC, 0) })
        }
    }

    /// chmod(2); `.notOffered` for a symbolic link.
    package static func setMode(reached descriptor: Descriptor, _ mode: UInt32) throws(DocFSError) {
        try onPath(of: descriptor) { (path) throws(DocFSError) in
            try check { chmod(path, mode) }
        }
    }

    /// fchownat(2) with AT_EMPTY_PATH; `nil` leaves a side as it is.
    package static func setOwner(reached descriptor: Descriptor, user: UInt32?, group: UInt32?)
        throws(DocFSError)
    {
        try check {
            fchownat(descriptor.number, "", user ?? .max, group ?? .max, docfs_at_empty_path)
        }
    }

    /// utimensat(2) with AT_EMPTY_PATH (Linux 5.8).
    package static func setTimes(
        reached descriptor: Descriptor, accessed: TimeChange, modified: TimeChange
    ) throws(DocFSError) {
        let times = [accessed.timespec, modified.timespec]
        try check { utimensat(descriptor.number, "", times, docfs_at_empty_path) }
    }

    /// truncate(2).
    package static func truncate(reached descriptor: Descriptor, to size: UInt64) throws(DocFSError)
    {
        guard let size = off_t(exactly: size) else { throw .tooLarge }
        try onPath(of: descriptor) { (path) throws(DocFSError) in
            try check { Glibc.truncate(path, size) }
        }
    }

    /// linkat(2): gives the file a further name.
    ///
    /// `.notFound` when it has none any more.
    package static func link(reached descriptor: Descriptor, to directory: Int32, _ name: [UInt8])
        throws(DocFSError)
    {
        try onPath(of: descriptor) { (path) throws(DocFSError) in
            try withCString(name) { (name) throws(DocFSError) in
                try check { linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) }
            }
        }
    }

    /// readlinkat(2) of an O_PATH descriptor that reaches a symbolic link.
    package static func readLink(reached descriptor: Descriptor) throws(DocFSError) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = try check {
            target.withUnsafeMutableBytes {
                readlinkat(
                    descriptor.number, "", $0.baseAddress!.assumingMemoryBound(to: CChar.self),
                    $0.count)
            }
        }
        target.removeLast(target.count - length)
        return target
    }

    /// getxattr(2).
    ///
    /// Throws `.noSuchAttribute` where there is none.
    package static func attribute(_ name: [UInt8], reached descriptor: Descriptor)
        throws(DocFSError)
        -> [UInt8]
    {
        try onPath(of: descriptor) { (path) throws(DocFSError) in
            try withCString(name) { (name) throws(DocFSError) in
                try growing { docfs_getxattr(path, name, $0, $1) }
            }
        }
    }

    /// fgetxattr(2), for a descriptor that was not opened with O_PATH: one call less on the way
    /// of every write, before which the kernel asks for `security.capability`.
    package static func attribute(_ name: [UInt8], opened descriptor: Descriptor) throws(DocFSError)
        -> [UInt8]
    {
        try withCString(name) { (name) throws(DocFSError) in
            try growing { docfs_fgetxattr(descriptor.number, name, $0, $1) }
        }
    }

    /// setxattr(2); `flags` are XATTR_CREATE and XATTR_REPLACE.
    package static func setAttribute(
        _ name: [UInt8], _ value: [UInt8], flags: Int32, reached descriptor: Descriptor
    ) throws(DocFSError) {
        try onPath(of: descriptor) { (path) throws(DocFSError) in
            try withCString(name) { (name) throws(DocFSError) in
                try check { docfs_setxattr(path, name, value, value.count, flags) }
            }
        }
    }

    /// removexattr(2).
    package static func removeAttribute(_ name: [UInt8], reached descriptor: Descriptor)
        throws(DocFSError)
    {
        try onPath(of: descriptor) { (path) throws(DocFSError) in
            try withCString(name) { (name) throws(DocFSError) in
                try check { docfs_removexattr(path, name) }
            }
        }
    }

    /// listxattr(2): names, each ended by a NUL.
    package static func attributeList(reached descriptor: Descriptor) throws(DocFSError) -> [UInt8]
    {
        try onPath(of: descriptor) { (path) throws(DocFSError) in
            try growing { docfs_listxattr(path, $0, $1) }
        }
    }

    // MARK: Helpers

    /// Calls `body` with `/proc/self/fd/N`.
    @discardableResult
    private static func onPath<Value>(
        of descriptor: Descriptor, _ body: (UnsafePointer<CChar>) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        var path = Array("/proc/self/fd/".utf8)
        path.append(contentsOf: String(descriptor.number).utf8)
        return try withCString(path, body)
    }

    /// What an extended attribute call answers, with as much room as it needs.
    private static func growing(
        _ call: (UnsafeMutablePointer<CChar>?, Int) -> Int
    ) throws(DocFSError) -> [UInt8] {
        var room = 256
        while true {
            var failure: DocFSError?
            let value = [UInt8](unsafeUninitializedCapacity: room) { bytes, count in
                let start = UnsafeMutableRawPointer(bytes.baseAddress!)
                do throws(DocFSError) {
                    count = try check { call(start.assumingMemoryBound(to: CChar.self), room) }
                } catch {
                    failure = error
                }
            }
            guard let failure else { return value }
            // The most that xattr(7) allows, for a value as for a list.
            if failure != .rangeTooSmall || room >= 65536 { throw failure }
            room = 65536
        }
    }
}
