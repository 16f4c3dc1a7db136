internal import CFuse
internal import Glibc
internal import Synchronization

/// One cloud scope: the local tree of a container as directories and files (S3).
///
/// Safe from any thread, and made to be called synchronously by many: every call is answered from
/// the catalog and this device's disk, none waits for a store; a read whose bytes are not here
/// hands out a ``PendingRead``. Every mutation is one transaction (S13). What the kernel may
/// believe it may believe for long: whatever changes otherwise is invalidated.
///
/// Permissions are the kernel's to check (default_permissions).
package final class CloudScope: Sendable {
    /// Seconds for which the kernel may answer by itself.
    static let validity = 86_400.0
    /// Kept for the control directory, though it is only shown at the mount's root.
    private static let reservedName = Name(".docfs")
    /// What stat(2) shows as the size of a directory, in bytes.
    private static let directorySize: UInt64 = 4096

    package let id: Int64
    package let name: String
    let rootIno: Int64
    let catalog: Catalog
    let contents: Contents
    let clock: any SyncClock
    /// The handles that are open on documents of cloud scopes.
    let handles: OpenFiles
    let sights: Sights
    private let random: Mutex<any RandomNumberGenerator & Sendable>
    private let onVisit: @Sendable (ItemID) -> Void
    let readers: KnownReaders
    /// Which names stay on this device (S15).
    let scratch: Scratch

    /// - Parameters:
    ///   - readers: for whom little or nothing is fetched (S10).
    ///   - random: where the identities of new items are drawn from.
    ///   - onVisit: told of each directory that is opened.
    package init(
        scope: ScopeRecord, catalog: Catalog, contents: Contents, handles: OpenFiles,
        sights: Sights, clock: any SyncClock, readers: KnownReaders = KnownReaders(),
        scratch: Scratch = Scratch(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        onVisit: @escaping @Sendable (ItemID) -> Void = { _ in }
    ) {
        id = scope.id
        name = scope.name
        rootIno = scope.root
        self.catalog = catalog
        self.contents = contents
        self.handles = handles
        self.sights = sights
        self.clock = clock
        self.random = Mutex(random)
        self.onVisit = onVisit
        self.readers = readers
        self.scratch = scratch
    }

    /// The number of the scope's own directory.
    package var root: FileNumber { FileNumber(row: rootIno) }

    // MARK: Looking up

    /// What `name` in `parent` is.
    package func lookup(_ name: Name, in parent: FileNumber) throws(DocFSError) -> LookupResult {
        if name.bytes.count > Name.maximumLength { throw .nameTooLong }
        let row = try catalog.read { (read) throws(DocFSError) in
            try read.child(name, of: parent.row)
        }
        return result(try row.map(upToDate))
    }

    /// What stat(2) shows of a file; one without a name is still reached while it is open.
    package func attributes(of number: FileNumber, through file: OpenFile? = nil)
        throws(DocFSError) -> LookupResult
    {
        result(try upToDate(try row(number)))
    }

    /// A row as it is after what was written past us was taken over.
    private func upToDate(_ row: LocalItem) throws(DocFSError) -> LocalItem {
        guard row.isUnflushed, contents.takeOver(row.ino) else { return row }
        return try self.row(FileNumber(row: row.ino))
    }

    /// Where a symbolic link points.
    package func readLink(_ number: FileNumber) throws(DocFSError) -> [UInt8] {
        guard let target = try row(number).target else { throw .invalidArgument }
        return target
    }

    /// What statvfs(3) shows: this device's room for content.
    package func statistics(of number: FileNumber) throws(DocFSError) -> FileSystemStatistics {
        let status = try contents.fileSystemStatus()
        return FileSystemStatistics(
            blockSize: UInt64(status.f_frsize), blocks: UInt64(status.f_blocks),
            freeBlocks: UInt64(status.f_bfree), availableBlocks: UInt64(status.f_bavail),
            files: UInt64(status.f_files), freeFiles: UInt64(status.f_ffree))
    }

    // MARK: Listing

    package func openDirectory(_ number: FileNumber) throws(DocFSError) -> CloudListing {
        let row = try row(number)
        guard row.isDirectory else { throw .notDirectory }
        onVisit(row.item)
        return CloudListing(number: number)
    }

    /// Hands the entries after `cookie` (0 is the beginning) to `each` until it answers false, or
    /// there are no more.
    ///
    /// The order is that of the numbers: it holds while entries come and go.
    package func list(
        _ listing: CloudListing, from cookie: UInt64, withAttributes: Bool,
        _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        try catalog.read { (read) throws(DocFSError) in
            try read.eachChild(of: listing.number.row, after: Int64(clamping: cookie)) { row in
                // What may be written past us is asked for each time, not believed for long.
                let withAttributes = withAttributes && !isHeld(row)
                let entry = DirectoryEntry(
                    name: row.name, number: FileNumber(row: row.ino), type: row.type,
                    cookie: UInt64(row.ino), attributes: withAttributes ? attributes(row) : nil)
                return each(entry)
            }
        }
    }

    /// fsync(2) of a directory.
    package func syncDirectory(_ number: FileNumber) throws(DocFSError) {
        try contents.makeDurable()
    }

    // MARK: Rows

    func row(_ number: FileNumber) throws(DocFSError) -> LocalItem {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(number.row) }
        guard let row, row.scope == id else { throw .stale }
        return row
    }

    func result(_ row: LocalItem?) -> LookupResult {
        LookupResult(
            attributes: row.map(attributes),
            validity: row.map(isHeld) == true ? 0 : Self.validity)
    }

    /// Whether the row's content may be written past us.
    private func isHeld(_ row: LocalItem) -> Bool {
        row.isUnflushed && contents.isHeld(row.ino)
    }

    /// What stat(2) shows of a row, with what was written to it and is not in it yet.
    func attributes(_ row: LocalItem) -> FileAttributes {
        var row = row
        while row.isUnflushed {
            if let written = contents.unrecorded(row.ino) {
                row.size = written.size
                row.modified = written.modified
                row.changed = max(row.changed, written.modified)
                break
            }
            // Nothing was written yet, or it has been recorded since the row was read; a row that
            // cannot be read again is shown as it was.
            guard let newer = try? self.row(FileNumber(row: row.ino)), newer != row else { break }
            row = newer
        }
        return shown(row)
    }

    private func shown(_ row: LocalItem) -> FileAttributes {
        var size = row.size
        if row.isDirectory { size = Self.directorySize }
        if let target = row.target { size = UInt64(target.count) }
        return FileAttributes(
            number: FileNumber(row: row.ino), mode: row.mode, links: row.links,
            owner: row.owner, group: row.group, size: size, blocks: (size + 511) / 512,
            accessed: row.modified, modified: row.modified, changed: row.changed,
            device: row.device)
    }

    func newItem() -> ItemID {
        random.withLock { random in ItemID(high: random.next(), low: random.next()) }
    }

    /// Refuses names that nothing here can be made under.
    func check(_ name: Name, in parent: FileNumber) throws(DocFSError) {
        if name.bytes.count > Name.maximumLength { throw .nameTooLong }
        guard name.isValid else { throw .invalidArgument }
        // What has it below the root would be another container's (S33).
        if name == Self.reservedName { throw .notPermitted }
    }

    /// The directory behind `parent`; `.notFound` when it was removed, `.stale` when its row is
    /// gone.
    func directory(_ parent: FileNumber, in read: CatalogReader) throws(DocFSError) -> LocalItem {
        // The kernel looks again: the directory may have arrived in `Local/` just now.
        guard let row = try read.local(parent.row) else { throw .stale }
        guard row.parent != nil || row.ino == rootIno || row.isDeparting else { throw .notFound }
        guard row.isDirectory else { throw .notDirectory }
        return row
    }

    /// An entry came or went: the directory's times move, and its item is to be planned.
    func touch(
        _ directory: LocalItem, links: Int = 0, _ now: Timestamp, _ transaction: CatalogWriter
    ) throws(DocFSError) {
        try transaction.touchDirectory(directory.ino, links: links, now: now)
        if directory.ino != rootIno { try transaction.markEdited(directory) }
    }
}

extension FileNumber {
    /// The number of a catalog row.
    init(row ino: Int64) { self.init(UInt64(ino)) }

    /// The catalog row behind a number of a cloud scope.
    var row: Int64 { Int64(clamping: value) }
}
