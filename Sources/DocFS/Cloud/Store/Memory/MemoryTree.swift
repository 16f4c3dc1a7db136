/// The objects of a ``MemoryStore``.
///
/// Every change looks before it acts: one that throws had no effect. Conditions that the
/// capabilities lack are ignored without a word, as real stores do it.
struct MemoryTree: Sendable {
    let capabilities: StoreCapabilities
    /// Bytes that all bodies together may have; `nil` is no limit.
    let capacity: UInt64?
    private(set) var used: UInt64 = 0
    /// What the store's clock shows.
    var now: Timestamp = .zero
    private var count: UInt64 = 0
    /// The entries of every directory; the root is `[]`.
    private var directories: [[MemoryKey]: [MemoryKey: MemoryEntry]] = [[]: [:]]

    init(capabilities: StoreCapabilities, capacity: UInt64?) {
        self.capabilities = capabilities
        self.capacity = capacity
    }

    // MARK: Looking

    private func key(_ name: Name) -> MemoryKey {
        MemoryKey(name, folding: capabilities.foldsNames)
    }

    private func keys(_ path: ItemPath) -> [MemoryKey] { path.components.map(key) }

    func entry(_ path: ItemPath) -> MemoryEntry? {
        guard let name = path.name else { return root }
        return directories[keys(path.parent)]?[key(name)]
    }

    private var root: MemoryEntry {
        MemoryEntry(name: Name(""), kind: .directory, modified: .zero, mode: 0o700)
    }

    /// The object at `path`, under the name that its maker gave it.
    func info(_ path: ItemPath) -> ObjectInfo? {
        entry(path).map { entry in
            entry.info(at: path.isRoot ? path : path.parent.appending(entry.name))
        }
    }

    func list(_ path: ItemPath) throws(DocFSError) -> [ObjectInfo] {
        guard let entries = directories[keys(path)] else { throw .notFound }
        return entries.values
            .filter { !(path.isRoot && $0.name == ".docfs") }
            .sorted { $0.name < $1.name }
            .map { entry in
                var info = entry.info(at: path.appending(entry.name))
                if entry.kind != .directory, !capabilities.listsMetadata {
                    info.age = now.seconds - entry.stored.seconds
                    (info.metadata, info.formerItem) = (nil, nil)
                }
                return info
            }
    }

    func ages(below path: ItemPath) throws(DocFSError) -> [StoredObject] {
        guard let entries = directories[keys(path)] else {
            if capabilities.directories { throw .notFound }
            return []
        }
        return entries.values.sorted { $0.name < $1.name }
            .map { $0.age(at: path.appending($0.name)) }
    }

    // MARK: Conditions

    func check(_ condition: WriteCondition, at path: ItemPath) throws(DocFSError) {
        let present = entry(path)
        switch condition {
        case .absent:
            if present != nil, capabilities.conditionalCreate || present?.kind == .directory {
                throw .refused
            }
        case .revision(let expected):
            if present?.revision != expected,
                capabilities.conditionalReplace || present?.kind == .directory
            {
                throw .refused
            }
        }
    }

    /// The entry at `path`, which must be of `expected`.
    func entry(_ path: ItemPath, expecting expected: Revision?) throws(DocFSError) -> MemoryEntry {
        guard let found = entry(path) else { throw .notFound }
        guard found.revision == expected else { throw .refused }
        return found
    }

    // MARK: Changing

    /// The token of the next body, and the time of one that carries none: this store has no clock.
    private mutating func next() -> (Revision, Timestamp) {
        count += 1
        return (Revision("r\(count)"), Timestamp(seconds: Int64(count)))
    }

    /// What an earlier attempt of the same operation has put at `path`.
    func done(_ metadata: ObjectMetadata?, _ target: [UInt8]?, at path: ItemPath) -> ObjectInfo? {
        guard let metadata, let found = info(path), found.kind != .directory else { return nil }
        let isOurs =
            found.kind == .symlink
            ? found.target == target && found.modified == metadata.modified
            : found.metadata?.operation == metadata.operation
        return isOurs ? found : nil
    }

    /// Puts a new body at `path`, whatever is there, which moves to `keep` if there is one.
    mutating func put(
        _ path: ItemPath, _ body: MemoryBody, metadata: ObjectMetadata?,
        modified: Timestamp? = nil, formerItem: ItemID? = nil, keeping keep: ItemPath? = nil
    ) throws(DocFSError) -> ObjectInfo {
        let former = entry(path)
        let freed = keep == nil ? UInt64(former?.bytes.count ?? 0) : 0
        let grown = used - freed + UInt64(body.bytes.count)
        if let capacity, grown > capacity { throw .storeFull }
        try makeRoom(for: path)
        if var kept = former, var place = keep {
            if entry(place) != nil { place = ItemPath(".docfs/found/\(count)") }
            kept.name = place.name!
            try insert(kept, at: place)
        }
        used = grown
        let (revision, now) = next()
        let keepsMetadata = capabilities.objectMetadata && body.kind != .symlink
        let entry = MemoryEntry(
            name: former?.name ?? path.name!, kind: body.kind, bytes: body.bytes,
            target: body.target, revision: revision,
            modified: metadata?.modified ?? modified ?? now,
            mode: metadata?.mode ?? former?.mode ?? 0o600,
            metadata: keepsMetadata ? metadata : nil, formerItem: formerItem)
        try insert(entry, at: path)
        return entry.info(at: path.parent.appending(entry.name))
    }

