internal import Synchronization

/// Takes a small body into memory.
final class MemorySink: ByteSink {
    private let storage: Mutex<[UInt8]>

    init(size: Int) { storage = Mutex([UInt8](repeating: 0, count: size)) }

    var bytes: [UInt8] { storage.withLock { $0 } }

    var descriptor: Int32? { nil }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        let fits = storage.withLock { storage in
            guard Int(offset) + bytes.count <= storage.count else { return false }
            storage.replaceSubrange(Int(offset)..<Int(offset) + bytes.count, with: bytes)
            return true
        }
        if !fits { throw .corrupt("the store sent more than was asked for") }
    }

    func advanced(through range: Range<UInt64>) {}
}
