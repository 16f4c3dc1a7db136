/// The source of an upload that tells how far it was read.
struct SentSource: ByteSource {
    let source: any ByteSource
    let upload: Traffic.Upload

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DocFSError)
        -> Int
    {
        let count = try source.read(into: buffer, at: offset)
        upload.advanced(to: offset + UInt64(count))
        return count
    }
}