    /// Puts a second object of a body at a place that nobody contests.
    mutating func keep(_ found: MemoryEntry, at place: ItemPath) throws(DocFSError) {
        let grown = used + UInt64(found.bytes.count) - UInt64(entry(place)?.bytes.count ?? 0)
        if let capacity, grown > capacity { throw .storeFull }
        var kept = found
        kept.name = place.name!
        try insert(kept, at: place)
        used = grown
    }

    /// Changes what is kept beside a body.
    mutating func set(_ metadata: ObjectMetadata, at path: ItemPath) throws(DocFSError)
        -> ObjectInfo
    {
        guard var found = entry(path) else { throw .notFound }
        if found.kind != .directory { found.revision = next().0 }
        found.modified = metadata.modified
        found.mode = metadata.mode
        found.isImplied = false
        if capabilities.objectMetadata, found.kind != .symlink { found.metadata = metadata }
        found.formerItem = nil
        try insert(found, at: path)
        return found.info(at: path.parent.appending(found.name))
    }

    mutating func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata) throws(DocFSError) {
        if let found = entry(path), !found.isImplied {
            let isOurs = found.metadata?.operation == metadata.operation
            guard found.kind == .directory, isOurs else { throw .exists }
            return
        }
        try insert(
            MemoryEntry(
                name: path.name!, kind: .directory, modified: metadata.modified,
                mode: metadata.mode, metadata: capabilities.objectMetadata ? metadata : nil),
            at: path)
    }

    mutating func removeDirectory(_ path: ItemPath) throws(DocFSError) {
        guard let found = entry(path) else { throw .notFound }
        guard found.kind == .directory else { throw .notDirectory }
        guard directories[keys(path)]?.isEmpty ?? true else { throw .notEmpty }
        remove(path)
    }

    mutating func remove(_ path: ItemPath) {
        guard let name = path.name else { return }
        let (parent, own) = (keys(path.parent), key(name))
        if let gone = directories[parent]?.removeValue(forKey: own) {
            used -= UInt64(gone.bytes.count)
            if gone.kind == .directory { directories[keys(path)] = nil }
        }
        if directories[parent]?.isEmpty == true, entry(path.parent)?.isImplied == true {
            remove(path.parent)
        } else {
            touch(path.parent)
        }
    }

    /// Removes an object, or a directory with all below it.
    mutating func removeTree(_ path: ItemPath) {
        let below = directories.filter { $0.key.starts(with: keys(path)) }
        for (key, entries) in below {
            used -= entries.values.reduce(0) { $0 + UInt64($1.bytes.count) }
            directories[key] = nil
        }
        remove(path)
    }

    /// The entries of a directory have changed.
    private mutating func touch(_ path: ItemPath) {
        guard let name = path.name else { return }
        let (parent, own) = (keys(path.parent), key(name))
        directories[parent]?[own]?.stored = now
    }

    /// Moves an object over whatever is at `destination`, or a directory with all below it.
    mutating func move(_ source: ItemPath, to destination: ItemPath) throws(DocFSError) {
        guard var found = entry(source) else { throw .notFound }
        try makeRoom(for: destination)
        found.name = destination.name!
        found.stored = now
        let (from, to) = (keys(source), keys(destination))
        let (oldParent, oldName) = (keys(source.parent), key(source.name!))
        let (newParent, newName) = (keys(destination.parent), key(found.name))
        let moved = directories.filter { $0.key.starts(with: from) }
        for key in moved.keys { directories[key] = nil }
        if from != to, entry(destination) != nil {
            remove(destination)
            // An implied directory has gone with its last object.
            try makeRoom(for: destination)
        }
        directories[oldParent]?[oldName] = nil
        directories[newParent]?[newName] = found
        for (key, entries) in moved { directories[to + key.dropFirst(from.count)] = entries }
        if directories[oldParent]?.isEmpty == true, entry(source.parent)?.isImplied == true {
            remove(source.parent)
        }
        touch(source.parent)
        touch(destination.parent)
    }

    private mutating func insert(_ entry: MemoryEntry, at path: ItemPath) throws(DocFSError) {
        try makeRoom(for: path)
        let (parent, own) = (keys(path.parent), key(entry.name))
        directories[parent]?[own] = entry
        directories[parent]?[own]?.stored = now
        touch(path.parent)
        if entry.kind == .directory, directories[keys(path)] == nil {
            directories[keys(path)] = [:]
        }
    }

    /// Makes the missing parents of `path` where they come by themselves.
    private mutating func makeRoom(for path: ItemPath) throws(DocFSError) {
        let parent = path.parent
        if directories[keys(parent)] != nil { return }
        let isOwn = parent.components.first == ".docfs"
        guard entry(parent) == nil, isOwn || !capabilities.directories else { throw .notFound }
        try insert(
            MemoryEntry(
                name: parent.name!, kind: .directory, modified: .zero, mode: 0o700,
                isImplied: !capabilities.directories),
            at: parent)
    }
}
