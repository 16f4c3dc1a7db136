internal import Synchronization

/// Hashes a body that arrives in order, without keeping it.
final class HashingSink: ByteSink {
    private struct State: ~Copyable {
        var hash = SHA256()
        var length: UInt64 = 0
    }

    private let state = Mutex(State())

    var descriptor: Int32? { nil }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        let isInOrder = state.withLock { state in
            guard offset == state.length else { return false }
            state.hash.update(bytes)
            state.length += UInt64(bytes.count)
            return true
        }
        if !isInOrder { throw .corrupt("a body arrived out of order") }
    }

    func advanced(through range: Range<UInt64>) {}

    private static let piece: UInt64 = 4 << 20

    /// Calls `read` for a range piece by piece, so that stores bring it in order: of larger ranges
    /// some bring several parts at once.
    static func inPieces(
        _ range: Range<UInt64>, _ read: (Range<UInt64>) async throws(DocFSError) -> Void
    ) async throws(DocFSError) {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = start + min(piece, range.upperBound - start)
            try await read(start..<end)
            start = end
        }
    }

    /// The digest of a body of `size` bytes that `read` brings piece by piece.
    static func digest(
        of size: UInt64, _ read: (Range<UInt64>, HashingSink) async throws(DocFSError) -> Void
    ) async throws(DocFSError) -> Digest {
        let sink = HashingSink()
        try await inPieces(0..<size) { (piece) async throws(DocFSError) in
            try await read(piece, sink)
        }
        return try sink.digest(of: size)
    }

    /// The digest, if all `size` bytes have arrived.
    func digest(of size: UInt64) throws(DocFSError) -> Digest {
        let digest = state.withLock { state in
            state.length == size ? state.hash.digest() : nil
        }
        guard let digest else { throw .corrupt("a body is shorter than announced") }
        return digest
    }
}
