/// copy.
extension S3Store {
    package func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        try begin()
        let (from, to) = (try await self.key(source), try await self.key(destination))
        let there = try await objects.head(to)
        if let there, there.metadata.operation == metadata.operation {
            return try await info(there, at: destination, to)
        }
        guard let found = try await objects.head(from), !found.isTombstone else {
            throw try await directory(source) == nil ? .notFound : .refused
        }
        guard found.revision == expected else { throw .refused }
        var own = S3Metadata(
            metadata, kind: found.metadata.kind, operation: metadata.operation)
        own.others = found.metadata.others
        let actual = try await actualCondition(condition, there, at: destination)
        if case .revision(let base) = actual, let keep, there?.isTombstone == false {
            try await self.keep(to, base, at: keep)
        }
        let copy = try await duplicate(from, expected, to: to, (found, own), actual)
        return try await info(copy, at: destination, to)
    }

    private func info(_ object: S3Object, at path: ItemPath, _ key: String)
        async throws(DocFSError) -> ObjectInfo
    {
        guard object.metadata.kind == .symlink else { return object.info(at: path) }
        guard let (link, target) = try await objects.small(key, atMost: Self.longestTarget) else {
            throw .notFound
        }
        return link.info(at: path, target: target)
    }

    /// The condition as the store has to be asked: a tombstone counts as nothing.
    private func actualCondition(
        _ condition: WriteCondition, _ there: S3Object?, at path: ItemPath
    ) async throws(DocFSError) -> WriteCondition {
        switch condition {
        case .absent:
            guard let there else {
                try await refuseDirectory(at: path)
                return .absent
            }
            guard there.isTombstone else { throw .refused }
            return .revision(there.revision)
        case .revision(let expected):
            guard there?.revision == expected else { throw .refused }
            return condition
        }
    }

    /// Makes a second object of a body.
    ///
    /// The store does it where that is safe: it must copy one revision only, and the destination
    /// must either be one that nobody contests, or be under a condition that it honours. Else the
    /// body is read and written under the condition.
    ///
    /// - Parameters:
    ///   - new: the source as it was found, and what is kept beside the copy instead; `nil` takes
    ///     the source's.
    ///   - condition: what must be at `key`; `nil` when nobody contests that name.
    /// - Throws: `.refused` when source or destination moved on, `.notFound` without a source.
    func duplicate(
        _ source: String, _ expected: Revision, to key: String,
        _ new: (found: S3Object, metadata: S3Metadata)?, _ condition: WriteCondition?
    ) async throws(DocFSError) -> S3Object {
        let isOwn = key.utf8.starts(with: (keys.prefix + ".docfs/").utf8)
        if let header = probe.copySource, let conditions = copyConditions(condition, isOwn: isOwn) {
            let quoted = S3Probe.TagForm.quoted.text(expected.token)
            let result = try await objects.copy(
                source, to: key, new?.metadata, conditions: [(header, quoted)] + conditions)
            switch result {
            case .success(let tag):
                guard var copy = new?.found else {
                    guard let copy = try await objects.head(key) else { throw .notFound }
                    return copy
                }
                copy.tag = tag
                copy.metadata = new?.metadata ?? copy.metadata
                return copy
            case .failure(let failure): throw failure.error
            }
        }
        let found: S3Object
        if let new {
            found = new.found
        } else {
            guard let object = try await objects.head(source), object.revision == expected else {
                throw .refused
            }
            found = object
        }
        return try await transfer(found, source, to: key, new?.metadata, condition ?? .absent)
    }

    /// The conditions about a copy's destination; `nil` when the store does not honour them.
    private func copyConditions(_ condition: WriteCondition?, isOwn: Bool) -> [(String, String)]? {
        switch condition {
        case nil: return []
        case .absent:
            if probe.copiesIfAbsent { return [("if-none-match", "*")] }
            return isOwn ? [] : nil
        case .revision(let revision):
            return probe.copyReplaces.map { [("if-match", $0.text(revision.token))] }
        }
    }

    /// Reads a body and writes it again, one piece in memory at a time.
    private func transfer(
        _ found: S3Object, _ source: String, to key: String, _ metadata: S3Metadata?,
        _ condition: WriteCondition
    ) async throws(DocFSError) -> S3Object {
        let body = S3Body(size: found.size, digest: found.metadata.digest) {
            () async throws(DocFSError) -> S3Body.Pieces in
            let (_, reply) = try await self.objects.get(source, tag: found.tag)
            return { reply.pieces }
        }
        do throws(DocFSError) {
            return try await put(key, metadata ?? found.metadata, body, condition, keeping: nil)
        } catch .bodyChanged {
            throw .corrupt("a stored body is not what its digest says")
        }
    }
}
