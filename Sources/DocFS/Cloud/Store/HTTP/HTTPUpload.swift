internal import Crypto
internal import NIOCore
internal import Synchronization

/// A request's body that is hashed while it is sent, and whose last piece waits until all is well.
///
/// A server carries nothing out before it has as many bytes as were announced. So whatever is found
/// out before the last piece goes (too many or too few bytes, another digest, an error of the
/// source) makes the request one that had no effect. Used for one attempt.
final class HTTPUpload: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

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

    struct AsyncIterator: AsyncIteratorProtocol {
        private let upload: HTTPUpload
        private var pieces: any HTTPPieces
        private var held: ByteBuffer?
        private var count: UInt64 = 0
        private var hash = SHA256()

        fileprivate init(_ upload: HTTPUpload) {
            self.upload = upload
            pieces = upload.makePieces()
        }

        mutating func next() async throws -> ByteBuffer? {
            if upload.isComplete { return nil }
            do {
                if held == nil { held = try await take() }
                if let following = try await take() {
                    defer { held = following }
                    return held
                }
                guard count == upload.size else { throw DocFSError.bodyChanged }
                if let digest = upload.digest, Digest(bytes: hash.finalize()) != digest {
                    throw DocFSError.bodyChanged
                }
                try await upload.beforeLast()
            } catch {
                upload.note(error)
                throw error
            }
            upload.state.withLock { $0.isComplete = true }
            return held
        }

        private mutating func take() async throws -> ByteBuffer? {
            guard let piece = try await pieces.next() else { return nil }
            count += UInt64(piece.readableBytes)
            guard count <= upload.size else { throw DocFSError.bodyChanged }
            piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
            return piece
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    private func note(_ error: any Error) {
        let reason: DocFSError =
            switch error {
            case let error as DocFSError: error
            case is CancellationError: .interrupted
            default: HTTPTransport.failure(error).ofReading
            }
        state.withLock { $0.error = $0.error ?? reason }
    }
}
