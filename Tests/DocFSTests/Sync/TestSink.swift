import DocFS
import Synchronization

/// Takes a body into memory.
final class TestSink: ByteSink {
    private let storage: Mutex<[UInt8]>

    init(size: Int) { storage = Mutex([UInt8](repeating: 0, count: size)) }

    var bytes: [UInt8] { storage.withLock { $0 } }
    var descriptor: Int32? { nil }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        let new = Array(bytes)
        storage.withLock {
            $0.replaceSubrange(Int(offset)..<Int(offset) + new.count, with: new)
        }
    }

    func advanced(through range: Range<UInt64>) {}
}
