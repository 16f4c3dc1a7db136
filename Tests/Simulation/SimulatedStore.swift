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
    /// Requests may get through long after they were sent, and twice: one that makes a document
    /// brings it back when it was deleted meanwhile.
    var holdsBack = true
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
    private let kept: KeptBodies
    /// Is told of the text of a body that was kept, and of how long when that was too short.
    private let collected: (ItemPath, String, UInt64?) -> Void
    /// Is told which revision bytes have that this device has sent.
    private let sent: (DocFS.Digest?, Revision?) -> Void
    /// Is told that the same bytes have another revision now.
    private let renamed: (Revision?, Revision?) -> Void

    init(
        _ store: MemoryStore, _ process: Process, _ network: Network, _ clock: SimulatedClock,
        _ kept: KeptBodies, note: @escaping (String) -> Void,
        collected: @escaping (ItemPath, String, UInt64?) -> Void,
        sent: @escaping (DocFS.Digest?, Revision?) -> Void,
        renamed: @escaping (Revision?, Revision?) -> Void
    ) {
        self.store = store
        self.process = process
        self.network = network
        self.clock = clock
        self.kept = kept
        self.note = note
        self.collected = collected
        self.sent = sent
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

    /// An answer, or a second delivery of a request, may be late by so many milliseconds.
    private static let delay: UInt64 = 20_000

    private func linger() async {
        await clock.sleep(
            nanoseconds: 1_000_000 * (1 + network.random.next() % Self.delay))
    }

    /// A request that changes nothing.
    private func ask<Value: Sendable>(
        _ body: () async throws(DocFSError) -> Value
    ) async throws(DocFSError) -> Value {
        await travel()
        if isAway { throw .offline("cut off") }
        if isFault() { throw .offline("503 Slow Down") }
        let answer = try await body()
        await travel()
        // What it says may be long over by then.
        if isFault() { await linger() }
        if isAway { throw .offline("cut off") }
        if isFault() { throw .offline("the answer was lost") }
        return answer
    }

    /// A request that changes something.
    private func change<Value: Sendable>(
        _ words: String, _ body: @escaping @Sendable () async throws(DocFSError) -> Value
    ) async throws(DocFSError) -> Value {
        await travel()
        if isAway { throw .offline("cut off") }
        if isFault() {
            switch network.random.next() % (network.holdsBack ? 4 : 2) {
            case 0: throw .offline("503 Slow Down")
            case 1: throw .outcomeUnknown("500 without effect")
            case 2:
                // It gets through after its sender has given up.
                deliverLater(words, body)
                await linger()
                throw .outcomeUnknown("timed out")
            default: deliverLater(words, body)
            }
        }
        do throws(DocFSError) {
            let answer = try await body()
            note(words)
            await travel()
            if isAway || isFault() { throw DocFSError.outcomeUnknown("the answer was lost") }
            return answer
        } catch {
            if case .outcomeUnknown = error { throw error }
            note("\(words): \(error.sentence)")
            await travel()
            if isAway || isFault() { throw DocFSError.outcomeUnknown("the answer was lost") }
            throw error
        }
    }

    /// A request that the network held back, or doubled: nobody waits for its answer.
    private func deliverLater<Value: Sendable>(
        _ words: String, _ body: @escaping @Sendable () async throws(DocFSError) -> Value
    ) {
        Task {
            await linger()
            do throws(DocFSError) {
                _ = try await body()
                note("late: \(words)")
            } catch {
                note("late: \(words): \(error.sentence)")
            }
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

    func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject? {
        try await ask { () throws(DocFSError) in try await store.stored(path) }
    }

    func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage
    {
        try await ask { () throws(DocFSError) in
            try await store.stored(below: directory, from: next)
        }
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
            // Only what we sent ourselves can be known from something else.
            var sink = sink
            if isFault(), try await store.head(path)?.metadata?.digest != nil {
                sink = FlippingSink(
                    sink: sink, offset: range.lowerBound + network.random.next() % 64)
            }
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
        let object = try Self.inFlight(object)
        return try await change("write \(path)") { [self] () throws(DocFSError) in
            let info = try await store.write(path, object, condition: condition, keeping: keep)
            sent(object.metadata?.digest, info.revision)
            kept.arrived(keep)
            return info
        }
    }

    func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? {
        try await change("settle \(path)") { [store] () throws(DocFSError) in
            try await store.settle(path, object, condition: condition, keeping: keep)
        }
    }

    func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try await change("copy \(source) to \(destination)") { [self] () throws(DocFSError) in
            let info = try await store.copy(
                source, expecting: expected, to: destination, metadata: metadata,
                condition: condition, keeping: keep)
            renamed(expected, info.revision)
            kept.arrived(destination)
            kept.arrived(keep)
            return info
        }
    }

    func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo {
        try await change("move \(source) to \(destination)") { [self] () throws(DocFSError) in
            let info = try await store.move(
                source, expecting: expected, to: destination, condition: condition)
            renamed(expected, info.revision)
            kept.arrived(destination)
            return info
        }
    }

    func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError) {
        var keep = keep
        if let place = keep, !capabilities.moves {
            // Two requests, and anything may happen between them.
            keep = nil
            try await change("keep \(path) as \(place)") { [store, kept] () throws(DocFSError) in
                try store.keep(path, expecting: expected, at: place)
                kept.arrived(place)
            }
        }
        try await change("remove \(path)") { [self, keep] () throws(DocFSError) in
            let text = KeptBodies.holds(path) ? try await text(at: path) : nil
            try await store.remove(path, expecting: expected, keeping: keep)
            kept.arrived(keep)
            if let text { collected(path, text, kept.left(path)) }
        }
    }

    /// The bytes of a body that is kept, as text.
    private func text(at path: ItemPath) async throws(DocFSError) -> String? {
        try await store.small(path, atMost: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo {
        try await change("describe \(path)") { [self] () throws(DocFSError) in
            let info = try await store.setMetadata(path, expecting: expected, metadata)
            renamed(expected, info.revision)
            return info
        }
    }

    func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata) async throws(DocFSError) {
        try await change("make directory \(path)") { [store] () throws(DocFSError) in
            try await store.makeDirectory(path, metadata: metadata)
        }
    }

    func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        try await change("remove directory \(path)") { [store] () throws(DocFSError) in
            try await store.removeDirectory(path)
        }
    }

    /// What was sent is on its way, whatever becomes of the file that it was read from.
    private static func inFlight(_ object: ObjectWrite) throws(DocFSError) -> ObjectWrite {
        guard case .bytes(let source, let size) = object.payload else { return object }
        var bytes = [UInt8](repeating: 0, count: Int(size) + 1)
        var count = 0
        while count < bytes.count {
            let result: Result<Int, DocFSError> = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(DocFSError) in
                    try source.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]),
                        at: UInt64(count))
                }
            }
            let read = try result.get()
            if read == 0 { break }
            count += read
        }
        return ObjectWrite(
            payload: .bytes(Array(bytes.prefix(count)), size: size), metadata: object.metadata)
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

/// Flips one bit of what passes at an offset.
private struct FlippingSink: ByteSink {
    let sink: any ByteSink
    let offset: UInt64

    func write(_ bytes: UnsafeRawBufferPointer, at start: UInt64) throws(DocFSError) {
        guard (start..<start + UInt64(bytes.count)).contains(offset) else {
            return try sink.write(bytes, at: start)
        }
        var changed = Array(bytes)
        changed[Int(offset - start)] ^= 4
        let result = changed.withUnsafeBytes { buffer in
            Result { () throws(DocFSError) in try sink.write(buffer, at: start) }
        }
        try result.get()
    }

    var descriptor: Int32? { nil }

    func advanced(through range: Range<UInt64>) throws(DocFSError) {
        try sink.advanced(through: range)
    }
}
