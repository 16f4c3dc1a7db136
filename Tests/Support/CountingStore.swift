package import DocFS
internal import Synchronization

/// A store that counts what its requests would cost as a bucket: requests by verb, and bytes.
///
/// A listing costs one request for each thousand entries (ListObjectsV2 of the Amazon S3 API
/// Reference); everything else one.
package final class CountingStore: CloudStore {
    package enum Verb: String, CaseIterable, Comparable, Sendable {
        case get, head, list, put, copy, delete

        package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// What was asked for.
    package struct Counts: Sendable, CustomStringConvertible {
        package var requests: [Verb: Int] = [:]
        /// How often objects were asked for without their bodies.
        package var looks: [ItemPath: Int] = [:]
        /// Of bodies.
        package var bytesDown: UInt64 = 0
        /// Of listings, estimated.
        package var bytesListed: UInt64 = 0
        package var bytesUp: UInt64 = 0

        package init() {}

        package subscript(verb: Verb) -> Int { requests[verb] ?? 0 }

        package var total: Int { requests.values.reduce(0, +) }

        package var description: String {
            let verbs = requests.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.rawValue)" }
            return "\(total) requests (\(verbs.joined(separator: ", ")))"
        }
    }

    private let store: any CloudStore
    private let counts = Mutex(Counts())

    package init(_ store: any CloudStore) { self.store = store }

    /// What was asked for since this was last called.
    package func take() -> Counts {
        counts.withLock { counts in
            defer { counts = Counts() }
            return counts
        }
    }

    /// What was asked for since ``take()``.
    package var sofar: Counts { counts.withLock { $0 } }

    private func count(
        _ verb: Verb, _ number: Int = 1, up: UInt64 = 0, down: UInt64 = 0, listed: UInt64 = 0
    ) {
        counts.withLock { counts in
            counts.requests[verb, default: 0] += number
            counts.bytesUp += up
            counts.bytesDown += down
            counts.bytesListed += listed
        }
    }

    private static let listedAtOnce = 1_000
    /// Bytes that an answer has for each object that it lists, about as Amazon and Ceph write it.
    private static let bytesOfEntry: UInt64 = 300

    package var capabilities: StoreCapabilities { store.capabilities }

    package func attach(create: Bool) async throws(DocFSError) {
        try await store.attach(create: create)
    }

    package func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        count(.head)
        counts.withLock { $0.looks[path, default: 0] += 1 }
        return try await store.head(path)
    }

    package func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError) {
        count(.get, down: UInt64(range.count))
        try await store.read(path, range: range, expecting: expected, into: sink)
    }

    package func small(_ path: ItemPath, atMost limit: Int) async throws(DocFSError) -> [UInt8]? {
        let bytes = try await store.small(path, atMost: limit)
        count(.get, down: UInt64(bytes?.count ?? 0))
        return bytes
    }

    package func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        var size: UInt64 = 0
        if case .bytes(_, let length) = object.payload { size = length }
        count(.put, up: size)
        return try await store.write(path, object, condition: condition, keeping: keep)
    }

    package func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? {
        count(.head)
        return try await store.settle(path, object, condition: condition, keeping: keep)
    }

    package func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        count(.copy)
        return try await store.copy(
            source, expecting: expected, to: destination, metadata: metadata,
            condition: condition, keeping: keep)
    }

    package func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo {
        count(.copy)
        return try await store.move(
            source, expecting: expected, to: destination, condition: condition)
    }

    package func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError) {
        if keep != nil { count(.copy) }
        count(.delete)
        try await store.remove(path, expecting: expected, keeping: keep)
    }

    package func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject? {
        count(.head)
        return try await store.stored(path)
    }

    package func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage
    {
        count(.list)
        return try await store.stored(below: directory, from: next)
    }

    package func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo {
        count(.put)
        return try await store.setMetadata(path, expecting: expected, metadata)
    }

    package func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata)
        async throws(DocFSError)
    {
        count(.put)
        try await store.makeDirectory(path, metadata: metadata)
    }

    package func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        count(.delete)
        try await store.removeDirectory(path)
    }

    package func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        let objects = try await store.list(directory)
        count(
            .list, max(1, (objects.count + Self.listedAtOnce - 1) / Self.listedAtOnce),
            listed: UInt64(objects.count) * Self.bytesOfEntry)
        return objects
    }

    package func makeDurable() async throws(DocFSError) { try await store.makeDurable() }
    package func events() -> AsyncStream<StoreEvent> { store.events() }
    package func space() async -> StoreSpace? { await store.space() }
}
