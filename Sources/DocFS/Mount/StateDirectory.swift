internal import CFuse
internal import Glibc

/// This device's own directory: mode 0700, ours alone, used by one daemon at a time.
///
/// Opened once by descriptor, so that nobody can put another directory in its place. The lock is
/// the open file description's (fcntl(2), F_OFD_SETLK): it goes with the last thread of the
/// daemon, however that ends.
package final class StateDirectory: Sendable {
    package let path: String
    /// For all work below, by openat(2) and its like.
    package let directory: Descriptor

    /// Opens `path`, made with its parents where it is missing.
    package init(path: String) throws(MountFailure) {
        self.path = path
        do throws(DocFSError) {
            directory = try StateDirectory.opened(path)
        } catch {
            throw MountFailure("state directory \(path): \(error.sentence)")
        }
        try checkOwner()
    }

    private static func opened(_ path: String) throws(DocFSError) -> Descriptor {
        // Parents are as private as what lies in them (XDG Base Directory Specification: 0700).
        try Posix.makeDirectories(path: path, mode: 0o700)
        return try Posix.open(path: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    private func checkOwner() throws(MountFailure) {
        let owner: UInt32
        do throws(DocFSError) {
            let status = try Posix.status(of: directory.number)
            owner = status.owner
            if owner == geteuid(), status.permissions & 0o077 != 0 {
                try Posix.setMode(of: directory.number, 0o700)
            }
        } catch {
            throw MountFailure("state directory \(path): \(error.sentence)")
        }
        if owner != geteuid() {
            throw MountFailure("state directory \(path) belongs to another user (\(owner))")
        }
    }

    // MARK: The lock

    private static let lockName = Array("lock".utf8)

    /// How long a daemon is waited for that was killed, and one that is sending what waits before
    /// it ends (S12), in seconds.
    private static let (patienceWithKilled, patienceWithEnding) = (5, 30)

    /// Takes the lock, trying for some seconds where a former daemon has yet to let go of it.
    ///
    /// The lock holds as long as what is returned lives.
    ///
    /// - Parameter former: the daemon that had the state directory last, and has no mount any more.
    package func lock(after former: MountRecord? = nil) throws(MountFailure) -> FileLock {
        let isEnding = former?.isAlive == true
        do throws(DocFSError) {
            let file = try Posix.open(
                at: directory.number, StateDirectory.lockName,
                flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            let lock = try take(
                file,
                waitingSeconds: former == nil
                    ? 0 : isEnding ? Self.patienceWithEnding : Self.patienceWithKilled)
            try Posix.setContents(of: file, to: Array("\(getpid())\n".utf8))
            return lock
        } catch .busy {
            let holder = contents(of: StateDirectory.lockName) ?? []
            let number = String(decoding: holder.prefix { $0 != 0x0A }, as: UTF8.self)
            let process = number.isEmpty ? "another process" : "process \(number)"
            var sentence = "state directory \(path) is in use by \(process)"
            if let former, !isEnding, let connection = former.connection,
                number == "\(former.process)"
            {
                // Without FUSE's control files, as in some containers, nobody else can end it.
                let control = DeadMount.control
                sentence += ", which was killed, and ends with its mount's connection; as root: "
                sentence += "mount -t fusectl fusectl \(control); "
                sentence += "echo 1 >\(control)/\(connection)/abort"
            }
            throw MountFailure(sentence)
        } catch {
            throw Self.refusal(of: path + "/lock", error)
        }
    }

    /// Why a file of ours keeps the daemon from starting, and what to do.
    package static func refusal(of path: String, _ error: DocFSError) -> MountFailure {
        switch error {
        case .accessDenied:
            MountFailure("\(path) may not be opened: give it back its mode (chmod 0600 \(path))")
        case .isDirectory, .loop, .notPermitted, .noDevice, .invalidArgument:
            MountFailure("\(path) is not a plain file any more: move it away")
        default:
            MountFailure("\(path): \(error.sentence)")
        }
    }

    private func take(_ file: Descriptor, waitingSeconds seconds: Int) throws(DocFSError)
        -> FileLock
    {
        for _ in 0..<seconds * 20 {
            do {
                return try FileLock(file)
            } catch .wouldBlock {
                usleep(50_000)
            }
        }
        do {
            return try FileLock(file)
        } catch .wouldBlock {
            throw .busy
        }
    }

    // MARK: The catalog's files

    /// Refuses a catalog, or a log of it, that is no file or may not be opened, by name.
    ///
    /// Neither comes about by damage. The log's index is another matter: it is made anew.
    package func checkCatalog() throws(MountFailure) {
        for name in ["catalog.sqlite", "catalog.sqlite-wal"] {
            do throws(DocFSError) {
                try checkFile(Array(name.utf8))
            } catch .notFound {
                // New, or missing as a whole: whoever opens it finds out.
            } catch {
                throw Self.refusal(of: "\(path)/\(name)", error)
            }
        }
        do throws(DocFSError) {
            try removeBadIndex("catalog.sqlite-shm")
        } catch {
            throw Self.refusal(of: "\(path)/catalog.sqlite-shm", error)
        }
    }

    /// Takes away an index that is no file or may not be opened.
    private func removeBadIndex(_ name: String) throws(DocFSError) {
        let index = Array(name.utf8)
        do throws(DocFSError) {
            try checkFile(index)
        } catch .notFound {
            // SQLite makes it.
        } catch .isDirectory {
            try Posix.removeDirectory(at: directory.number, index)
        } catch {
            try Posix.unlink(at: directory.number, index)
        }
    }

    private func checkFile(_ name: [UInt8]) throws(DocFSError) {
        let file = try Posix.open(
            at: directory.number, name, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK)
        guard try Posix.status(of: file.number).isRegularFile else { throw .noDevice }
    }

    /// Whether there have ever been contents of documents.
    var hasContents: Bool {
        get throws(DocFSError) {
            try Posix.statusIfPresent(at: directory.number, Array("contents".utf8)) != nil
        }
    }

    // MARK: Small files

    /// The bytes of a small file below; `nil` when there is none or it cannot be read.
    package func contents(of name: [UInt8]) -> [UInt8]? {
        do throws(DocFSError) {
            return try Posix.contents(
                of: try Posix.open(at: directory.number, name, flags: O_RDONLY | O_NOFOLLOW))
        } catch {
            return nil
        }
    }

    /// Writes a small file below, whole or not at all.
    package func replace(_ name: [UInt8], with bytes: [UInt8]) throws(DocFSError) {
        let staging = name + Array(".new".utf8)
        let file = try Posix.open(
            at: directory.number, staging, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
            mode: 0o600)
        try Posix.setContents(of: file, to: bytes)
        try Posix.rename(at: directory.number, staging, to: directory.number, name)
    }
}
