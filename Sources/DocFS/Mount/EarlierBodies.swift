/// Versions and trashed documents: those that are still here, and those that the containers of the
/// engines keep.
struct EarlierBodies: BodyReader {
    let contents: Contents
    let engines: [SyncEngine]

    func read(
        _ body: EarlierBody, range: Range<UInt64>,
        take: @escaping @Sendable (UnsafeRawBufferPointer, UInt64) -> Void
    ) async throws(DocFSError) {
        let isHere = try await contents.readEarlier(
            body.item, body.revision, scope: body.scope, range: range, take: take)
        if isHere { return }
        guard let engine = engines.first(where: { $0.scopeID == body.scope }) else {
            throw .offline("the container is not mounted")
        }
        let sink = TakingSink(
            take: take, isWhole: range == 0..<body.size, hashing: HashingSink())
        try await HashingSink.inPieces(range) { (piece) async throws(DocFSError) in
            try await engine.fetch(
                body.item, revision: body.revision, range: piece, into: sink)
        }
        if sink.isWhole, let digest = body.digest,
            try sink.hashing.digest(of: body.size) != digest
        {
            throw .corrupt("an earlier version is not what it was")
        }
    }

    /// Hands bytes on, and hashes those of a whole body.
    private struct TakingSink: ByteSink {
        let take: @Sendable (UnsafeRawBufferPointer, UInt64) -> Void
        let isWhole: Bool
        let hashing: HashingSink

        var descriptor: Int32? { nil }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
            if isWhole { try hashing.write(bytes, at: offset) }
            take(bytes, offset)
        }

        func advanced(through range: Range<UInt64>) {}
    }
}
