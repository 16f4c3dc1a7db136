internal import Synchronization

@testable package import DocFS

/// A bucket with a ``VastContainer``, whose log grows as a test wants.
///
/// What is written below `.docfs` is kept in memory; documents cannot be written.
package final class VastStore: CloudStore {
    package let container: VastContainer
    private let own: MemoryStore

    private struct State {
        /// The last record of the log.
        var end = VastContainer.beginning
        var first: UInt64 = 1
        var snapshots: [LogSnapshot] = []
        /// What the records hash to, from the first one on.
        var digests: [Digest] = []
    }
    private let state = Mutex(State())

    package init(documents: Int) {
        container = VastContainer(documents: documents)
        var capabilities = StoreCapabilities.objects
        capabilities.events = false
        capabilities.cheapListing = false
        capabilities.recordIntervalMilliseconds = 1_000
        own = MemoryStore(capabilities: capabilities)
    }

    /// Other devices go on until a record; the log is kept from `floor` on.
    ///
    /// - Parameter snapshot: the last record of the snapshot that stands for what is not.
    package func grow(to end: UInt64, snapshot: UInt64, floor: UInt64) async throws(DocFSError) {
        let device = Container(
            store: own, device: DeviceID(high: 1, low: 1), deviceName: "another")
        _ = try await device.attach(known: nil, new: container.id)
        let new = try container.snapshot(of: snapshot, digest(ofRecord: snapshot))
        state.withLock { state in
            state.end = end
            state.first = floor
            state.snapshots.append(new)
        }
        try await device.raise(
            Floor(record: floor, snapshot: new), over: try await device.floor())
    }

    /// What a record hashes to: each is made of the one before it.
    private func digest(ofRecord number: UInt64) throws(DocFSError) -> Digest {
        try state.withLock { (state) throws(DocFSError) in
            while state.digests.count < Int(number) {
                let next = container.record(
                    UInt64(state.digests.count + 1), after: state.digests.last)
                state.digests.append(SHA256.digest(of: try ContainerCoding.encode(next)))
            }
            return state.digests[Int(number) - 1]
        }
    }

    private func record(_ number: UInt64) throws(DocFSError) -> [UInt8] {
        let previous = number > 1 ? try digest(ofRecord: number - 1) : nil
        return try ContainerCoding.encode(container.record(number, after: previous))
    }

    /// What the store has of a document now.
    package func revision(of document: Int) -> Revision? {
        container.object(at: container.path(of: document), by: end)?.revision
    }

    private var end: UInt64 { state.withLock { $0.end } }

    package var capabilities: StoreCapabilities { own.capabilities }

    package func attach(create: Bool) async throws(DocFSError) {
        try await own.attach(create: create)
    }

    package func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        if path.components.first == ".docfs" { return try await own.head(path) }
        return container.object(at: path, by: end)
    }

    package func small(_ path: ItemPath, atMost limit: Int) async throws(DocFSError) -> [UInt8]? {
        if path.isAtOrBelow(".docfs/log"),
            let number = path.name.flatMap({ UInt64($0.description.dropLast(5)) })
        {
            let isKept = state.withLock { state in
                number <= state.end && number >= state.first
            }
            if isKept { return try record(number) }
        }
        for snapshot in state.withLock({ $0.snapshots })
        where path.isAtOrBelow(snapshot.directory) && path != snapshot.directory {
            guard let number = path.name.flatMap({ Int($0.description.dropLast(5)) }),
                snapshot.pages.indices.contains(number)
            else { return nil }
            return try ContainerCoding.encode(container.page(number, by: snapshot.record))
        }
        return try await own.small(path, atMost: limit)
    }

    package func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError) {
        try await own.read(path, range: range, expecting: expected, into: sink)
    }

    package func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        if directory == ContainerLayout.log {
            let kept = state.withLock { $0.first...$0.end }
            let made = kept.map { number in
                ObjectInfo(
                    path: ContainerLayout.record(number), kind: .file, size: 1,
                    revision: Revision("\(number)"), modified: .zero, mode: 0o644)
            }
            do throws(DocFSError) { return made + (try await own.list(directory)) } catch .notFound
            { return made }
        }
        if directory.components.first == ".docfs" { return try await own.list(directory) }
        guard let objects = container.objects(in: directory, by: end) else { throw .notFound }
        return objects
    }

    package func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        guard path.components.first == ".docfs" else { throw .notOffered }
        return try await own.write(path, object, condition: condition, keeping: keep)
    }

    package func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? { nil }

    package func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        throw .notOffered
    }

    package func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo { throw .notOffered }

    package func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError) {
        try await own.remove(path, expecting: expected, keeping: keep)
    }

    package func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject? {
        try await own.stored(path)
    }

    package func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage
    {
        try await own.stored(below: directory, from: next)
    }

    package func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo { throw .notOffered }

    package func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata)
        async throws(DocFSError)
    { throw .notOffered }

    package func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        try await own.removeDirectory(path)
    }

    package func makeDurable() async throws(DocFSError) { try await own.makeDurable() }
    package func events() -> AsyncStream<StoreEvent> { own.events() }
    package func space() async -> StoreSpace? { nil }
}
