/// A content file as the source of an upload.
///
/// Its descriptor is its own, so that the content may be closed, replaced or removed meanwhile.
struct FileSource: ByteSource {
    let descriptor: Descriptor

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DocFSError)
        -> Int
    {
        try Posix.read(descriptor.number, into: buffer, at: offset)
    }
}
