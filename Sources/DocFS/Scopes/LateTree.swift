/// What is in a directory of the hidden folder at one moment, held open by no descriptor.
struct LateTree {
    struct Directory {
        var name: Name
        let inode: UInt64
        let status: FileStatus
        /// The directory that it is in; `nil` for the uppermost.
        let parent: Int?
        /// From the hidden folder.
        let path: [UInt8]
    }

    struct File {
        let name: Name
        /// The directory that it is in.
        let directory: Int
        let status: FileStatus
    }

    /// The uppermost first, each before what is in it.
    private(set) var directories: [Directory] = []
    private(set) var files: [File] = []
    /// Why one of the directories could not be looked into.
    private(set) var failure: DocFSError?
    private let moving: Descriptor
    private let user: UInt32

    /// Looks through a directory until so many files are found.
    ///
    /// - Parameter user: whose daemon this is. Directories that this user has made read-only become
    ///   writable, since what is in them leaves.
    /// - Throws: `.notFound` when it is not there.
    init(
        at moving: Descriptor, _ name: [UInt8], of user: UInt32, atMost limit: Int
    ) throws(DocFSError) {
        (self.moving, self.user) = (moving, user)
        let status = try Posix.status(at: moving.number, name)
        directories = [
            Directory(
                name: Name(name), inode: status.inode, status: status, parent: nil, path: name)
        ]
        var next = 0
        while next < directories.count, files.count < limit {
            defer { next += 1 }
            let opened: Descriptor?
            do throws(DocFSError) {
                opened = try openWritable(next)
            } catch {
                failure = error
                continue
            }
            guard let folder = opened else { continue }
            do throws(DocFSError) {
                try look(into: folder, next)
            } catch {
                failure = error
            }
        }
    }

    private mutating func look(into folder: Descriptor, _ index: Int) throws(DocFSError) {
        for name in try DirectoryStream.names(at: folder.number) {
            guard let status = try Posix.statusIfPresent(at: folder.number, name.bytes) else {
                continue
            }
            if status.isDirectory {
                directories.append(
                    Directory(
                        name: name, inode: status.inode, status: status, parent: index,
                        path: directories[index].path + [0x2F] + name.bytes))
            } else {
                files.append(File(name: name, directory: index, status: status))
            }
        }
    }

    private func openWritable(_ index: Int) throws(DocFSError) -> Descriptor? {
        let status = directories[index].status
        if user != 0, status.owner == user, status.mode & 0o700 != 0o700,
            let folder = try Posix.reachDirectoryBeneath(moving.number, directories[index].path)
        {
            try Posix.setMode(reached: folder, status.permissions | 0o700)
        }
        return try openIfThere(index)
    }

    var identities: Set<Posix.DirectoryIdentity> {
        Set(directories.map { Posix.DirectoryIdentity($0.status) })
    }

    /// Opens one of ``directories``.
    func open(_ index: Int) throws(DocFSError) -> Descriptor {
        try Posix.openBeneath(
            moving.number, directories[index].path, flags: Posix.directoryFlags)
    }

    /// As ``open(_:)``; `nil` when a program has renamed or removed it just now.
    func openIfThere(_ index: Int) throws(DocFSError) -> Descriptor? {
        try Posix.ifPresent { () throws(DocFSError) in try open(index) }
    }

    /// Removes all directories.
    ///
    /// - Returns: whether they are gone; something may have come into one just now.
    func remove() throws(DocFSError) -> Bool {
        do throws(DocFSError) {
            for directory in directories.reversed() {
                let parent = try directory.parent.map { (index) throws(DocFSError) in
                    try open(index)
                }
                try Posix.removeDirectory(
                    at: (parent ?? moving).number, directory.name.bytes)
            }
            return true
        } catch .notEmpty {
            return false
        }
    }
}
