internal import Synchronization

/// A store in this process's memory, for tests and simulations.
///
/// Deterministic: no threads, no clock and no randomness of its own; revisions count up from `r1`,
/// and what time it is, whoever makes it says.
/// No call suspends, so that a simulator may wrap it and decide what fails and when. It does what
/// its capabilities say and nothing more: a condition that they lack is ignored.
package final class MemoryStore: CloudStore {
    private struct State: Sendable {
        var tree: MemoryTree
        var isMade = false
        var isReachable = true
        var listeners: [AsyncStream<StoreEvent>.Continuation] = []

        mutating func report(_ path: ItemPath) {
            switch path.components.first {
            case ".docfs" where path.isAtOrBelow(".docfs/log"): report(.logGrew)
            case ".docfs": return
            default: report(.changed(path))
            }
        }

        /// Forgets listeners that are gone.
        ///
        /// Done when they go, it could deadlock: their task's lock is held then, and waking them
        /// takes it under the store's.
        mutating func report(_ event: StoreEvent) {
            listeners.removeAll { listener in
                if case .terminated = listener.yield(event) { true } else { false }
            }
        }
    }

    package let capabilities: StoreCapabilities
    private let state: Mutex<State>
    private let clock: @Sendable () -> Timestamp

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: bytes that all bodies together may have; `nil` is no limit.
    ///   - clock: tells the time that objects are stored at.
    package init(
        capabilities: StoreCapabilities = .whole, capacity: UInt64? = nil,
        clock: @escaping @Sendable () -> Timestamp = { .zero }
    ) {
        self.capabilities = capabilities
        self.clock = clock
        state = Mutex(State(tree: MemoryTree(capabilities: capabilities, capacity: capacity)))
    }

    /// Makes a store with all that another one has.
    package init(
        copying other: MemoryStore, clock: @escaping @Sendable () -> Timestamp = { .zero }
    ) {
        capabilities = other.capabilities
        self.clock = clock
        var copy = other.state.withLock { $0 }
        copy.listeners = []
        state = Mutex(copy)
    }

    // MARK: What only a test may do

    /// Whether the store answers; while false every call is `.offline`.
    package func setReachable(_ isReachable: Bool) {
        state.withLock { $0.isReachable = isReachable }
    }

    /// Puts a body in place as another program does: no condition, no metadata.
    package func writeFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws(DocFSError) {
        try state.withLock { (state) throws(DocFSError) in
            state.tree.now = clock()
            let former = state.tree.entry(path)
            let item = former?.metadata?.item ?? former?.formerItem
            _ = try state.tree.put(
                path, MemoryBody(kind: .file, bytes: bytes, target: nil), metadata: nil,
                formerItem: item)
            state.report(path)
        }
    }

    /// Removes an object, or a directory with all below it, as another program does.
    ///
    /// - Parameter isMissed: changes in its directory are told of only from then on.
    package func removeFromOutside(
        _ path: ItemPath, isMissed: Bool = false
    ) throws(DocFSError) {
        try state.withLock { (state) throws(DocFSError) in
            guard state.tree.entry(path) != nil else { throw .notFound }
            state.tree.now = clock()
            state.tree.removeTree(path)
            if isMissed { state.report(.watched(path.parent)) } else { state.report(path) }
        }
    }

    /// Moves an object or a directory over whatever object is at `destination`, as another program
    /// does.
    package func moveFromOutside(
        _ source: ItemPath, to destination: ItemPath
    ) throws(DocFSError) {
        try state.withLock { (state) throws(DocFSError) in
            guard !destination.isAtOrBelow(source) else { throw .invalidArgument }
            let replaced = state.tree.entry(destination)
            guard replaced?.kind != .directory else { throw .isDirectory }
            state.tree.now = clock()
            try state.tree.move(source, to: destination)
            for path in [source, destination] { state.report(path) }
        }
    }

    /// Copies an object over whatever object is at `destination`, as another program does, with
    /// what is kept beside its body (`cp -a`) or without (`cp`).
    package func copyFromOutside(
        _ source: ItemPath, to destination: ItemPath, isWhole: Bool
    ) throws(DocFSError) {
        try state.withLock { (state) throws(DocFSError) in
            guard let found = state.tree.entry(source) else { throw .notFound }
            let replaced = state.tree.entry(destination)
            guard found.kind == .file, source != destination, replaced?.kind != .directory else {
                throw .invalidArgument
            }
            state.tree.now = clock()
            _ = try state.tree.put(
                destination, MemoryBody(kind: .file, bytes: found.bytes, target: nil),
                metadata: isWhole ? found.metadata : nil,
                modified: isWhole ? found.modified : nil,
                formerItem: isWhole ? nil : replaced?.metadata?.item ?? replaced?.formerItem)
            state.report(destination)
        }
    }

    // MARK: CloudStore

    package func attach(create: Bool) async throws(DocFSError) {
        try state.withLock { (state) throws(DocFSError) in
            guard state.isReachable, state.isMade || create else {
                throw .offline("there is no such store")
            }
            state.isMade = true
        }
    }

    /// Runs `body` on the tree, and reports `paths` unless it throws.
    private func with<Value: Sendable>(
        changing paths: [ItemPath] = [], _ body: (inout MemoryTree) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        if Task.isCancelled { throw .interrupted }
        return try state.withLock { (state) throws(DocFSError) in
            guard state.isReachable, state.isMade else { throw .offline("the store is away") }
            for path in paths { try MemoryStore.check(path) }
            state.tree.now = clock()
            let value = try body(&state.tree)
            for path in paths { state.report(path) }
            return value
        }
    }

    private static func check(_ path: ItemPath) throws(DocFSError) {
        guard !path.isRoot else { throw .invalidArgument }
        for name in path.components where !name.isValid {
            throw name.bytes.count > Name.maximumLength ? .nameTooLong : .invalidArgument
        }
    }

    package func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        try with { (tree) throws(DocFSError) in tree.info(path) }
    }

    /// Bytes between two looks at the revision.
    private static let chunk: UInt64 = 1 << 20

    package func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError) {
        var offset = range.lowerBound
        repeat {
            let end = min(range.upperBound, offset + Self.chunk)
            let piece = try with { (tree) throws(DocFSError) -> [UInt8] in
                let found = try tree.entry(path, expecting: expected)
                guard found.kind == .file else { throw .refused }
                guard range.upperBound <= UInt64(found.bytes.count) else {
                    throw .corrupt("asked for bytes behind the end")
                }
                return Array(found.bytes[Int(offset)..<Int(end)])
            }
            if !piece.isEmpty {
                let result = piece.withUnsafeBytes { bytes in
                    Result { () throws(DocFSError) in try sink.write(bytes, at: offset) }
                }
                try result.get()
            }
            offset = end
        } while offset < range.upperBound
    }

    package func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        let body = try MemoryBody(reading: object)
        return try with(changing: [path]) { (tree) throws(DocFSError) in
            if let done = tree.done(object.metadata, body.target, at: path) { return done }
            try tree.check(condition, at: path)
            return try tree.put(path, body, metadata: object.metadata, keeping: keep)
        }
    }

    package func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? {
        var target: [UInt8]?
        if case .symlink(let bytes) = object.payload { target = bytes }
        return try with { (tree) throws(DocFSError) in
            tree.done(object.metadata, target, at: path)
        }
    }

    package func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try with(changing: [destination]) { (tree) throws(DocFSError) in
            if let done = tree.info(destination),
                done.metadata?.operation == metadata.operation
            {
                return done
            }
            let found = try tree.entry(source, expecting: expected)
            guard found.kind != .directory else { throw .refused }
            if let done = tree.done(metadata, found.target, at: destination) { return done }
            try tree.check(condition, at: destination)
            return try tree.put(
                destination,
                MemoryBody(kind: found.kind, bytes: found.bytes, target: found.target),
                metadata: metadata, keeping: keep)
        }
    }

    package func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo {
        guard capabilities.moves else { throw .notOffered }
        return try with(changing: [source, destination]) { (tree) throws(DocFSError) in
            guard let found = tree.entry(source) else {
                guard expected != nil, let done = tree.info(destination), done.revision == expected
                else { throw .notFound }
                return done
            }
            guard found.revision == expected else { throw .refused }
            if found.kind == .directory {
                guard condition == .absent, tree.entry(destination) == nil else { throw .refused }
                if destination.isAtOrBelow(source) { throw .loop }
            }
            try tree.check(condition, at: destination)
            try tree.move(source, to: destination)
            return tree.info(destination)!
        }
    }

    package func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError) {
        if let keep, capabilities.moves {
            _ = try await move(path, expecting: expected, to: keep, condition: .absent)
            return
        }
        if let keep { try self.keep(path, expecting: expected, at: keep) }
        try with(changing: [path]) { (tree) throws(DocFSError) in
            guard let found = tree.entry(path) else { throw .notFound }
            if found.revision != expected,
                capabilities.conditionalRemove || found.kind == .directory
            {
                throw .refused
            }
            tree.remove(path)
        }
    }

    /// The first half of a removal that keeps the body, where it takes two requests.
    package func keep(_ path: ItemPath, expecting expected: Revision, at place: ItemPath)
        throws(DocFSError)
    {
        try with(changing: [place]) { (tree) throws(DocFSError) in
            let found = try tree.entry(path, expecting: expected)
            guard found.kind != .directory else { throw .refused }
            try tree.keep(found, at: place)
        }
    }

    package func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo {
        guard capabilities.metadataInPlace else { throw .notOffered }
        return try with(changing: [path]) { (tree) throws(DocFSError) in
            if let found = tree.info(path), found.metadata == metadata { return found }
            _ = try tree.entry(path, expecting: expected)
            return try tree.set(metadata, at: path)
        }
    }

    package func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata)
        async throws(DocFSError)
    {
        try with(changing: [path]) { (tree) throws(DocFSError) in
            try tree.makeDirectory(path, metadata: metadata)
        }
    }

    package func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        try with(changing: [path]) { (tree) throws(DocFSError) in try tree.removeDirectory(path) }
    }

    package func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        try with { (tree) throws(DocFSError) in try tree.list(directory) }
    }

    package func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject? {
        try with { (tree) throws(DocFSError) in tree.entry(path)?.age(at: path) }
    }

    package func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage
    {
        try with { (tree) throws(DocFSError) in
            StoredPage(objects: try tree.ages(below: directory))
        }
    }

    package func makeDurable() async throws(DocFSError) {
        try with { (_) throws(DocFSError) in }
    }

    package func events() -> AsyncStream<StoreEvent> {
        guard capabilities.events else { return AsyncStream { $0.finish() } }
        let (stream, continuation) = AsyncStream.makeStream(of: StoreEvent.self)
        continuation.yield(.lookAtEverything)
        state.withLock { $0.listeners.append(continuation) }
        return stream
    }

    package func space() async -> StoreSpace? {
        state.withLock { state in
            state.tree.capacity.map { StoreSpace(total: $0, free: $0 - state.tree.used) }
        }
    }
}
