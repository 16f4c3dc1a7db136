internal import Glibc

/// Set-id bits and writes: with FUSE_HANDLE_KILLPRIV_V2 the kernel leaves it to us to drop them,
/// and in return asks for no `security.capability` before every write.
///
/// Below an unprivileged daemon the disk's own filesystem does it.
enum SetID {
    /// `mode` (as in `st_mode`) without what a write by an ordinary user takes away, as permission
    /// bits; `nil` when it takes nothing.
    ///
    /// Set-group-id without group execution is a mark of old, not a privilege, and stays
    /// (inode(7)).
    static func dropped(_ mode: UInt32) -> UInt32? {
        guard mode & S_IFMT == S_IFREG else { return nil }
        var lost = mode & UInt32(S_ISUID)
        if mode & UInt32(S_IXGRP) != 0 { lost |= mode & UInt32(S_ISGID) }
        return lost == 0 ? nil : mode & 0o7777 & ~lost
    }

    /// Drops the bits of the file behind `descriptor`, which was just written.
    static func drop(from descriptor: Int32) throws(DocFSError) -> Bool {
        guard let mode = dropped(try Posix.status(of: descriptor).mode) else { return false }
        try Posix.setMode(of: descriptor, mode)
        return true
    }
}
