internal import Synchronization

/// copy.
extension S3Store {
    /// Makes the metadata for a copy of an object.
    typealias Describe = @Sendable (S3Object) async throws(DocFSError) -> S3Metadata

    package func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try begin()
        let from = try await documentKey(source)
        let isNew = condition == .absent
        let to = isNew ? try await newKey(destination) : try await documentKey(destination)
        if isNew { try await refuseDirectory(at: destination) }
        let describe: Describe = { (found) async throws(DocFSError) in
            var own = S3Metadata(
                metadata, kind: found.metadata.kind, operation: metadata.operation)
            own.tags = found.metadata.tags
            own.others =
                isNew
                ? try await self.keptHeaders(
                    of: found, at: from, source, copiedTo: destination, as: metadata.item)
                : try await self.keptHeaders(at: destination, replacing: to)
                    + found.metadata.others.filter { S3Metadata.isOfBody($0.name) }
            return own
        }
        do throws(DocFSError) {
            if case .revision(let base) = condition, let keep {
                try await self.keep(to, base, at: keep)
            }
            let copy = try await duplicate(from, expected, to: to, condition, describe)
            return try await info(copy, at: destination, to)
        } catch {
            guard error == .refused || error == .notFound else { throw error }
            // That may be about an earlier attempt, by now without its source, or about a
            // tombstone, which counts as nothing.
            let there = try await objects.head(to)
            if let there, there.metadata.operation == metadata.operation {
                return try await info(there, at: destination, to)
            }
            try await check(source, from, expected)
            // A tombstone may have gone since.
            guard condition == .absent, there?.isTombstone ?? true else { throw .refused }
            let copy = try await duplicate(
                from, expected, to: to, there.map { .revision($0.revision) } ?? .absent,
                describe)
            return try await info(copy, at: destination, to)
        }
    }

    private func info(_ object: S3Object, at path: ItemPath, _ key: String)
        async throws(DocFSError) -> ObjectInfo
    {
        guard object.metadata.kind == .symlink else { return object.info(at: path) }
        guard
            let (link, target) = try await objects.small(key, atMost: S3Object.longestTarget)
        else { throw .notFound }
        return link.info(at: path, target: target)
    }

    /// Makes a second object of a body.
    ///
    /// The store does it where that is safe: it must copy one revision only, and the destination
    /// must be under a condition that it honours. Else the body is read and written under the
    /// condition.
    ///
    /// - Throws: `.refused` when source or destination moved on, `.notFound` without a source.
    private func duplicate(
        _ source: String, _ expected: Revision, to key: String, _ condition: WriteCondition,
        _ describe: @escaping Describe
    ) async throws(DocFSError) -> S3Object {
        guard let sourceHeader = probe.sourceCondition(expected),
            let header = copyCondition(condition)
        else { return try await transfer(source, expected, to: key, condition, describe) }
        guard var copy = try await objects.head(source), !copy.isTombstone else {
            throw .notFound
        }
        guard copy.revision == expected else { throw .refused }
        copy.metadata = try await describe(copy)
        if copy.size > limits.largest {
            return try await copyInParts(
                copy, source, header: sourceHeader.0, to: key, copy.metadata, condition)
        }
        while true {
            let result = try await objects.copy(
                source, to: key, copy.metadata, conditions: [sourceHeader, header])
            switch result {
            case .success(let made):
                (copy.tag, copy.version) = made
                try await checkVersion(of: copy, at: key, condition)
                return copy
            case .failure(let failure):
                if let less = copy.metadata.without(refusedBy: failure) {
                    copy.metadata = less
                } else if failure.isForbidden, copy.metadata.tags == 0 {
                    // It may have tags that are not even counted for us.
                    copy.metadata.tags = 1
                } else {
                    throw failure.error
                }
            }
        }
    }

    /// Whether a key is one of the container's own, whose names nobody contests.
    func isOwn(_ key: String) -> Bool {
        key.utf8.starts(with: keys.own.utf8)
    }

    /// The condition about a copy's destination; `nil` when the store does not honour it.
    private func copyCondition(_ condition: WriteCondition) -> (String, String)? {
        switch condition {
        case .absent: probe.copiesIfAbsent ? ("if-none-match", "*") : nil
        case .revision(let revision):
            probe.copyReplaces.map { ("if-match", $0.text(revision.token)) }
        }
    }

    /// Reads a body and writes it again, one piece in memory at a time.
    ///
    /// - Parameter describe: makes the copy's metadata; the source's when `nil`.
    func transfer(
        _ source: String, _ expected: Revision, to key: String, _ condition: WriteCondition,
        _ describe: Describe? = nil
    ) async throws(DocFSError) -> S3Object {
        let (found, reply) = try await objects.get(source, tag: expected.token)
        let metadata = try await describe?(found) ?? found.metadata
        if found.size > limits.largest, let header = probe.copySource {
            return try await copyInParts(
                found, source, header: header, to: key, metadata, condition)
        }
        let first = Mutex<HTTPReply?>(reply)
        let body = S3Body(size: found.size, digest: found.metadata.digest) {
            () async throws(DocFSError) -> S3Body.Pieces in
            if let reply = first.withLock({ $0.take() }) { return { reply.pieces } }
            let (_, reply) = try await self.objects.get(source, tag: found.tag)
            return { reply.pieces }
        }
        do throws(DocFSError) {
            return try await put(key, metadata, body, condition, keeping: nil)
        } catch .bodyChanged {
            throw .corrupt("a stored body is not what its digest says")
        }
    }
}
