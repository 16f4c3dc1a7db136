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

    /// Looks through a directory until so many files are found.
    ///
    /// - Throws: `.notFound` when it is not there.
    init(at moving: Descriptor, _ name: [UInt8], atMost limit: Int) throws(DocFSError) {
        self.moving = moving
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
                opened = try openIfThere(next)
            } catch {
                failure = error
                continue
            }
            guard let folder = opened else { continue }
            for name in try DirectoryStream.names(at: folder.number) {
                guard let status = try Posix.statusIfPresent(at: folder.number, name.bytes) else {
                    continue
                }
                if status.isDirectory {
                    directories.append(
                        Directory(
                            name: name, inode: status.inode, status: status, parent: next,
                            path: directories[next].path + [0x2F] + name.bytes))
                } else {
                    files.append(File(name: name, directory: next, status: status))
                }
            }
        }
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
        do throws(DocFSError) {
            return try open(index)
        } catch .notFound {
            return nil
        } catch .notDirectory {
            return nil
        } catch .loop {
            return nil
        }
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
