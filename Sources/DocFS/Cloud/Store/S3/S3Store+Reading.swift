internal import Synchronization

/// read.
extension S3Store {
    /// Bytes of one request: a few of them at once are faster than a single one.
    private static let piece: UInt64 = 8 << 20
    private static let atOnce = 4
    /// How often a range goes on where it broke off without having come any further.
    private static let attempts = 3

    package func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError) {
        try begin()
        let key = try await documentKey(path)
        guard !range.isEmpty else { return try await check(path, key, range, expected) }
        if UInt64(range.count) <= Self.piece {
            return try await fetch(path, key, range, expected, sink)
        }
        // The first piece finds out whether there is anything to read.
        var rest = range
        let first = rest.lowerBound..<rest.lowerBound + Self.piece
        rest = first.upperBound..<rest.upperBound
        let result: Result<Void, DocFSError> = await withTaskGroup(
            of: Result<Void, DocFSError>.self
        ) { group in
            func add(_ piece: Range<UInt64>) {
                group.addTask {
                    await Result(awaiting: { () async throws(DocFSError) in
                        try await self.fetch(path, key, piece, expected, sink)
                    })
                }
            }
            add(first)
            var running = 1
            while running > 0 {
                while running < Self.atOnce, !rest.isEmpty {
                    let end = min(rest.upperBound, rest.lowerBound + Self.piece)
                    add(rest.lowerBound..<end)
                    rest = end..<rest.upperBound
                    running += 1
                }
                guard let done = await group.next() else { break }
                running -= 1
                if case .failure = done {
                    group.cancelAll()
                    return done
                }
            }
            return .success(())
        }
        try result.get()
    }

    /// Reads a range with one request, or as few as it takes where answers break off.
    private func fetch(
        _ path: ItemPath, _ key: String, _ range: Range<UInt64>, _ expected: Revision,
        _ sink: any ByteSink
    ) async throws(DocFSError) {
        var rest = range
        var attempt = 1
        while true {
            let (object, reply) = try await open(path, key, rest, expected)
            try check(object, reply, rest, expected)
            let reached = Mutex(rest.lowerBound)
            do throws(DocFSError) {
                return try await reply.copy(rest, into: sink) { end in
                    reached.withLock { $0 = end }
                }
            } catch {
                guard case .offline = error else { throw error }
                let start = reached.withLock { $0 }
                attempt = start > rest.lowerBound ? 1 : attempt + 1
                guard attempt <= Self.attempts else { throw error }
                rest = start..<range.upperBound
            }
        }
    }

    private func open(
        _ path: ItemPath, _ key: String, _ range: Range<UInt64>, _ expected: Revision
    ) async throws(DocFSError) -> (S3Object, HTTPReply) {
        do throws(DocFSError) {
            return try await objects.get(key, range: range, tag: expected.token)
        } catch .notFound {
            throw try await directory(path) == nil ? .notFound : .refused
        } catch .refused where probe.removes == nil {
            // A tombstone has another revision, and is nothing.
            try await check(path, key, range, expected)
            throw .refused
        } catch .corrupt(let reason) {
            // A range behind the end may be answered before a condition.
            try await check(path, key, range, expected)
            throw .corrupt(reason)
        }
    }

    /// Refuses an answer that is not what was asked for, before any of it is taken.
    private func check(
        _ object: S3Object, _ reply: HTTPReply, _ range: Range<UInt64>, _ expected: Revision
    ) throws(DocFSError) {
        guard object.isReadable else { throw .refused }
        guard range.upperBound <= object.size else {
            throw .corrupt("asked for bytes behind the end")
        }
        if reply.status == 206 {
            let wanted = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.size)"
            guard reply["content-range"] == wanted else {
                throw .corrupt("the store sent another range")
            }
        } else if range != 0..<object.size {
            throw .corrupt("the store sent another range")
        }
        if let size = reply.announcedSize, size != UInt64(range.count) {
            throw .corrupt("the store announced another size")
        }
    }

    /// Whether `range` could be read, without reading it.
    private func check(
        _ path: ItemPath, _ key: String, _ range: Range<UInt64>, _ expected: Revision
    ) async throws(DocFSError) {
        guard let object = try await objects.head(key), !object.isTombstone else {
            throw try await directory(path) == nil ? .notFound : .refused
        }
        guard object.revision == expected, object.isReadable else { throw .refused }
        guard range.upperBound <= object.size else {
            throw .corrupt("asked for bytes behind the end")
        }
    }

    package func small(_ path: ItemPath, atMost limit: Int) async throws(DocFSError) -> [UInt8]? {
        try begin()
        guard let key = try await possibleKey(path),
            let (object, bytes) = try await objects.small(key, atMost: limit),
            object.metadata.kind == .file
        else { return nil }
        return bytes
    }
}
