/// A body that goes into a ``MemoryStore``.
struct MemoryBody: Sendable {
    var kind: ItemKind
    var bytes: [UInt8] = []
    var target: [UInt8]?

    init(kind: ItemKind, bytes: [UInt8], target: [UInt8]?) {
        self.kind = kind
        self.bytes = bytes
        self.target = target
    }

    /// Reads what is to be written to its end: `.bodyChanged` unless it is what was announced.
    init(reading object: ObjectWrite) throws(DocFSError) {
        switch object.payload {
        case .symlink(let target):
            self.init(kind: .symlink, bytes: [], target: target)
        case .bytes(let source, let size):
            let bytes = try MemoryBody.read(source, limit: Int(size) + 1)
            guard bytes.count == Int(size) else { throw .bodyChanged }
            if let digest = object.metadata?.digest, SHA256.digest(of: bytes) != digest {
                throw .bodyChanged
            }
            self.init(kind: .file, bytes: bytes, target: nil)
        }
    }

    private static func read(_ source: any ByteSource, limit: Int) throws(DocFSError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 16)
        defer { buffer.deallocate() }
        var count = 0
        while count < limit {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let read = try source.read(into: rest, at: UInt64(count))
            if read == 0 { break }
            count += read
        }
        return Array(buffer[..<count])
    }
}
