internal import NIOCore

/// A source's bytes to its end.
struct HTTPSourcePieces: HTTPPieces {
    private let source: any ByteSource
    private var offset: UInt64 = 0

    init(_ source: any ByteSource) { self.source = source }

    /// Bytes: large enough that a piece costs little beside its bytes.
    private static let piece = 1 << 18

    mutating func next() async throws -> ByteBuffer? {
        try Task.checkCancellation()
        var buffer = ByteBufferAllocator().buffer(capacity: Self.piece)
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.piece) { space in
            try source.read(into: .init(rebasing: space[..<Self.piece]), at: offset)
        }
        offset += UInt64(buffer.readableBytes)
        return buffer.readableBytes == 0 ? nil : buffer
    }
}
