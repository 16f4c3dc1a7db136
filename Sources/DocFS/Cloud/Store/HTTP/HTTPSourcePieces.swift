internal import NIOCore

/// A source's bytes to its end, or those of a range.
struct HTTPSourcePieces: HTTPPieces {
    private let source: any ByteSource
    private var offset: UInt64
    private let end: UInt64

    init(_ source: any ByteSource, _ range: Range<UInt64> = 0..<(.max)) {
        self.source = source
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Bytes: large enough that a piece costs little beside its bytes.
    private static let piece = 1 << 18

    mutating func next() async throws -> ByteBuffer? {
        try Task.checkCancellation()
        let length = Int(min(UInt64(Self.piece), end - offset))
        if length == 0 { return nil }
        var buffer = ByteBufferAllocator().buffer(capacity: length)
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { space in
            try source.read(into: .init(rebasing: space[..<length]), at: offset)
        }
        offset += UInt64(buffer.readableBytes)
        return buffer.readableBytes == 0 ? nil : buffer
    }
}
