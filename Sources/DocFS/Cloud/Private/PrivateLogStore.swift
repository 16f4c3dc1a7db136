internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A store that is used as it is, except where this device may write nothing and no container is:
/// there what a container keeps for itself, its change log above all, lies in a folder of this
/// device's own, and what others have put into the store is shown all the same.
///
/// That is found out when the store is attached for the first time, and stays so until there is a
/// container, or this device makes one with ``publish()``.
package final class PrivateLogStore: CloudStore, PrivateLog {
    private let documents: any CloudStore
    private let path: String
    private let device: DeviceID
    /// The folder's store, once it was needed.
    private let folder = Mutex<FolderStore?>(nil)
    private let isPrivate = Atomic(false)

    /// - Parameters:
    ///   - path: of the folder that holds the container's own files where the store does not; made
    ///     when it is needed.
    ///   - device: whose store this is.
    package init(_ documents: any CloudStore, logAt path: String, of device: DeviceID) {
        self.documents = documents
        self.path = path
        self.device = device
    }

    package var capabilities: StoreCapabilities {
        var capabilities = documents.capabilities
        guard isPrivate.load(ordering: .relaxed) else { return capabilities }
        capabilities.logIsPrivate = true
        capabilities.expires = false
        capabilities.tombstonesDue = nil
        capabilities.isOnOwnDisk = false
        return capabilities
    }

    /// The store that has what lies at `path`.
    private func holder(of path: ItemPath) -> any CloudStore {
        guard isPrivate.load(ordering: .relaxed), path.isAtOrBelow(Self.control),
            let folder = folder.withLock({ $0 })
        else { return documents }
        return folder
    }

    private static let control = ItemPath([ContainerLayout.reserved])

    // MARK: Attaching

    /// Attaches the documents' store, and this device's own folder where that has the log.
    ///
    /// It does not find out whether the documents lie where the log was written: a disk that was
    /// unmounted leaves an empty directory (S23). Who has read the log does.
    package func attach(create: Bool) async throws(DocFSError) {
        // Who knows of no container does not know of that log's either.
        if create { try removeLog() }
        if let own = try await ownStore(making: false) {
            try await documents.attachAsFound()
            if try await documents.head(ContainerLayout.marker) == nil { return keepLog(in: own) }
            // A container of another device, or of this log: of that nothing was said yet.
            isPrivate.store(false, ordering: .relaxed)
            if try await marker(in: documents) == marker(in: own) { try removeLog() }
            return
        }
        try await documents.attach(create: create)
        isPrivate.store(false, ordering: .relaxed)
        guard create, documents.capabilities.writesRefused != nil,
            try await documents.head(ContainerLayout.marker) == nil,
            try await !documents.isEmpty(), let own = try await ownStore(making: true)
        else { return }
        keepLog(in: own)
    }

    private func keepLog(in own: FolderStore) {
        folder.withLock { $0 = own }
        isPrivate.store(true, ordering: .relaxed)
    }

    /// The folder's store, attached.
    ///
    /// - Returns: `nil` where no log is kept, and none is to be.
    private func ownStore(making isMade: Bool) async throws(DocFSError) -> FolderStore? {
        let isKept = try Posix.statusIfPresent(at: AT_FDCWD, Array("\(path)/.docfs".utf8)) != nil
        guard isMade || isKept else { return nil }
        if isKept, let known = folder.withLock({ $0 }) { return known }
        let own = FolderStore(path: path, device: device)
        try await own.attach(create: isMade)
        if !isMade, try await own.head(ContainerLayout.marker) == nil { return nil }
        return own
    }

    private func marker(in store: any CloudStore) async throws(DocFSError) -> [UInt8]? {
        try await store.small(ContainerLayout.marker, atMost: ContainerRules.largestFile)
    }

    package func forget() async throws(DocFSError) {
        if !isPrivate.load(ordering: .relaxed) { try removeLog() }
    }

    /// Removes the log of this device's own, its marker first.
    private func removeLog() throws(DocFSError) {
        isPrivate.store(false, ordering: .relaxed)
        folder.withLock { $0 = nil }
        guard try Posix.statusIfPresent(at: AT_FDCWD, Array(path.utf8)) != nil else { return }
        do throws(DocFSError) {
            try Posix.unlink(at: AT_FDCWD, Array("\(path)/\(ContainerLayout.marker)".utf8))
        } catch {
            guard error == .notFound || error == .notDirectory else { throw error }
        }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw .offline("\(path) cannot be removed: \(error)")
        }
    }

    // MARK: A container of it

    package func publish() async throws(DocFSError) {
        guard isPrivate.load(ordering: .relaxed), let own = folder.withLock({ $0 }) else { return }
        try await documents.makeControl()
        try await documents.attach(create: false)
        for directory in [ContainerLayout.snapshots, ContainerLayout.log] {
            try await publish(below: directory, of: own)
            // A floor is of snapshots that are there, and tells where the log begins.
            if directory == ContainerLayout.snapshots {
                try await publish(ContainerLayout.floor, of: own)
            }
        }
        try await documents.makeDurable()
        try await publish(ContainerLayout.marker, of: own)
        try await documents.makeDurable()
        isPrivate.store(false, ordering: .relaxed)
        // Else it goes when the store is attached next.
        try? removeLog()
    }

    private func publish(below directory: ItemPath, of own: FolderStore) async throws(DocFSError) {
        let found: [ObjectInfo]
        do throws(DocFSError) { found = try await own.list(directory) } catch .notFound { return }
        for object in found.sorted(by: { $0.path < $1.path }) {
            if object.kind == .directory {
                try await publish(below: object.path, of: own)
            } else {
                try await publish(object.path, of: own)
            }
        }
    }

    /// - Throws: `.refused` where the store has something else there.
    private func publish(_ path: ItemPath, of own: FolderStore) async throws(DocFSError) {
        let limit = ContainerRules.largestFile
        guard let bytes = try await own.small(path, atMost: limit) else { return }
        let object = ObjectWrite(
            payload: .bytes(bytes, size: UInt64(bytes.count)), metadata: nil)
        do throws(DocFSError) {
            _ = try await documents.write(path, object, condition: .absent, keeping: nil)
        } catch {
            guard error == .refused || error == .exists else { throw error }
            // An earlier attempt may have put it there.
            guard try await documents.small(path, atMost: limit) == bytes else { throw .refused }
        }
    }

    // MARK: Objects

    package func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        try await holder(of: path).head(path)
    }

    package func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError) {
        try await holder(of: path).read(path, range: range, expecting: expected, into: sink)
    }

    package func small(_ path: ItemPath, atMost limit: Int) async throws(DocFSError) -> [UInt8]? {
        try await holder(of: path).small(path, atMost: limit)
    }

    package func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await holder(of: path).write(path, object, condition: condition, keeping: keep)
    }

    package func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? {
        try await holder(of: path).settle(path, object, condition: condition, keeping: keep)
    }

    package func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await holder(of: source).copy(
            source, expecting: expected, to: destination, metadata: metadata,
            condition: condition, keeping: keep)
    }

    package func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo {
        try await holder(of: source).move(
            source, expecting: expected, to: destination, condition: condition)
    }

    package func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError) {
        try await holder(of: path).remove(path, expecting: expected, keeping: keep)
    }

    package func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo {
        try await holder(of: path).setMetadata(path, expecting: expected, metadata)
    }

    package func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata)
        async throws(DocFSError)
    {
        try await holder(of: path).makeDirectory(path, metadata: metadata)
    }

    package func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        try await holder(of: path).removeDirectory(path)
    }

    package func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        try await holder(of: directory).list(directory)
    }

    package func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject? {
        try await holder(of: path).stored(path)
    }

    package func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage
    {
        try await holder(of: directory).stored(below: directory, from: next)
    }

    package func removeTombstones() async {
        if !isPrivate.load(ordering: .relaxed) { await documents.removeTombstones() }
    }

    package func removeOld(_ found: StoredObject, storedUntil limit: Timestamp)
        async throws(DocFSError)
    {
        try await holder(of: found.path).removeOld(found, storedUntil: limit)
    }

    // MARK: The whole

    package func makeDurable() async throws(DocFSError) {
        try await holder(of: Self.control).makeDurable()
    }

    package func events() -> AsyncStream<StoreEvent> { documents.events() }

    package func isEmpty() async throws(DocFSError) -> Bool { try await documents.isEmpty() }

    package func close() { documents.close() }

    package func space() async -> StoreSpace? { await documents.space() }
}
