internal import CFuse
internal import Glibc

/// An exclusive lock on a whole file among all programs that ask for one (F_OFD_SETLK, fcntl(2)).
///
/// It belongs to the open file description, so that threads of one process exclude each other too
/// when each opens the file anew. Dropped when the last reference goes, and by the kernel when the
/// process dies.
package final class FileLock: Sendable {
    private let descriptor: Descriptor

    /// Takes the lock of an open file at once, or throws `.wouldBlock`.
    package init(_ descriptor: Descriptor) throws(DocFSError) {
        self.descriptor = descriptor
        do {
            try Posix.check { docfs_ofd_lock(descriptor.number, Int16(F_WRLCK), 0) }
        } catch .accessDenied {
            // fcntl(2): EACCES or EAGAIN, as the filesystem likes.
            throw .wouldBlock
        }
    }

    deinit { _ = docfs_ofd_lock(descriptor.number, Int16(F_UNLCK), 0) }
}
