internal import Synchronization

/// Makes file numbers of devices and inodes, the way ``FileNumber`` documents.
///
/// Inodes of 2^48 and above are folded into a range of their own on every device: rare
/// filesystems (some of FUSE, overlayfs) have them.
final class LocalNumbers: Sendable {
    /// The most devices that there are numbers for.
    static let maximumIndex: UInt64 = 0x3FFE
    private static let foldedIndices: UInt64 = 0x4000
    private static let inodeMask: UInt64 = (1 << 48) - 1

    private let rootDevice: UInt64
    private let assign: (@Sendable (UInt64) -> UInt64)?
    private let indices: Mutex<[UInt64: UInt64]>

    /// `assign` answers the lasting index (1 and up) of a device that is met for the first time;
    /// without it, devices are counted as they are met.
    init(rootDevice: UInt64, assign: (@Sendable (UInt64) -> UInt64)?) {
        self.rootDevice = rootDevice
        self.assign = assign
        indices = Mutex([rootDevice: 0])
    }

    /// The index of a device; 0 is the one of the root.
    func index(of device: UInt64) -> UInt64 {
        if device == rootDevice { return 0 }
        if let known = indices.withLock({ $0[device] }) { return known }
        // Asked without the lock: the answer may come from a database.
        let lasting = assign?(device)
        return indices.withLock { indices in
            if let known = indices[device] { return known }
            let index = min(lasting ?? UInt64(indices.count), LocalNumbers.maximumIndex)
            indices[device] = index
            return index
        }
    }

    /// The number that a file gets unless another file has it, which only folded ones can meet.
    static func number(of inode: UInt64, on index: UInt64) -> FileNumber {
        if inode <= inodeMask { return FileNumber((index + 1) << 48 | inode) }
        // Fibonacci hashing: the high bits of the product depend on all bits of the inode.
        let folded = (inode &* 0x9E37_79B9_7F4A_7C15) >> 16
        return FileNumber(((index | foldedIndices) + 1) << 48 | folded)
    }

    /// The number of a file whose own was given to another one; of no device.
    static func number(ofBuried count: UInt64) -> FileNumber {
        FileNumber((maximumIndex + 2) << 48 | count & inodeMask)
    }

    /// Where to try next when `number` is taken by another file.
    static func next(after number: FileNumber) -> FileNumber {
        FileNumber(number.value & ~inodeMask | (number.value &+ 1) & inodeMask)
    }
}
