internal import AsyncHTTPClient
internal import NIOCore

/// The body of an answer, on its way into another request.
struct HTTPReplyPieces: HTTPPieces {
    private let body: HTTPClientResponse.Body
    private var iterator: HTTPClientResponse.Body.AsyncIterator?

    init(_ body: HTTPClientResponse.Body) { self.body = body }

    mutating func next() async throws -> ByteBuffer? {
        var current = iterator ?? body.makeAsyncIterator()
        defer { iterator = current }
        while let piece = try await current.next() {
            if piece.readableBytes > 0 { return piece }
        }
        return nil
    }
}
