/// One row of the local tree: an inode of a cloud scope, with the state of its content.
///
/// Invariants: a row with `parent == nil` is a scope's root, unlinked but still in use, being
/// imported, departing, or a ``NamelessBody``. `divergence == .none` implies that `basis` and
/// `sourceRevision` are equal and `sourceItem == item`. Bytes `0..<wanted` of the source that are
/// neither here nor in the written ranges are still to be fetched.
package struct LocalItem: Hashable, Sendable {
    package var ino: Int64 = 0
    package var scope: Int64
    package var item: ItemID
    package var parent: Int64?
    package var name: Name
    /// Type and permissions, as in `st_mode`.
    package var mode: UInt32
    package var links: UInt32 = 1
    package var owner: UInt32
    package var group: UInt32
    /// Bytes.
    package var size: UInt64 = 0
    package var modified: Timestamp
    package var changed: Timestamp
    /// As `st_rdev`.
    package var device: UInt64 = 0
    package var target: [UInt8]?
    package var attributes: [ExtendedAttribute] = []
    package var state: ContentState = .current
    package var place: ContentPlace = .state
    package var divergence: Divergence = .none
    /// Size and modification time are to be read from the content file.
    package var isUnflushed = false
    package var unsynced: Unsynced = .none
    /// Counts the changes of this row's bytes made here.
    package var generation: Int64 = 0
    /// The revision of `item` that the bytes were made from.
    package var basis: Revision?
    /// The scope of `sourceItem`, where that is not the row's own: it moved between containers.
    package var sourceScope: Int64?
    package var sourceItem: ItemID?
    package var sourceRevision: Revision?
    package var sourceDigest: Digest?
    /// Bytes of the body that ``sourceDigest`` is of, where they are known.
    package var sourceSize: UInt64?
    /// Bytes of the source's beginning that are still part of the content.
    package var wanted: UInt64 = 0
    /// Lives on this device only (S15).
    package var isExcluded = false
    package var conflictOf: ConflictMark?
    package var pin: PinState = .inherited
    /// On its way to `Local/` (S24): shown there already.
    package var isDeparting = false
    /// The last failure in words.
    package var error: String?

    package init(
        scope: Int64, item: ItemID, parent: Int64?, name: Name, mode: UInt32, owner: UInt32,
        group: UInt32, modified: Timestamp, changed: Timestamp
    ) {
        self.scope = scope
        self.item = item
        self.parent = parent
        self.name = name
        self.mode = mode
        self.owner = owner
        self.group = group
        self.modified = modified
        self.changed = changed
    }

    /// The bits of `st_mode` that tell the type.
    package static let typeMask: UInt32 = 0o170000
    package static let typeDirectory: UInt32 = 0o040000
    package static let typeFile: UInt32 = 0o100000
    package static let typeSymlink: UInt32 = 0o120000

    package var type: UInt32 { mode & LocalItem.typeMask }
    package var isDirectory: Bool { type == LocalItem.typeDirectory }
    package var isFile: Bool { type == LocalItem.typeFile }
    package var isSymlink: Bool { type == LocalItem.typeSymlink }

    /// The kind of item, `nil` for what a container cannot hold (FIFOs, sockets, devices).
    package var kind: ItemKind? {
        switch type {
        case LocalItem.typeDirectory: .directory
        case LocalItem.typeFile: .file
        case LocalItem.typeSymlink: .symlink
        default: nil
        }
    }

    package var metadata: Metadata {
        Metadata(
            mode: UInt16(truncatingIfNeeded: mode & 0o777), modified: modified,
            attributes: attributes)
    }

    package var ownership: Ownership { Ownership(user: owner, group: group, mode: mode) }

    /// Whether both have the same attributes of a file, content aside.
    func isDescribed(like other: LocalItem) -> Bool {
        metadata == other.metadata && ownership == other.ownership
    }

    /// Takes over all of ``metadata``.
    mutating func describe(_ metadata: Metadata) {
        mode = mode & ~0o777 | UInt32(metadata.mode)
        modified = metadata.modified
        attributes = metadata.attributes
    }

    /// Its bytes are the body that the store has, or knew, as `state` of its item.
    mutating func rebase(onto state: ItemState) {
        basis = state.content.revision
        divergence = .none
        // Bytes are brought to the disk before they are sent or compared.
        if !isUnflushed { unsynced = .none }
        sourceScope = nil
        sourceItem = item
        sourceRevision = state.content.revision
        if case .file(let body) = state.content {
            sourceDigest = body.digest ?? sourceDigest
            sourceSize = body.size
            wanted = body.size
        }
    }

    /// It is a placeholder of the body that the store has as `state` of its item.
    mutating func fill(from state: ItemState) {
        rebase(onto: state)
        unsynced = .none
        error = nil
        switch state.content {
        case .file(let body):
            size = body.size
            sourceDigest = body.digest
            self.state = body.size == 0 ? .current : .none
        case .symlink(let target, _):
            self.target = target
            size = UInt64(target.count)
            self.state = .current
        case .directory: break
        }
    }

    /// The columns that say what a row is and where: all that indexes are made of, but for
    /// `unflushed`, `unsynced`, and those of rows that hold another document's bytes or wait for
    /// some.
    private static let placeColumns = """
        scope, item, parent, name, excluded, conflict_of, conflict_base, departing, error
        """
    /// The others.
    static let stateColumns = """
        mode, links, owner, grp, size, mtime_s, mtime_n, ctime_s, ctime_n, device, target, \
        attributes, state, place, divergence, unflushed, unsynced, generation, basis, \
        source_scope, source_item, source_revision, source_digest, source_size, wanted, pin
        """
    /// All, without `ino`, in the order that ``init(row:)`` and ``bind(to:)`` use.
    static let columns = placeColumns + ", " + stateColumns

    /// As many question marks as there are `columns`.
    static func values(of columns: String) -> String {
        columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
    }

    init(row: Statement) {
        ino = row.int()
        scope = row.int()
        item = row.identifier(ItemID.self) ?? .root
        parent = row.optionalInt()
        name = Name(row.bytes())
        isExcluded = row.int() != 0
        conflictOf = ConflictMark(row: row)
        isDeparting = row.int() != 0
        error = row.text()
        mode = UInt32(clamping: row.int())
        links = UInt32(clamping: row.int())
        owner = UInt32(clamping: row.int())
        group = UInt32(clamping: row.int())
        size = UInt64(clamping: row.int())
        modified = row.timestamp()
        changed = row.timestamp()
        device = UInt64(bitPattern: row.int())
        target = row.optionalBytes()
        attributes = AttributeCoding.decode(row.optionalBytes())
        state = ContentState(rawValue: UInt8(clamping: row.int())) ?? .none
        place = ContentPlace(rawValue: UInt8(clamping: row.int())) ?? .state
        divergence = Divergence(rawValue: UInt8(clamping: row.int())) ?? .written
        isUnflushed = row.int() != 0
        unsynced = Unsynced(rawValue: UInt8(clamping: row.int())) ?? .furtherEdit
        generation = row.int()
        basis = row.text().map(Revision.init)
        sourceScope = row.optionalInt()
        sourceItem = row.identifier(ItemID.self)
        sourceRevision = row.text().map(Revision.init)
        sourceDigest = row.optionalBytes().flatMap { Digest(bytes: $0) }
        sourceSize = row.optionalInt().map { UInt64(clamping: $0) }
        wanted = UInt64(clamping: row.int())
        pin = PinState(rawValue: UInt8(clamping: row.int())) ?? .inherited
    }

    /// Binds all columns but `ino`.
    func bind(to statement: Statement) {
        statement.bind(scope)
        statement.bind(item)
        statement.bind(parent)
        statement.bind(name.bytes)
        statement.bind(Int64(isExcluded ? 1 : 0))
        statement.bind(conflictOf)
        statement.bind(Int64(isDeparting ? 1 : 0))
        statement.bind(error)
        bindState(to: statement)
    }

    /// Binds ``stateColumns``.
    func bindState(to statement: Statement) {
        statement.bind(Int64(mode))
        statement.bind(Int64(links))
        statement.bind(Int64(owner))
        statement.bind(Int64(group))
        statement.bind(Int64(clamping: size))
        statement.bind(modified)
        statement.bind(changed)
        statement.bind(Int64(bitPattern: device))
        statement.bind(target)
        statement.bind(AttributeCoding.encode(attributes))
        statement.bind(Int64(state.rawValue))
        statement.bind(Int64(place.rawValue))
        statement.bind(Int64(divergence.rawValue))
        statement.bind(Int64(isUnflushed ? 1 : 0))
        statement.bind(Int64(unsynced.rawValue))
        statement.bind(generation)
        statement.bind(basis?.token)
        statement.bind(sourceScope)
        statement.bind(sourceItem)
        statement.bind(sourceRevision?.token)
        statement.bind(sourceDigest?.bytes)
        statement.bind(sourceSize.map { Int64(clamping: $0) })
        statement.bind(Int64(wanted))
        statement.bind(Int64(pin.rawValue))
    }

    /// Whether only ``stateColumns`` differ.
    func isInPlace(of other: LocalItem) -> Bool {
        ino == other.ino && scope == other.scope && item == other.item && parent == other.parent
            && name == other.name && isExcluded == other.isExcluded
            && conflictOf == other.conflictOf && isDeparting == other.isDeparting
            && error == other.error
    }
}

extension Statement {
    func timestamp() -> Timestamp {
        let seconds = int()
        return Timestamp(seconds: seconds, nanoseconds: UInt32(clamping: min(int(), 999_999_999)))
    }

    func bind(_ time: Timestamp) {
        bind(time.seconds)
        bind(Int64(time.nanoseconds))
    }
}
