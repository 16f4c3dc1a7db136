internal import Glibc
internal import Synchronization

/// A folder store's directory, held open: the blocking work behind ``FolderStore``.
///
/// Everything is reached from the held descriptor, never through a symbolic link. All calls block
/// and belong on a thread of the store's pool. `.docfs/lock` orders changes among all devices that
/// share the folder; other programs know nothing of it, so that every replaced or removed body is
/// looked at **after** it was taken away, and put back when it is not the expected one.
///
/// Names below `.docfs/tmp`: `OP.part` is a body that is being written and was never visible, and
/// `DEVICE-RUN.part` a file of the container's own; `OP` is one side of an exchange and may hold a
/// body that exists nowhere else. What is neither the base nor ours ends in `.docfs/found`.
final class AttachedFolder: Sendable {
    let path: String
    let root: Descriptor
    let traits: FolderTraits
    /// Why nothing can be written there, in words.
    let writesRefused: String?
    /// Whether it had `.docfs` when it was attached.
    let hasControl: Bool
    let dirty = DirtyDirectories()
    /// The name below `.docfs/tmp` of the container's own file that is being written: one at a
    /// time, and nobody else's.
    let ownName: String
    /// The filesystem that it lies on (`st_dev`).
    let device: UInt64
    private let inode: UInt64
    private let staging = Mutex<Descriptor?>(nil)

    static let controlName = Array(".docfs".utf8)
    static let control = ItemPath(".docfs")
    static let lockPath = ItemPath(".docfs/lock")
    static let stagingPath = ItemPath(".docfs/tmp")
    static let foundPath = ItemPath(".docfs/found")

    /// Takes an open root; see `attach(path:create:)`.
    init(
        path: String, root: Descriptor, status: FileStatus, traits: FolderTraits,
        ownName: String, writesRefused: String? = nil, hasControl: Bool = true
    ) {
        self.path = path
        self.writesRefused = writesRefused
        self.hasControl = hasControl
        self.ownName = ownName
        self.root = root
        self.traits = traits
        device = status.device
        inode = status.inode
    }

    // MARK: Errors

    /// Runs system calls on the folder and says what their failures mean for a store.
    func store<Value>(_ body: () throws(DocFSError) -> Value) throws(DocFSError) -> Value {
        do {
            return try body()
        } catch {
            throw verdict(error)
        }
    }

    private func verdict(_ error: DocFSError) -> DocFSError {
        switch error {
        case .notFound:
            // A folder that has gone answers ENOENT for everything (S23).
            do throws(DocFSError) { try checkRoot() } catch { return error }
            return .notFound
        case .accessDenied, .notPermitted:
            return mayBeUsed
                ? .documentRefused("permission denied in the container's folder")
                : .credentialsRefused("the folder's permissions")
        case .readOnly:
            return .credentialsRefused("the folder is read-only")
        case .tooLarge:
            return .tooLargeForStore
        default:
            if Posix.isFull(error) { return .storeFull }
            if Posix.isUnreachable(error) { return .offline(error.sentence) }
            return error
        }
    }

    /// Whether this process may do in the folder what a container needs: what is refused then is
    /// refused for one file or directory.
    private var mayBeUsed: Bool {
        let wanted = writesRefused == nil ? R_OK | W_OK | X_OK : R_OK | X_OK
        for name in [".", ".docfs", ".docfs/log", ".docfs/tmp"] {
            do throws(DocFSError) {
                try Posix.checkAccess(at: root.number, Array(name.utf8), wanted)
            } catch .notFound {
                continue
            } catch {
                return false
            }
        }
        return true
    }

    /// Throws `.offline` unless the path still leads to the directory that was attached: it may
    /// have been removed, replaced, or hidden by an unmount (S23).
    func checkRoot() throws(DocFSError) {
        let now: FileStatus
        do {
            now = try Posix.status(path: path)
        } catch {
            throw .offline("\(path): \(error.sentence)")
        }
        guard now.inode == inode, now.device == device else {
            throw .offline("\(path) is another directory now")
        }
    }

    // MARK: Paths

    /// Whether `path` is the container's own, below `.docfs`.
    static func isOwn(_ path: ItemPath) -> Bool { path.isAtOrBelow(control) }

    /// Opens the directory at `path` by O_PATH.
    ///
    /// `.notFound` also when a component is a symbolic link or no directory.
    func directory(_ path: ItemPath, flags: Int32 = Posix.pathOnly) throws(DocFSError)
        -> Descriptor
    {
        try AttachedFolder.open(path, below: root, flags: flags)
    }

