/// write and settle.
extension S3Store {
    package func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try begin()
        let isNew = condition == .absent
        let key = isNew ? try await newKey(path) : try await documentKey(path)
        if isNew { try await refuseDirectory(at: path) }
        var target: [UInt8]?
        let body: S3Body
        switch object.payload {
        case .symlink(let bytes):
            target = bytes
            body = try S3Body(bytes, size: UInt64(bytes.count), digest: nil)
        case .bytes(let source, let size):
            body = try S3Body(source, size: size, digest: object.metadata?.digest)
        }
        var metadata = S3Metadata(
            object.metadata, kind: target == nil ? .file : .symlink, operation: Self.drawn())
        if target == nil {
            metadata.others = try await keptHeaders(at: path, replacing: isNew ? nil : key)
        }
        let written = try await put(key, metadata, body, condition, keeping: keep)
        return written.info(at: path, target: target)
    }

    /// A directory takes its name, though a key with a slash at its end is another one.
    ///
    /// Nobody contests the container's own names.
    func refuseDirectory(at path: ItemPath) async throws(DocFSError) {
        if S3Keys.isOwn(path) { return }
        let (above, own) = (try await prefix(path.parent), try await prefix(path))
        let beside = try await neighbours.prefixes(below: Array(above.utf8)) {
            [objects] () async throws(DocFSError) -> S3Neighbours.Prefixes? in
            let page = try await objects.page(above, isFlat: true)
            return page.next == nil ? Set(page.prefixes.map { Array($0.utf8) }) : nil
        }
        if let beside, !beside.contains(Array(own.utf8)) { return }
        if try await directory(path) != nil { throw .refused }
    }

    /// Writes a whole object under a condition, by one request when all goes well and it is not
    /// large.
    func put(
        _ key: String, _ metadata: S3Metadata, _ body: S3Body, _ condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> S3Object {
        if let source = try sourceOfParts(body, condition) {
            return try await putInParts(
                key, metadata, body, of: source, condition, keeping: keep)
        }
        try await checkWhatTheStoreDoesNot(condition, at: key)
        let result: Result<S3Object, S3Failure>
        do throws(DocFSError) {
            result = try await objects.put(
                key, metadata, conditions: probe.conditions(condition), payload: body.payload,
                size: body.size,
                body: { () async throws(DocFSError) -> HTTPBody in
                    try await body.upload { () async throws(DocFSError) in
                        guard case .revision(let base) = condition, let keep else { return }
                        try await self.keep(key, base, at: keep)
                    }
                })
        } catch .refused {
            // What was to be kept has moved on.
            return try await afterRefusal(key, metadata, body, condition, keeping: keep)
        }
        switch result {
        case .success(let object):
            try await checkVersion(of: object, at: key, condition)
            await neighbours.make(Array(key.utf8))
            return object
        case .failure(let failure) where failure.error == .refused || failure.isAbsence:
            return try await afterRefusal(key, metadata, body, condition, keeping: keep)
        case .failure(let failure):
            guard let less = metadata.without(refusedBy: failure) else { throw failure.error }
            return try await put(key, less, body, condition, keeping: keep)
        }
    }

    /// A refusal may be about an earlier attempt of the same operation, or about a tombstone, which
    /// counts as nothing.
    func afterRefusal(
        _ key: String, _ metadata: S3Metadata, _ body: S3Body, _ condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> S3Object {
        guard let there = try await objects.head(key) else {
            // What was in the way has gone since.
            guard condition == .absent else { throw .refused }
            return try await put(key, metadata, body, condition, keeping: keep)
        }
        if there.metadata.operation == metadata.operation { return there }
        if condition == .revision(there.revision) { try doubtReplacing() }
        guard condition == .absent, there.isTombstone else { throw .refused }
        do throws(DocFSError) {
            return try await put(
                key, metadata, body, .revision(there.revision), keeping: keep)
        } catch .refused {
            // It was collected meanwhile, or somebody was quicker.
            guard try await objects.head(key) == nil else { throw .refused }
            return try await put(key, metadata, body, condition, keeping: keep)
        }
    }

    /// Looks first where the store takes no notice of a condition: all that can be done there.
    private func checkWhatTheStoreDoesNot(_ condition: WriteCondition, at key: String)
        async throws(DocFSError)
    {
        switch condition {
        case .absent where !probe.createsIfAbsent:
            if let there = try await objects.head(key), !there.isTombstone { throw .refused }
        case .revision(let expected) where probe.replaces == nil:
            guard try await objects.head(key)?.revision == expected else { throw .refused }
        default: break
        }
    }

    /// Keeps the body at `key` under another name; under one in `.docfs/found` where another body
    /// has that name.
    ///
    /// What is there already is of an earlier time when the document held the same: its age begins
    /// anew.
    func keep(_ key: String, _ base: Revision, at keep: ItemPath) async throws(DocFSError) {
        let place = try await self.key(keep)
        guard let there = try await objects.head(place) else {
            return try await self.keep(key, base, at: place, .absent)
        }
        // A copy of what went in parts has another revision.
        let own = try await objects.own(key, there.metadata.operation)?.revision
        if there.revision == base || own == base {
            return try await self.keep(key, base, at: place, .revision(there.revision))
        }
        let found = try await self.key(ItemPath(".docfs/found/\(Self.drawn())"))
        try await self.keep(key, base, at: found, .absent)
    }

    /// Keeps the body at `key` under a name that nobody else uses, with what is beside it.
    ///
    /// - Parameter condition: what is there, for a store that has to be sent the bytes.
    /// - Throws: `.refused` when `base` is not at `key` any more.
    func keep(_ key: String, _ base: Revision, at place: String, _ condition: WriteCondition)
        async throws(DocFSError)
    {
        do throws(DocFSError) {
            if let source = probe.sourceCondition(base) {
                var result = try await objects.copy(key, to: place, nil, conditions: [source])
                if case .failure(let failure) = result, failure.isForbidden {
                    // Who may not set tags may copy what has some without them.
                    result = try await objects.copy(
                        key, to: place, nil, conditions: [source, S3Metadata.otherTags])
                }
                if case .failure(let failure) = result {
                    guard failure.mayBeAboutSize, let found = try await objects.head(key),
                        found.revision == base, found.size > limits.largest
                    else { throw failure.error }
                    _ = try await copyInParts(
                        found, key, header: source.0, to: place, found.metadata, nil)
                }
            } else {
                _ = try await transfer(key, base, to: place, condition)
            }
        } catch .notFound {
            throw .refused
        }
    }

    package func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo? {
        try begin()
        guard let metadata = object.metadata, let there = try await head(path) else { return nil }
        guard there.isDescribed else { throw .documentRefused("it does not say whose it is") }
        return there.metadata?.operation == metadata.operation ? there : nil
    }
}
