/// The words of errno(3) that only the FUSE and Posix rooms may say.
enum Errno {
    static let words: Set<String> = [
        "E2BIG", "EACCES", "EAGAIN", "EBADF", "EBUSY", "ECANCELED", "ECHILD", "ECONNREFUSED",
        "ECONNRESET", "EDEADLK", "EDQUOT", "EEXIST", "EFAULT", "EFBIG", "EHOSTUNREACH", "EINTR",
        "EINVAL", "EIO", "EISDIR", "ELOOP", "EMFILE", "EMLINK", "EMSGSIZE", "ENAMETOOLONG",
        "ENETUNREACH", "ENFILE", "ENODATA", "ENODEV", "ENOENT", "ENOLCK", "ENOMEM", "ENOSPC",
        "ENOSYS", "ENOTCONN", "ENOTDIR", "ENOTEMPTY", "ENOTSUP", "ENOTTY", "ENXIO", "EOPNOTSUPP",
        "EOVERFLOW", "EPERM", "EPIPE", "ERANGE", "EREMOTEIO", "EROFS", "ESPIPE", "ESRCH", "ESTALE",
        "ETIMEDOUT", "ETXTBSY", "EWOULDBLOCK", "EXDEV", "strerror",
    ]
}
