internal import CFuse
internal import Glibc

/// Calls on open files, and what a filesystem tells of itself.
extension Posix {
    /// fallocate(2).
    package static func allocate(
        _ number: Int32, mode: Int32, offset: UInt64, length: UInt64
    ) throws(DocFSError) {
        guard let offset = off_t(exactly: offset), let length = off_t(exactly: length) else {
            throw .tooLarge
        }
        try check { docfs_fallocate(number, mode, offset, length) }
    }

    /// lseek(2).
    ///
    /// Moves the descriptor's own position, which no other call here uses.
    package static func seek(_ descriptor: Descriptor, offset: UInt64, whence: Int32)
        throws(DocFSError) -> UInt64
    {
        guard let offset = off_t(exactly: offset) else { throw .noMoreData }
        return UInt64(try check { lseek(descriptor.number, offset, whence) })
    }

    /// Closes a duplicate of the descriptor, so that what a filesystem reports only at close(2) is
    /// reported now.
    package static func flush(_ descriptor: Descriptor) throws(DocFSError) {
        let duplicate = try check { fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0) }
        // Not repeated after EINTR: the number is free by then (close(2)).
        if close(duplicate) != 0 && Glibc.errno != EINTR { throw lastError() }
    }

    /// fstatvfs(3).
    static func fileSystemStatus(of descriptor: Descriptor) throws(DocFSError) -> statvfs {
        var value = statvfs()
        try check { fstatvfs(descriptor.number, &value) }
        return value
    }

    /// The time now, as Linux gives it to a file that is written (CLOCK_REALTIME), or a little
    /// later: files get the time of the last tick.
    package static func time() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(time)
    }
}
