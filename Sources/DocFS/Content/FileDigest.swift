/// Hashes files on this device.
package enum FileDigest {
    /// The SHA-256 of the first `length` bytes of a file, `.bodyChanged` when it has fewer.
    ///
    /// Blocks for as long as reading takes.
    package static func compute(_ descriptor: Int32, length: UInt64) throws(DocFSError) -> Digest {
        var hash = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(max(length, 1), 1 << 18)), alignment: 16)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < length {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<Int(min(UInt64(buffer.count), length - offset))])
            let count = try Posix.read(descriptor, into: part, at: offset)
            if count < part.count { throw .bodyChanged }
            hash.update(UnsafeRawBufferPointer(part))
            offset += UInt64(count)
        }
        return hash.digest()
    }
}
