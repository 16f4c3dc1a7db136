internal import Synchronization

/// A request's body that is hashed while it is sent, and whose last piece waits until all is well.
///
/// A server carries nothing out before it has as many bytes as were announced. So whatever is found
/// out before the last piece goes (too many or too few bytes, another digest, an error of the
/// source) makes the request one that had no effect. Used for one attempt.
final class HTTPUpload: Sendable {
    /// Bytes that are announced.
    let size: UInt64
    private let digest: Digest?
    private let makePieces: @Sendable () -> any HTTPPieces
    private let beforeLast: @Sendable () async throws(DocFSError) -> Void

    private struct State {
        var isComplete = false
        var error: DocFSError?
    }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - digest: what the bytes must hash to, where that is known.
    ///   - beforeLast: done once everything was found right; when it throws, nothing is sent.
    init(
        size: UInt64, digest: Digest?, pieces: @escaping @Sendable () -> any HTTPPieces,
        beforeLast: @escaping @Sendable () async throws(DocFSError) -> Void
    ) {
        self.size = size
        self.digest = digest
        makePieces = pieces
        self.beforeLast = beforeLast
    }

    /// Whether the last piece may have been sent: before that the request cannot have an effect.
    var isComplete: Bool { state.withLock { $0.isComplete } }

    /// What kept the body from being sent.
    var error: DocFSError? { state.withLock { $0.error } }

    /// Hands all pieces to `give`, until it answers false: nobody wants more.
    func send(to give: ([UInt8]) async -> Bool) async {
        do throws(DocFSError) {
            var pieces = makePieces()
            var hash = SHA256()
            var count: UInt64 = 0
            var held: [UInt8]?
            while let piece = try await pieces.next() {
                count += UInt64(piece.count)
                guard count <= size else { throw .bodyChanged }
                piece.withUnsafeBytes { hash.update($0) }
                if let held, await !give(held) { return }
                held = piece
            }
            guard count == size else { throw .bodyChanged }
            if let digest, hash.digest() != digest { throw .bodyChanged }
            try await beforeLast()
            state.withLock { $0.isComplete = true }
            if let held { _ = await give(held) }
        } catch {
            state.withLock { $0.error = error }
        }
    }
}
