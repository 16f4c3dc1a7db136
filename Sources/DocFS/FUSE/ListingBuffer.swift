internal import CFuse
internal import Glibc

/// The answer to one READDIR or READDIRPLUS while it is filled.
///
/// A lookup is counted only for an entry that fits, so that counts and what the kernel got agree.
final class ListingBuffer {
    private let request: Request
    private let session: Session
    /// The directory, when the kernel wants attributes too.
    private let directory: UInt64?
    private let bytes: UnsafeMutableRawBufferPointer
    /// Room for one name with its NUL, as libfuse wants it.
    private let nameBytes: UnsafeMutableBufferPointer<CChar>
    private var used = 0
    private var counted: [UInt64] = []

    /// - Parameter directory: what is listed, for READDIRPLUS; `nil` for READDIR.
    init(_ request: Request, size: Int, of directory: UInt64?, session: Session) {
        self.request = request
        self.directory = directory
        self.session = session
        bytes = .allocate(byteCount: size, alignment: 8)
        nameBytes = .allocate(capacity: Name.maximumLength + 1)
    }

    deinit {
        bytes.deallocate()
        nameBytes.deallocate()
    }

    /// What was added so far.
    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<used]) }

    /// Puts `.` and `..` first; `false` when the buffer is full.
    ///
    /// Moves `offset` behind them.
    func addDots(of directory: FileNumber, from offset: inout UInt64) -> Bool {
        if offset == 0 {
            guard add([0x2E], directory.value, next: ListingCookie.afterSelf) else { return false }
            offset = ListingCookie.afterSelf
        }
        if offset == ListingCookie.afterSelf {
            // Above the root is what the kernel knows; of others we do not keep the parent.
            let parent = directory == .root ? directory.value : ListingBuffer.unknownNumber
            guard add([0x2E, 0x2E], parent, next: ListingCookie.afterParent) else { return false }
            offset = ListingCookie.afterParent
        }
        return true
    }

    /// FUSE_UNKNOWN_INO of libfuse.
    private static let unknownNumber: UInt64 = 0xFFFF_FFFF

    private func add(_ name: [UInt8], _ number: UInt64, next: UInt64) -> Bool {
        var entry = fuse_entry_param()
        entry.attr.st_ino = .init(number)
        entry.attr.st_mode = S_IFDIR
        return put(name, entry, next: next)
    }

    /// Adds one name; `false` when the buffer is full.
    func add(_ entry: borrowing DirectoryEntry) -> Bool {
        let next = ListingCookie.offset(for: entry.cookie)
        // Without a node id the kernel lists the name and looks it up when it is asked for it.
        var parameters = fuse_entry_param()
        parameters.attr.st_ino = .init(entry.number.value)
        parameters.attr.st_mode = entry.type
        guard let directory, let attributes = entry.attributes, fits(entry.name) else {
            return put(entry.name.bytes, parameters, next: next)
        }
        let node = session.remember(attributes, entry.name, in: directory)
        counted.append(node)
        parameters = fuse_entry_param(
            node: node, attributes: attributes,
            validity: ListingBuffer.validity(of: attributes.number))
        return put(entry.name.bytes, parameters, next: next)
    }

    /// Seconds for which the kernel may believe a listed entry: as long as one looked up.
    private static func validity(of number: FileNumber) -> Double {
        if number.isCatalogRow { return CloudScope.validity }
        return number.isLocal ? LocalScope.validity : 0
    }

    private func fits(_ name: Name) -> Bool {
        used + fuse_add_direntry_plus(request.raw, nil, 0, terminated(name.bytes), nil, 0)
            <= bytes.count
    }

    private func put(_ name: [UInt8], _ entry: fuse_entry_param, next: UInt64) -> Bool {
        var entry = entry
        let start = bytes.baseAddress!.advanced(by: used).assumingMemoryBound(to: CChar.self)
        let left = bytes.count - used
        let name = terminated(name)
        let needed =
            directory != nil
            ? fuse_add_direntry_plus(request.raw, start, left, name, &entry, off_t(next))
            : fuse_add_direntry(request.raw, start, left, name, &entry.attr, off_t(next))
        if needed > left { return false }
        used += needed
        return true
    }

    private func terminated(_ name: [UInt8]) -> UnsafePointer<CChar> {
        let count = min(name.count, Name.maximumLength)
        for index in 0..<count { nameBytes[index] = CChar(bitPattern: name[index]) }
        nameBytes[count] = 0
        return UnsafePointer(nameBytes.baseAddress!)
    }

    /// The kernel did not get the answer.
    func takeBackCounts() {
        for node in counted { session.inodes.forget(node) }
    }
}
