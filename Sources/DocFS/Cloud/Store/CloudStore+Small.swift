extension CloudStore {
    /// By two calls, as stores do that have no single one for it.
    package func small(_ path: ItemPath, atMost limit: Int) async throws(DocFSError) -> [UInt8]? {
        for _ in 0..<Self.attempts {
            guard let info = try await head(path), info.kind == .file, let revision = info.revision
            else { return nil }
            guard info.size <= UInt64(limit) else { throw .corrupt("\(path) is too large") }
            let sink = MemorySink(size: Int(info.size))
            do throws(DocFSError) {
                try await read(path, range: 0..<info.size, expecting: revision, into: sink)
                return sink.bytes
            } catch .refused {
                // Replaced between the two calls.
                continue
            } catch .notFound {
                continue
            }
        }
        throw .refused
    }

    private static var attempts: Int { 8 }

    /// Removes one object if it still is `expected`, and keeps nothing of it.
    package func remove(_ path: ItemPath, expecting expected: Revision) async throws(DocFSError) {
        try await remove(path, expecting: expected, keeping: nil)
    }
}
