internal import Synchronization

/// Where one fetch of one range goes: the content file, but never over what was written here.
///
/// What arrives counts only when the whole fetch has succeeded: a store may find out at the end
/// that the body changed while it was read.
final class HydrationSink: ByteSink {
    private let content: OpenContent
    private let file: Descriptor
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
        self.range = range
        self.epoch = epoch
        self.fetch = fetch
        self.scope = scope
    }

    /// Whether every byte of the range was brought.
    var isWhole: Bool { received.withLock { $0.contains(range) } }

    /// Bytes of the range that were brought.
    var count: UInt64 { received.withLock { $0.count } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        let brought = offset..<offset + UInt64(bytes.count)
        guard brought == brought.clamped(to: range) else {
            throw .corrupt("the store sent bytes that were not asked for")
        }
        try content.pouring.withLock { (_) throws(DocFSError) in
            for part in try content.open(brought, epoch: epoch, fetch: fetch) {
                let start = Int(part.lowerBound - offset)
                try Posix.write(
                    file.number,
                    UnsafeRawBufferPointer(rebasing: bytes[start..<start + part.count]),
                    at: part.lowerBound)
            }
        }
        arrived(brought)
    }

    var descriptor: Int32? {
        content.allowsDirectFetch(fetch, epoch: epoch) ? file.number : nil
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
