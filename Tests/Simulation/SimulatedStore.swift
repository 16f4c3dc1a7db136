import DocFS
import TestSupport

/// What lies between one device and the store.
final class Network: @unchecked Sendable {
    /// Nothing gets through.
    private(set) var isCut = false
    /// Who is told that events may have been missed.
    private var listeners: [AsyncStream<StoreEvent>.Continuation] = []
    /// One request in so many fails; 0 is none.
    var faults: UInt64 = 0
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func cut() { isCut = true }

    func mend() {
        guard isCut else { return }
        isCut = false
        for listener in listeners { listener.yield(.lookAtEverything) }
    }

    func listen(_ listener: AsyncStream<StoreEvent>.Continuation) { listeners.append(listener) }

    func hangUp() { listeners.removeAll() }
}

/// The store as one process of a device sees it: late, refusing, and silent at the wrong moment.
final class SimulatedStore: CloudStore, @unchecked Sendable {
    private let store: MemoryStore
    private let process: Process
    private let network: Network
    private let clock: SimulatedClock
    private let note: (String) -> Void
    /// Is told that the same bytes have another revision now.
    private let renamed: (Revision?, Revision?) -> Void

    init(
        _ store: MemoryStore, _ process: Process, _ network: Network, _ clock: SimulatedClock,
        note: @escaping (String) -> Void, renamed: @escaping (Revision?, Revision?) -> Void
    ) {
        self.store = store
        self.process = process
        self.network = network
        self.clock = clock
        self.note = note
        self.renamed = renamed
    }

    var capabilities: StoreCapabilities { store.capabilities }

    /// Milliseconds that half of a request takes, at most.
    private static let latency: UInt64 = 40

    private func travel() async {
        await clock.sleep(
            nanoseconds: 1_000_000 * (1 + network.random.next() % Self.latency))
    }

    private func isFault() -> Bool {
        network.faults > 0 && network.random.isOnce(in: network.faults)
    }

    private var isAway: Bool { process.isDead || network.isCut }

    /// A request that changes nothing.
    private func ask<Value: Sendable>(
        _ body: () async throws(DocFSError) -> Value
    ) async throws(DocFSError) -> Value {
        await travel()
        if isAway { throw .offline("cut off") }
        if isFault() { throw .offline("503 Slow Down") }
        let answer = try await body()
        await travel()
        if isAway { throw .offline("cut off") }
        if isFault() { throw .offline("the answer was lost") }
        return answer
    }

    /// A request that changes something.
    private func change<Value: Sendable>(
        _ words: @autoclosure () -> String, _ body: () async throws(DocFSError) -> Value
    ) async throws(DocFSError) -> Value {
        await travel()
        if isAway { throw .offline("cut off") }
        if isFault() {
            if network.random.isOnce(in: 2) { throw .offline("503 Slow Down") }
            throw .outcomeUnknown("500 without effect")
        }
        do throws(DocFSError) {
            let answer = try await body()
            note(words())
            await travel()
            if isAway || isFault() { throw DocFSError.outcomeUnknown("the answer was lost") }
            return answer
        } catch {
            if case .outcomeUnknown = error { throw error }
            note("\(words()): \(error.sentence)")
            await travel()
            if isAway || isFault() { throw DocFSError.outcomeUnknown("the answer was lost") }
            throw error
        }
    }

    func attach(create: Bool) async throws(DocFSError) {
        try await ask { () throws(DocFSError) in try await store.attach(create: create) }
    }

    func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        try await ask { () throws(DocFSError) in try await store.head(path) }
    }

    func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        try await ask { () throws(DocFSError) in try await store.list(directory) }
    }

    func makeDurable() async throws(DocFSError) {
        try await ask { () throws(DocFSError) in try await store.makeDurable() }
    }

    func space() async -> StoreSpace? { await store.space() }

    func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError) {
        try await ask { () throws(DocFSError) in
            var end = range.upperBound
            // The connection breaks half-way.
            let isShort = isFault()
            if isShort { end = range.lowerBound + UInt64(range.count) / 2 }
            if range.lowerBound < end {
                try await store.read(
                    path, range: range.lowerBound..<end, expecting: expected, into: sink)
            }
            if isShort { throw .offline("the connection broke") }
        }
    }

    func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await change("write \(path)") { () throws(DocFSError) in
            try await store.write(path, object, condition: condition, keeping: keep)
        }
    }

    func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? {
        try await change("settle \(path)") { () throws(DocFSError) in
            try await store.settle(path, object, condition: condition, keeping: keep)
        }
    }

    func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        operation: OperationID, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await change("copy \(source) to \(destination)") { () throws(DocFSError) in
            try await store.copy(
                source, expecting: expected, to: destination, operation: operation,
                condition: condition, keeping: keep)
        }
    }

    func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo {
        try await change("move \(source) to \(destination)") { () throws(DocFSError) in
            let info = try await store.move(
                source, expecting: expected, to: destination, condition: condition)
            renamed(expected, info.revision)
            return info
        }
    }

    func remove(_ path: ItemPath, expecting expected: Revision) async throws(DocFSError) {
        try await change("remove \(path)") { () throws(DocFSError) in
            try await store.remove(path, expecting: expected)
        }
    }

    func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo {
        try await change("describe \(path)") { () throws(DocFSError) in
            let info = try await store.setMetadata(path, expecting: expected, metadata)
            renamed(expected, info.revision)
            return info
        }
    }

    func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata) async throws(DocFSError) {
        try await change("make directory \(path)") { () throws(DocFSError) in
            try await store.makeDirectory(path, metadata: metadata)
        }
    }

    func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        try await change("remove directory \(path)") { () throws(DocFSError) in
            try await store.removeDirectory(path)
        }
    }

    func events() -> AsyncStream<StoreEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreEvent.self)
        let events = store.events()
        let task = Task { [process, network] in
            for await event in events where !process.isDead {
                if !network.isCut { continuation.yield(event) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        network.listen(continuation)
        return stream
    }
}
