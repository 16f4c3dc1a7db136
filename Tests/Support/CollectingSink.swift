internal import Synchronization

@testable package import DocFS

/// Keeps what is read, and may do something in the middle of it.
package final class CollectingSink: ByteSink {
    private let state: Mutex<[UInt8]>
    private let written = Mutex<UInt64>(0)
    private let afterPiece: @Sendable () -> Void
    package let descriptor: Int32?

    package init(
        size: Int, descriptor: Int32? = nil, afterPiece: @escaping @Sendable () -> Void = {}
    ) {
        state = Mutex([UInt8](repeating: 0, count: size))
        self.descriptor = descriptor
        self.afterPiece = afterPiece
    }

    package var bytes: [UInt8] { state.withLock { $0 } }
    /// How many bytes came, or were reported.
    package var count: UInt64 { written.withLock { $0 } }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        let bytes = Array(bytes)
        state.withLock { $0.replaceSubrange(Int(offset)..<Int(offset) + bytes.count, with: bytes) }
        written.withLock { $0 += UInt64(bytes.count) }
        afterPiece()
    }

    package func advanced(through range: Range<UInt64>) throws(DocFSError) {
        written.withLock { $0 += UInt64(range.count) }
        afterPiece()
    }
}
