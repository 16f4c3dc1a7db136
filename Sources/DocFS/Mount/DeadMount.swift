internal import CFuse
internal import Glibc

/// What a killed daemon leaves: a mount that answers nobody, and perhaps threads that sleep in
/// the kernel with the state lock held, waiting for directories that only an answer would free.
///
/// Cleared before the state lock is taken. Nothing here ever touches the dead mount by a call
/// that could wait for it: all that is known comes from /proc and the record.
package enum DeadMount {
    /// Aborts and detaches the mount of a dead daemon of `state`, wherever it is.
    ///
    /// A living daemon is a refusal.
    ///
    /// - Returns: the dead daemon, if there was one, whose lock may need a moment to go; or one
    ///   that has no mount any more and is about to end.
    package static func clear(_ state: StateDirectory) throws(MountFailure) -> MountRecord? {
        guard let record = MountRecord(in: state) else { return nil }
        guard let mount = MountTable.current(at: record.point), isOf(record, mount) else {
            return record
        }
        if record.isAlive {
            throw MountFailure("already mounted at \(record.point) by process \(record.process)")
        }
        abort(mount)
        do throws(DocFSError) {
            try Posix.detachMount(at: record.point)
            return record
        } catch {
            throw MountFailure(
                "the dead mount at \(record.point) cannot be detached (\(error.sentence)); "
                    + "try: fusermount3 -u -z \(record.point)")
        }
    }

    private static func isOf(_ record: MountRecord, _ mount: MountTable.Entry) -> Bool {
        mount.type == SessionOptions.mountType && mount.major == 0
            && (record.connection == nil || record.connection == mount.minor)
    }

    /// Where the kernel shows FUSE's connections, each to whoever mounted it.
    static let control = "/sys/fs/fuse/connections"

    /// Ends the connection, so that everyone who waits for it is answered ENOTCONN.
    private static func abort(_ mount: MountTable.Entry) {
        if write("1", to: "\(control)/\(mount.minor)/abort") { return }
        // The control filesystem is often not mounted in containers; only root may.
        if Glibc.mount("fusectl", control, "fusectl", 0, nil) == 0,
            write("1", to: "\(control)/\(mount.minor)/abort")
        {
            return
        }
        // What is left, for root: umount2(2) aborts a FUSE connection that it is to force.
        umount2(mount.point, Int32(MNT_FORCE))
    }

    private static func write(_ text: String, to path: String) -> Bool {
        do throws(DocFSError) {
            let file = try Posix.open(path: path, flags: O_WRONLY)
            return Glibc.write(file.number, text, text.utf8.count) == text.utf8.count
        } catch {
            return false
        }
    }
}
