internal import CFuse
internal import Glibc

/// Acting for a process that asked us.
extension Posix {
    /// Does `body` with the filesystem identity of another user, on this thread, for a daemon that
    /// runs as root (setfsuid(2)): what it creates belongs to that user.
    ///
    /// The thread may still make names in every directory, and keeps set-group-id bits: whether the
    /// user may was asked before, with groups that this thread does not have. However `body` ends,
    /// the thread is itself again.
    package static func acting<Value>(
        asUser user: UInt32, group: UInt32, _ body: () throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        let (ownUser, ownGroup) = (geteuid(), getegid())
        defer { _ = docfs_set_fs_ids(ownUser, ownGroup) }
        guard docfs_set_fs_ids(user, group) == 0, docfs_keep_directory_access() == 0 else {
            throw .notPermitted
        }
        return try body()
    }

    /// The supplementary groups of a thread (proc(5)); none where it cannot be asked any more.
    package static func groups(ofThread thread: Int32) -> [UInt32] {
        // One that has ended waits for no answer.
        guard thread > 0, let status = try? contents(ofPath: "/proc/\(thread)/status") else {
            return []
        }
        let label = Array("Groups:".utf8)
        for line in status.split(separator: 0x0A) where line.starts(with: label) {
            return line.dropFirst(label.count).split { $0 == 0x20 || $0 == 0x09 }
                .compactMap { UInt32(String(decoding: $0, as: UTF8.self)) }
        }
        return []
    }
}
