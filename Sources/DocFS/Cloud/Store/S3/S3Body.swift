/// The body of a write, from which each attempt takes its own.
struct S3Body: Sendable {
    /// Makes the pieces of one attempt.
    typealias Pieces = @Sendable () -> any HTTPPieces

    /// Bytes.
    let size: UInt64
    /// What is signed: the SHA-256 in hexadecimal digits, or ``S3Client/unsigned``.
    let payload: String
    let digest: Digest?
    /// Where the bytes can be read at any offset.
    let source: (any ByteSource)?
    private let open: @Sendable () async throws(DocFSError) -> Pieces

    /// - Parameters:
    ///   - digest: what the bytes are to hash to, where that is known.
    ///   - source: the same bytes, at any offset.
    ///   - open: begins to read them anew.
    init(
        size: UInt64, digest: Digest?, source: (any ByteSource)? = nil,
        open: @escaping @Sendable () async throws(DocFSError) -> Pieces
    ) {
        self.size = size
        self.source = source
        self.digest = digest
        payload = digest?.description ?? S3Client.unsigned
        self.open = open
    }

    /// The bytes of a source.
    ///
    /// Without a digest it is small, and read once more to have one.
    init(_ source: any ByteSource, size: UInt64, digest: Digest?) throws(DocFSError) {
        self.init(
            size: size, digest: digest == nil ? try Self.digest(of: source, size: size) : digest,
            source: source,
            open: { () throws(DocFSError) -> Pieces in { HTTPSourcePieces(source) } })
    }

    /// An upload whose last piece goes after `beforeLast`.
    func upload(beforeLast: @escaping @Sendable () async throws(DocFSError) -> Void)
        async throws(DocFSError) -> HTTPBody
    {
        let pieces = try await open()
        return .upload(
            HTTPUpload(size: size, digest: digest, pieces: pieces, beforeLast: beforeLast))
    }

    private static func digest(of source: any ByteSource, size: UInt64)
        throws(DocFSError) -> Digest?
    {
        var hash = SHA256()
        var offset: UInt64 = 0
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { space.deallocate() }
        while offset < size {
            let count = try source.read(into: space, at: offset)
            if count == 0 { throw .bodyChanged }
            hash.update(.init(rebasing: space[..<count]))
            offset += UInt64(count)
        }
        return hash.digest()
    }
}
