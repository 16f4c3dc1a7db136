/// Where the bytes of a write come from: readable at any offset, more than once.
package protocol ByteSource: Sendable {
    /// Reads up to `buffer.count` bytes at `offset`; 0 means the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DocFSError)
        -> Int
}

/// A body in memory, for small ones.
extension Array: ByteSource where Element == UInt8 {
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
        throws(DocFSError) -> Int
    {
        guard offset < UInt64(count) else { return 0 }
        let start = Int(offset)
        let length = Swift.min(buffer.count, count - start)
        withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
        }
        return length
    }
}
