import DocFS
import Synchronization

/// One device's way to a store, on which a test decides what goes wrong.
final class FaultyStore: CloudStore {
    enum Verb {
        case head, list, read, write, settle, copy, move, remove, describe, makeDirectory
        case makeDurable
    }
    private static let reading: Set<Verb> = [.head, .list, .read]

    /// What happens to a request.
    enum Fault {
        /// It does not get there.
        case refused(DocFSError)
        /// It takes effect, and nobody hears of it.
        case answerLost
        /// It takes effect, and so it does not when it is sent once more: only that is heard.
        case answered(DocFSError)
        /// What is asked for is answered with what was there before.
        case stale(ObjectInfo?)
    }

    let store: MemoryStore
    /// In a box: reading a closure out of a `Mutex` wraps it once more each time.
    private struct Decision {
        var decide: @Sendable (Verb, ItemPath) -> Fault?
    }
    private let decision: Mutex<Decision>
    private let pause = Mutex<(@Sendable (Verb, ItemPath) async -> Void)?>(nil)
    private let durable = Atomic(true)
    private let writesRefused = Mutex<String?>(nil)
    private let tried = Mutex<[ItemPath]>([])

    init(_ store: MemoryStore) {
        self.store = store
        decision = Mutex(Decision { _, _ in nil })
    }

    /// From now on requests go wrong as `decide` says.
    func setFaults(_ decide: @escaping @Sendable (Verb, ItemPath) -> Fault?) {
        decision.withLock { $0.decide = decide }
    }

    /// From now on this device may write nothing, for that reason; `nil`: it may.
    func setWritesRefused(_ words: String?) { writesRefused.withLock { $0 = words } }

    /// What somebody has tried to change while nothing might be written.
    var triedInVain: [ItemPath] { tried.withLock { $0 } }

    /// From now on requests wait until `pause` returns.
    func setPause(_ pause: @escaping @Sendable (Verb, ItemPath) async -> Void) {
        self.pause.withLock { $0 = pause }
    }

    /// The first request that `isLast` names takes effect, and then none gets there.
    ///
    /// - Parameter refused: what meets a refusal instead of that, by its verb.
    /// - Returns: whether it has.
    @discardableResult
    func cut(
        refusing refused: (Verb, DocFSError)? = nil,
        after isLast: @escaping @Sendable (Verb, ItemPath) -> Bool
    ) -> @Sendable () -> Bool {
        let isCut = Cut()
        setFaults { verb, path in
            if let refused, refused.0 == verb { return .refused(refused.1) }
            if isCut.value.load(ordering: .relaxed) { return .refused(.offline("cut off")) }
            if isLast(verb, path) { isCut.value.store(true, ordering: .relaxed) }
            return nil
        }
        return { isCut.value.load(ordering: .relaxed) }
    }

    private final class Cut: Sendable {
        let value = Atomic(false)
    }

    /// Whether all that took effect was made durable since.
    var isDurable: Bool { durable.load(ordering: .relaxed) }

    private func request<Value>(
        _ verb: Verb, _ path: ItemPath, _ body: () async throws(DocFSError) -> Value
    ) async throws(DocFSError) -> Value {
        let (decision, pause) = (decision.withLock { $0 }, pause.withLock { $0 })
        await pause?(verb, path)
        let fault = decision.decide(verb, path)
        if case .refused(let error) = fault { throw error }
        if !Self.reading.contains(verb), verb != .makeDurable, capabilities.writesRefused != nil {
            tried.withLock { $0.append(path) }
            throw .credentialsRefused("nothing may be written")
        }
        let value = try await body()
        if !Self.reading.contains(verb) { durable.store(false, ordering: .relaxed) }
        switch fault {
        case .answerLost: throw .outcomeUnknown("the answer was lost")
        case .answered(let error): throw error
        case .refused, .stale, nil: return value
        }
    }

    var capabilities: StoreCapabilities {
        var capabilities = store.capabilities
        capabilities.writesRefused = writesRefused.withLock { $0 }
        return capabilities
    }

    func attach(create: Bool) async throws(DocFSError) { try await store.attach(create: create) }

    func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        let found = try await request(.head, path) { () throws(DocFSError) in
            try await store.head(path)
        }
        return asTold(found, at: path)
    }

    func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        let found = try await request(.list, directory) { () throws(DocFSError) in
            try await store.list(directory)
        }
        return found.compactMap { asTold($0, at: $0.path) }
    }

    private func asTold(_ object: ObjectInfo?, at path: ItemPath) -> ObjectInfo? {
        if case .stale(let former)? = decision.withLock({ $0 }).decide(.head, path) {
            return former
        }
        return object
    }

    func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError) {
        try await request(.read, path) { () throws(DocFSError) in
            try await store.read(path, range: range, expecting: expected, into: sink)
        }
    }

    func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await request(.write, path) { () throws(DocFSError) in
            try await store.write(path, object, condition: condition, keeping: keep)
        }
    }

    func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? {
        try await request(.settle, path) { () throws(DocFSError) in
            try await store.settle(path, object, condition: condition, keeping: keep)
        }
    }

    func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await request(.copy, destination) { () throws(DocFSError) in
            try await store.copy(
                source, expecting: expected, to: destination, metadata: metadata,
                condition: condition, keeping: keep)
        }
    }

    func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo {
        try await request(.move, source) { () throws(DocFSError) in
            try await store.move(
                source, expecting: expected, to: destination, condition: condition)
        }
    }

    func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError) {
        try await request(.remove, path) { () throws(DocFSError) in
            try await store.remove(path, expecting: expected, keeping: keep)
        }
    }

    func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo {
        try await request(.describe, path) { () throws(DocFSError) in
            try await store.setMetadata(path, expecting: expected, metadata)
        }
    }

    func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata) async throws(DocFSError) {
        try await request(.makeDirectory, path) { () throws(DocFSError) in
            try await store.makeDirectory(path, metadata: metadata)
        }
    }

    func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        try await request(.remove, path) { () throws(DocFSError) in
            try await store.removeDirectory(path)
        }
    }

    func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject? {
        try await request(.head, path) { () throws(DocFSError) in try await store.stored(path) }
    }

    func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage
    {
        try await request(.list, directory) { () throws(DocFSError) in
            try await store.stored(below: directory, from: next)
        }
    }

    func makeDurable() async throws(DocFSError) {
        try await request(.makeDurable, .root) { () throws(DocFSError) in
            try await store.makeDurable()
        }
        durable.store(true, ordering: .relaxed)
    }

    func events() -> AsyncStream<StoreEvent> { store.events() }
    func space() async -> StoreSpace? { await store.space() }
}
