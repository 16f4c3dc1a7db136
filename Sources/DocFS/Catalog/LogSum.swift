/// The running sum over a write-ahead log of SQLite (sqlite.org/walformat.html, "Checksum
/// Algorithm").
struct LogSum {
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0
    /// The byte order of the words that are added up.
    private let isBigEndian: Bool

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// Takes in so many bytes, a multiple of eight.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 8) {
                first &+= word(bytes, offset) &+ second
                second &+= word(bytes, offset + 4) &+ first
            }
        }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    /// Whether the first eight bytes are this sum, in the log's own byte order.
    func isAt(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            bytes.count >= 8
                && first == UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
                && second
                    == UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        }
    }
}
