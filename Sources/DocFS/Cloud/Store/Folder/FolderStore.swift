internal import Glibc
internal import Synchronization

/// A store that is a directory on this computer, or on a filesystem that several computers share.
///
/// Documents are plain files that every other program may read and write. Conditions are decided by
/// renameat2(2) and, among devices, under a lock; what other programs do in the same instant is
/// found out afterwards and undone, so that no body is lost.
///
/// All system calls run on a few threads of the store's own. Cancelling a task ends its call
/// between two pieces of a body.
package final class FolderStore: CloudStore {
    /// Absolute.
    package let path: String
    private let most: FolderTraits
    private let owner: DeviceID?
    /// The filesystem (`st_dev`) that DocFS keeps its own state on.
    private let home: UInt64?
    private let pool = BlockingPool(threads: 4, name: "docfs-folder")
    private let attached = Mutex<AttachedFolder?>(nil)
    /// The folder could be written since the start: that it cannot be any more will pass.
    private let wasWritable = Atomic(false)
    private let watchers = Mutex<[WeakWatcher]>([])

    /// Names the folder; nothing is touched before ``attach(create:)``.
    ///
    /// - Parameters:
    ///   - path: absolute. Symbolic links in it are followed.
    ///   - device: whose store this is; what it leaves when it is killed, it finds by that.
    ///   - home: the filesystem (`st_dev`) that DocFS keeps its own state on.
    package convenience init(path: String, device: DeviceID? = nil, home: UInt64? = nil) {
        self.init(path: path, most: FolderTraits(), device: device, home: home)
    }

    /// As ``init(path:device:home:)``, using of the filesystem at most what `most` has.
    init(path: String, most: FolderTraits, device: DeviceID? = nil, home: UInt64? = nil) {
        self.path = path
        self.most = most
        owner = device
        self.home = home
    }

    deinit {
        watchers.withLock { $0.forEach { $0.watcher?.stop() } }
    }

    package var capabilities: StoreCapabilities {
        attached.withLock { folder in
            var capabilities = (folder?.traits ?? FolderTraits()).capabilities
            capabilities.writesRefused = folder?.writesRefused
            if let folder, let home {
                // On a home directory of a server's, others may have the folder as well.
                capabilities.isOnOwnDisk = folder.device == home && folder.traits.events
            }
            return capabilities
        }
    }

    /// A folder that cannot be written is one to be read, whether it is a container or not: but
    /// not one that could be since the start.
    package func attach(create: Bool) async throws(DocFSError) {
        // Nothing was made, and nothing is gone, where it had no `.docfs`.
        let create = create && attached.withLock { $0?.hasControl != true }
        try await attach(control: create ? .made : .required)
    }

    package func attachAsFound() async throws(DocFSError) { try await attach(control: .optional) }

    package func makeControl() async throws(DocFSError) {
        try await run { (folder, _) throws(DocFSError) in
            try folder.store { () throws(DocFSError) in try folder.makeControl() }
        }
    }

    private func attach(control: AttachedFolder.Control) async throws(DocFSError) {
        let (path, most, owner) = (path, most, owner)
        let mayBeReadOnly = !wasWritable.load(ordering: .relaxed)
        let folder = try await pool.run { (_) throws(DocFSError) in
            try AttachedFolder.attach(
                path: path, control: control, mayBeReadOnly: mayBeReadOnly, most: most,
                owner: owner)
        }
        if folder.hasControl, folder.writesRefused == nil {
            wasWritable.store(true, ordering: .relaxed)
        }
        attached.withLock { $0 = folder }
    }

    package func isEmpty() async throws(DocFSError) -> Bool {
        let path = path
        return try await pool.run { (_) throws(DocFSError) in
            let folder = try Posix.open(path: path, flags: O_RDONLY | O_DIRECTORY)
            return try DirectoryStream.names(at: folder.number)
                .allSatisfy { $0.bytes == AttachedFolder.controlName }
        }
    }

    /// Runs `body` on a thread of the pool, with a folder that is still where it was.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (AttachedFolder, Cancellation) throws(DocFSError) -> Value
    ) async throws(DocFSError) -> Value {
        guard let folder = attached.withLock({ $0 }) else {
            throw .offline("\(path) is not attached")
        }
        return try await pool.run { (cancellation) throws(DocFSError) in
            try folder.checkRoot()
            return try body(folder, cancellation)
        }
    }

    package func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        try await run { (folder, _) throws(DocFSError) in try folder.head(path) }
    }

    package func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError) {
        try await run { (folder, cancellation) throws(DocFSError) in
            try folder.read(path, range: range, expecting: expected, into: sink, cancellation)
        }
    }

    package func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await run { (folder, cancellation) throws(DocFSError) in
            try folder.write(path, object, condition: condition, keeping: keep, cancellation)
        }
    }

    package func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? {
        try await run { (folder, cancellation) throws(DocFSError) in
            try folder.settle(path, object, condition: condition, keeping: keep, cancellation)
        }
    }

    package func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await run { (folder, cancellation) throws(DocFSError) in
            try folder.copy(
                source, expecting: expected, to: destination, metadata: metadata,
                condition: condition, keeping: keep, cancellation)
        }
    }

    package func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo {
        try await run { (folder, cancellation) throws(DocFSError) in
            try folder.move(
                source, expecting: expected, to: destination, condition: condition, cancellation)
        }
    }

    package func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError) {
        try await run { (folder, cancellation) throws(DocFSError) in
            guard let keep else {
                return try folder.remove(path, expecting: expected, cancellation)
            }
            _ = try folder.move(
                path, expecting: expected, to: keep, condition: .absent, cancellation)
        }
    }

    package func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo {
        try await run { (folder, cancellation) throws(DocFSError) in
            try folder.setMetadata(path, expecting: expected, metadata, cancellation)
        }
    }

    package func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata)
        async throws(DocFSError)
    {
        try await run { (folder, cancellation) throws(DocFSError) in
            try folder.makeDirectory(path, metadata: metadata, cancellation)
        }
    }

    package func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        try await run { (folder, _) throws(DocFSError) in try folder.removeDirectory(path) }
    }

    package func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        try await run { (folder, cancellation) throws(DocFSError) in
            try folder.list(directory, cancellation)
        }
    }

    package func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject? {
        try await run { (folder, _) throws(DocFSError) in try folder.stored(path) }
    }

    package func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage
    {
        try await run { (folder, cancellation) throws(DocFSError) in
            StoredPage(objects: try folder.stored(below: directory, cancellation))
        }
    }

    package func makeDurable() async throws(DocFSError) {
        try await run { (folder, _) throws(DocFSError) in try folder.makeDurable() }
    }

    package func events() -> AsyncStream<StoreEvent> {
        guard capabilities.events else { return AsyncStream { $0.finish() } }
        // The end of the stream says that changes have to be looked for, and `status` says so.
        guard let (watcher, stream) = try? FolderWatcher.start(path: path) else {
            return AsyncStream { $0.finish() }
        }
        watchers.withLock { watchers in
            watchers.removeAll { $0.watcher == nil }
            watchers.append(WeakWatcher(watcher: watcher))
        }
        return stream
    }

    package func space() async -> StoreSpace? {
        // A folder that does not tell is one of the stores that cannot.
        try? await run { (folder, _) throws(DocFSError) in try folder.space() }
    }

    /// A watcher lives as long as its thread.
    private struct WeakWatcher {
        weak var watcher: FolderWatcher?
    }
}
