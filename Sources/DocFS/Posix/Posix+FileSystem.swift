internal import CFuse
internal import Glibc

/// Calls about whole filesystems, and by path for what the configuration names.
extension Posix {
    /// O_PATH of open(2): a descriptor that only names a file or directory.
    package static let pathOnly = docfs_o_path

    /// stat(2) of an absolute path, symbolic links followed.
    package static func status(path: String) throws(DocFSError) -> FileStatus {
        var value = stat()
        try check { stat(path, &value) }
        return FileStatus(value)
    }

    /// mkdir(2) for every missing component of an absolute path.
    ///
    /// The names of those that were made are on stable storage afterwards, as far as their parents
    /// may be opened.
    package static func makeDirectories(path: String, mode: UInt32) throws(DocFSError) {
        var prefix = ""
        for component in path.split(separator: "/") {
            let parent = prefix.isEmpty ? "/" : prefix
            prefix += "/" + component
            do {
                try check { mkdir(prefix, mode) }
            } catch {
                // mkdir(2) may say EROFS or EACCES of a directory that is there.
                guard let status = try? status(path: prefix), status.isDirectory else {
                    throw error
                }
                continue
            }
            do throws(DocFSError) {
                let directory = try open(path: parent, flags: O_RDONLY | O_DIRECTORY)
                try sync(directory.number)
            } catch .accessDenied {
                // Names may be made in it, and not be listed.
            }
        }
    }

    /// syncfs(2): everything on the filesystem of `descriptor` is on stable storage.
    package static func syncFileSystem(_ descriptor: Int32) throws(DocFSError) {
        try check { docfs_syncfs(descriptor) }
    }

    /// Filesystems that this kernel does not have for itself: NFS, SMB and CIFS, FUSE, 9P, Ceph,
    /// AFS (statfs(2), linux/magic.h).
    private static let remoteTypes: Set<UInt32> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400,
        0x5346_414F,
    ]

    /// Whether others, beyond this kernel, may use the filesystem of `descriptor` too.
    package static func isRemote(_ descriptor: Int32) throws(DocFSError) -> Bool {
        var id: UInt64 = 0
        var type: UInt32 = 0
        try check { docfs_statfs_id(descriptor, &id, &type) }
        return remoteTypes.contains(type)
    }

    package static func space(of descriptor: Int32) throws(DocFSError) -> FileSystemSpace {
        var value = statvfs()
        try check { fstatvfs(descriptor, &value) }
        return FileSystemSpace(
            total: UInt64(value.f_blocks) * UInt64(value.f_frsize),
            free: UInt64(value.f_bavail) * UInt64(value.f_frsize))
    }

    /// FICLONE (ioctl_ficlone(2)): `destination` shares all extents of `source`.
    package static func clone(from source: Int32, to destination: Int32) throws(DocFSError) {
        try check { docfs_clone_file(destination, source) }
    }

    /// Sleeps this thread.
    package static func sleep(microseconds: UInt32) { usleep(microseconds) }
}

/// What an error says about the filesystem rather than about the call.
extension Posix {
    /// Whether the call is one that this filesystem, or this pair of files, does not have:
    /// EXDEV, EINVAL, ENOSYS, EOPNOTSUPP.
    package static func isUnsupported(_ error: DocFSError) -> Bool {
        switch error {
        case .invalidArgument, .notOffered, .otherFilesystem, .system(errno: ENOSYS): true
        default: false
        }
    }

    /// A crash leaves no core: there are keys in this process's memory.
    package static func forbidCores() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// As many open files as the system allows this process: shells start programs with fewer.
    package static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The device or filesystem did not do what it was asked for.
    package static let deviceFailure = DocFSError.system(errno: EIO)

    /// Whether the filesystem itself has gone: EIO, ENOTCONN, ESTALE and their like.
    package static func isUnreachable(_ error: DocFSError) -> Bool {
        switch error {
        case .stale, .noDevice, .system(errno: EIO), .system(errno: ENOTCONN),
            .system(errno: ENODEV), .system(errno: ETIMEDOUT), .system(errno: EHOSTDOWN),
            .system(errno: EHOSTUNREACH), .system(errno: ESHUTDOWN), .system(errno: EREMOTEIO):
            true
        default: false
        }
    }

    /// Whether there is no room left: ENOSPC, EDQUOT.
    package static func isFull(_ error: DocFSError) -> Bool {
        error == .diskFull || error == .system(errno: EDQUOT)
    }
}
