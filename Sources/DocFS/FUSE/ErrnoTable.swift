internal import Glibc

/// The only place where a failure becomes an errno (S32).
///
/// POSIX decides for what a caller asked wrongly; where it is silent the reason stands beside the
/// line.
package enum ErrnoTable {
    /// The positive errno that a program sees for `error`.
    package static func errno(for error: DocFSError) -> Int32 {
        switch error {
        case .notFound: ENOENT
        case .exists: EEXIST
        case .notDirectory: ENOTDIR
        case .isDirectory: EISDIR
        case .notEmpty: ENOTEMPTY
        case .notPermitted: EPERM
        case .accessDenied: EACCES
        case .invalidArgument: EINVAL
        case .nameTooLong: ENAMETOOLONG
        case .noSuchAttribute: ENODATA
        // xattr(7): the value does not fit, as ext4 answers.
        case .attributeTooLarge: E2BIG
        case .rangeTooSmall: ERANGE
        case .badHandle: EBADF
        case .readOnly: EROFS
        case .tooManyLinks: EMLINK
        // rename(2) has EINVAL for a directory moved below itself; the kernel catches that one
        // before us, and what is left are chains of symbolic links.
        case .loop: ELOOP
        // Eviction of what is pinned, open or not yet sent: not now, perhaps later.
        case .busy: EBUSY
        case .notOffered: EOPNOTSUPP
        // The kernel looks the path up again by itself once when it sees this.
        case .stale: ESTALE
        case .interrupted: EINTR
        // lseek(2) SEEK_DATA beyond the last byte.
        case .noMoreData: ENXIO
        case .tooLarge: EFBIG
        case .wouldBlock: EAGAIN
        case .otherFilesystem: EXDEV
        case .noDevice: ENODEV
        case .system(let code): code

        // No route to the bytes, as for a socket; EIO would look like a broken disk.
        case .offline, .noContainer: ENETUNREACH
        case .deadline: ETIMEDOUT
        // The store refused this computer, whoever asks.
        case .credentialsRefused, .documentRefused: EACCES
        // What arrived contradicts what was promised: no other byte may be shown.
        case .corrupt: EIO
        // Somebody else's disk is full: a quota, not this disk (ENOSPC).
        case .storeFull: EDQUOT
        case .diskFull: ENOSPC
        // Another device was first; an answer for programs that write conditionally.
        case .refused: EAGAIN
        // Neither done nor not done, until it is settled.
        case .outcomeUnknown: EIO
        // As for a file above a filesystem's limit.
        case .tooLargeForStore: EFBIG
        // As for a name that a filesystem cannot hold.
        case .unstorable: EINVAL
        // The version that this handle reads is gone from everywhere (S8), as on NFS.
        case .revisionGone: ESTALE
        case .bodyChanged: EAGAIN
        }
    }
}
