internal import Synchronization

/// Where one fetch of one range goes: the content file, but never over what was written here, or
/// memory.
///
/// What arrives counts only when the whole fetch has succeeded: a store may find out at the end
/// that the body changed while it was read.
final class HydrationSink: ByteSink {
    private let content: OpenContent
    /// `nil` for memory.
    private let file: Descriptor?
    private let memory: Mutex<[UInt8]>
    private let range: Range<UInt64>
    private let epoch: Int
    private let fetch: UInt64
    private let scope: Int64
    private let received = Mutex(RangeSet())

    init(
        _ content: OpenContent, file: Descriptor, range: Range<UInt64>, epoch: Int, fetch: UInt64,
        scope: Int64
    ) {
        self.content = content
        self.file = file
        memory = Mutex([])
        self.range = range
        self.epoch = epoch
        self.fetch = fetch
        self.scope = scope
    }

    /// Holds `range` in memory.
    init(_ content: OpenContent, holding range: Range<UInt64>, scope: Int64) {
        self.content = content
        file = nil
        memory = Mutex([UInt8](repeating: 0, count: range.count))
        self.range = range
        epoch = 0
        fetch = 0
        self.scope = scope
    }

    /// Bytes that were asked for.
    var size: UInt64 { UInt64(range.count) }

    /// What was brought into memory; `nil` for a file.
    var held: [UInt8]? { file == nil ? memory.withLock { $0 } : nil }

    /// Whether every byte of the range was brought.
    var isWhole: Bool { received.withLock { $0.contains(range) } }

    /// Bytes of the range that were brought.
    var count: UInt64 { received.withLock { $0.count } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        let brought = offset..<offset + UInt64(bytes.count)
        guard brought == brought.clamped(to: range) else {
            throw .corrupt("the store sent bytes that were not asked for")
        }
        if let file {
            try pour(bytes, brought, into: file)
        } else {
            memory.withLock { memory in
                memory.withUnsafeMutableBytes { memory in
                    let start = Int(offset - range.lowerBound)
                    UnsafeMutableRawBufferPointer(rebasing: memory[start...])
                        .copyMemory(from: bytes)
                }
            }
        }
        arrived(brought)
    }

    private func pour(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<UInt64>, into file: Descriptor
    ) throws(DocFSError) {
        try content.pouring.withLock { (_) throws(DocFSError) in
            for part in try content.open(range, epoch: epoch, fetch: fetch) {
                let start = Int(part.lowerBound - range.lowerBound)
                try Posix.write(
                    file.number,
                    UnsafeRawBufferPointer(rebasing: bytes[start..<start + part.count]),
                    at: part.lowerBound)
            }
        }
    }

    var descriptor: Int32? {
        guard let file, content.allowsDirectFetch(fetch, epoch: epoch) else { return nil }
        return file.number
    }

    func advanced(through range: Range<UInt64>) throws(DocFSError) {
        arrived(range)
    }

    private func arrived(_ range: Range<UInt64>) {
        received.withLock { $0.insert(range) }
        content.contents.traffic.received(UInt64(range.count), scope: scope)
        content.noteProgress()
    }
}
