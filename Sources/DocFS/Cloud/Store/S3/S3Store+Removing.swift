internal import Synchronization

/// remove, and directories.
extension S3Store {
    package func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError) {
        try begin()
        let key = try await documentKey(path)
        if probe.removes != nil, !S3Keys.isOwn(path), let words = capabilities.deletesRefused {
            // A copy would be made for the trash each time that it is tried.
            objects.client.wasForbidden.store(true, ordering: .relaxed)
            throw .documentRefused(words)
        }
        do throws(DocFSError) {
            if let keep {
                try await self.keep(key, expected, at: try await self.key(keep), .absent)
            }
            if probe.removes == nil, !S3Keys.isOwn(path) {
                return try await bury(key, expected)
            }
        } catch .refused {
            try await check(path, key, expected)
            throw .refused
        }
        if keep == nil { try await check(path, key, expected) }
        if let form = probe.removes {
            try await delete(key, [("if-match", form.text(expected.token))])
        } else {
            // Names of the container's own files are never used for another body.
            try await delete(key, [])
        }
    }

    /// Throws unless the object at `path` is `expected`.
    func check(_ path: ItemPath, _ key: String, _ expected: Revision)
        async throws(DocFSError)
    {
        guard let there = try await objects.head(key), !there.isTombstone else {
            throw try await directory(path) == nil ? .notFound : .refused
        }
        guard there.revision == expected else { throw .refused }
    }

    private func delete(_ key: String, _ conditions: [(String, String)]) async throws(DocFSError) {
        if let failure = try await objects.delete(key, conditions: conditions) {
            throw failure.error
        }
    }

    package func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata)
        async throws(DocFSError)
    {
        try begin()
        let key = try await self.key(path)
        guard keys.mayBeMade(key) else { throw .nameTooLong }
        if !S3Keys.isMarker(key), let there = try await objects.head(key), !there.isTombstone {
            throw .exists
        }
        do throws(DocFSError) {
            _ = try await put(
                key + "/",
                S3Metadata(metadata, kind: .file, operation: metadata.operation),
                try S3Body([], size: 0, digest: nil), .absent, keeping: nil)
        } catch .refused {
            throw .exists
        }
    }

    /// Two devices may do this, and put something into the directory, at once: what is in it then
    /// implies it.
    ///
    /// Other programs keep notes in the object that marks a directory: they are kept in
    /// `.docfs/found`.
    package func removeDirectory(_ path: ItemPath) async throws(DocFSError) {
        try begin()
        // Beside a document of its name there may be a directory all the same.
        guard let there = try await markedDirectory(path) else {
            throw try await head(path) == nil ? .notFound : .notDirectory
        }
        let marker = try await self.prefix(path)
        if try await isAnything(below: marker) { throw .notEmpty }
        if let noted = there.marker, noted.size > 0 {
            // Under the same name however often it is tried.
            let name = S3Client.digest(Array("\(marker) \(noted.tag)".utf8)).prefix(32)
            let found = try await self.key(ItemPath(".docfs/found/\(name)"))
            try await keep(marker, noted.revision, at: found, .absent)
        }
        try await delete(marker, [])
    }
}
