internal import CFuse
internal import Glibc

extension Posix {
    /// A directory as stat(2) tells it from all others.
    package struct DirectoryIdentity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64

        package init(_ status: FileStatus) {
            self.init(device: status.device, inode: status.inode)
        }

        init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    /// The directories that other processes work in or have open, as far as /proc lets us see them:
    /// those of all processes for root, else of the user's own (proc(5)).
    ///
    /// No filesystem is asked for it: neither our own mount nor one that does not answer.
    package static func directoriesInUse() -> Set<DirectoryIdentity> {
        var found: Set<DirectoryIdentity> = []
        let own = String(getpid())
        // Only empty directories are removed for being in nobody's use: who is not seen in one is
        // told that it has gone, and loses nothing that is there.
        guard let all = try? open(path: "/proc", flags: O_RDONLY | O_DIRECTORY),
            let processes = try? DirectoryStream.names(at: all.number)
        else { return found }
        func note(_ path: String) {
            var (device, inode): (UInt64, UInt64) = (0, 0)
            guard docfs_is_directory(path, &device, &inode) == 1 else { return }
            found.insert(DirectoryIdentity(device: device, inode: inode))
        }
        for name in processes.map(\.description)
        where name != own && name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            note("/proc/\(name)/cwd")
            // It has ended, or is another user's.
            for file in (try? DirectoryStream.names(at: all.number, Array("\(name)/fd".utf8))) ?? []
            {
                note("/proc/\(name)/fd/\(file.description)")
            }
        }
        return found
    }
}