    /// As ``directory(_:flags:)``, below any open directory.
    static func open(_ path: ItemPath, below root: Descriptor, flags: Int32)
        throws(DocFSError) -> Descriptor
    {
        if path.isRoot, flags == Posix.pathOnly { return root }
        guard path.components.allSatisfy(\.isValid) else { throw .notFound }
        var current = root
        var rest = path.components[...]
        repeat {
            // openat2(2) takes less than PATH_MAX at a time.
            let piece = rest.prefix(12)
            rest = rest.dropFirst(12)
            do {
                current = try Posix.openBeneath(
                    current.number, ItemPath(Array(piece)).bytes,
                    flags: (rest.isEmpty ? flags : Posix.pathOnly) | O_DIRECTORY)
            } catch .loop {
                throw .notFound
            } catch .notDirectory {
                throw .notFound
            } catch .nameTooLong {
                throw .notFound
            }
        } while !rest.isEmpty
        return current
    }

    /// The place of `path` in its open parent directory.
    ///
    /// Below `.docfs` missing parents are made.
    func place(_ path: ItemPath) throws(DocFSError) -> FolderPlace {
        guard let name = path.name, name.bytes.count <= Name.maximumLength else {
            throw path.isRoot ? .invalidArgument : .nameTooLong
        }
        guard name.isValid else { throw .invalidArgument }
        let parent = path.parent
        let directory =
            AttachedFolder.isOwn(parent)
            ? try madeDirectory(parent) : try directory(parent)
        return FolderPlace(directory: directory, name: name.bytes)
    }

    /// As ``place(_:)`` for what need not exist: `nil` when no directory could hold it, and
    /// nothing is made.
    func existingPlace(_ path: ItemPath) throws(DocFSError) -> FolderPlace? {
        guard let name = path.name, name.isValid else { return nil }
        do {
            return FolderPlace(directory: try directory(path.parent), name: name.bytes)
        } catch .notFound {
            return nil
        }
    }

    /// Opens a directory at or below `.docfs`, made when missing; `.docfs` itself is never made
    /// here: without it the folder is no container any more.
    private func madeDirectory(_ path: ItemPath) throws(DocFSError) -> Descriptor {
        do {
            return try directory(path)
        } catch .notFound where path.components.count > 1 {
            let parent = try madeDirectory(path.parent)
            do {
                try Posix.makeDirectory(at: parent.number, path.name!.bytes, mode: 0o700)
            } catch .exists {
                // Another device was quicker.
            }
            dirty.insert(path.parent)
            return try directory(path)
        } catch .notFound {
            try checkRoot()
            throw .offline("\(self.path) has no .docfs any more")
        }
    }

    /// `.docfs/tmp`, made when missing and held open.
    func stagingDirectory() throws(DocFSError) -> Descriptor {
        if let held = staging.withLock({ $0 }) { return held }
        let opened = try madeDirectory(AttachedFolder.stagingPath)
        staging.withLock { $0 = opened }
        return opened
    }

    /// Opens a new file in `.docfs/tmp`, over what an interrupted attempt left.
    ///
    /// Should somebody have removed the directory, it is made anew.
    func makeStaged(_ name: String) throws(DocFSError) -> (FolderPlace, Descriptor) {
        for attempt in 0..<3 {
            let place = try stagingPlace(name)
            do throws(DocFSError) {
                let descriptor = try Posix.open(
                    at: place.directory.number, place.name,
                    flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
                return (place, descriptor)
            } catch {
                switch error {
                case .exists where attempt < 2:
                    try removeLeftover(place)
                case .notFound where attempt < 2:
                    staging.withLock { $0 = nil }
                default:
                    throw error
                }
            }
        }
        throw .busy
    }

    /// A place in `.docfs/tmp`.
    func stagingPlace(_ name: String) throws(DocFSError) -> FolderPlace {
        FolderPlace(directory: try stagingDirectory(), name: Array(name.utf8))
    }

    /// A name that nobody else uses.
    static func freshName() -> String {
        var random = SystemRandomNumberGenerator()
        return OperationID(using: &random).description
    }

    // MARK: The container's lock

    /// Runs `body` as the only device that changes the folder.
    ///
    /// Held for microseconds, so that whoever waits long waits for a stopped program: `.offline`
    /// after twenty seconds.
    func locked<Value>(
        _ cancellation: Cancellation, _ body: () throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        guard traits.locks else { return try body() }
        let lock = try takeLock(cancellation)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    private func takeLock(_ cancellation: Cancellation) throws(DocFSError) -> FileLock {
        let file = try place(AttachedFolder.lockPath)
        let descriptor = try Posix.open(
            at: file.directory.number, file.name, flags: O_RDWR | O_CREAT | O_NOFOLLOW,
            mode: 0o600)
        var pause: UInt32 = 50
        var waited: UInt32 = 0
        while true {
            do throws(DocFSError) {
                return try FileLock(descriptor)
            } catch .wouldBlock {
                try cancellation.check()
                guard waited < 20_000_000 else {
                    throw .offline("another program holds .docfs/lock")
                }
                Posix.sleep(microseconds: pause)
                waited += pause
                pause = min(pause * 2, 10_000)
            }
        }
    }
}
