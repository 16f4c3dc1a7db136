@testable import DocFS

/// A body in memory that does something before each of its pieces is read.
struct HookedSource: ByteSource {
    let bytes: [UInt8]
    let beforePiece: @Sendable (UInt64) throws(DocFSError) -> Void

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
        throws(DocFSError) -> Int
    {
        try beforePiece(offset)
        return try bytes.read(into: buffer, at: offset)
    }
}
