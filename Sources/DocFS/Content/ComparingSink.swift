/// Takes bytes that are in a file already, and none that are not.
final class ComparingSink: ByteSink {
    private let file: Descriptor

    init(with file: Descriptor) { self.file = file }

    /// Throws `.bodyChanged` when the file has other bytes there.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        let own = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        defer { own.deallocate() }
        let count = try Posix.read(file.number, into: own, at: offset)
        guard count == bytes.count, own.elementsEqual(bytes) else { throw .bodyChanged }
    }

    var descriptor: Int32? { nil }

    func advanced(through range: Range<UInt64>) throws(DocFSError) { throw .notOffered }
}
