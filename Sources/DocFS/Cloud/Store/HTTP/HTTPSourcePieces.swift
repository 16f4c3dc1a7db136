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

    mutating func next() async throws(DocFSError) -> [UInt8]? {
        if Task.isCancelled { throw .interrupted }
        let length = Int(min(UInt64(Self.piece), end - offset))
        if length == 0 { return nil }
        let (source, offset) = (source, offset)
        var failure: DocFSError?
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { space, count in
            do throws(DocFSError) {
                count = try source.read(into: UnsafeMutableRawBufferPointer(space), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        self.offset += UInt64(bytes.count)
        return bytes.isEmpty ? nil : bytes
    }
}
