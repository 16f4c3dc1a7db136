/// The tree below `.docfs`.
extension ControlDirectory {
    // MARK: Names

    /// What `name` is in the directory `place`; `nil` when it is nothing.
    func child(_ name: Name, of place: ControlPlace, in read: CatalogReader) throws(DocFSError)
        -> ControlPlace?
    {
        switch place {
        case .top: return Self.topEntries.first { $0.name == name }?.place
        case .items: return try directory(named: name, in: read)
        case .itemsBelow(let ino): return .itemList(ino: ino, pattern: name)
        case .versions: return scope(named: name).map { .mirror(ino: $0.root) }
        case .trash: return scope(named: name).map { .trashDirectory(scope: $0.id, path: .root) }
        case .mirror(let ino):
            guard let row = try read.local(ino) else { throw .stale }
            if row.isDirectory {
                return try read.child(name, of: ino).flatMap(Self.mirror)
            }
            return try versions(of: row, in: read).first { $0.name == name }?.place
        case .trashDirectory(let scope, let path):
            return try trash(of: scope, in: read).child(name, of: path)
        case .report, .itemList, .version, .deleted: throw .notDirectory
        }
    }

    /// Directories are named by their numbers, as stat(2) tells them.
    private func directory(named name: Name, in read: CatalogReader) throws(DocFSError)
        -> ControlPlace?
    {
        let ino = Int64(String(decoding: name.bytes, as: UTF8.self))
        guard let row = try ino.flatMap({ (ino) throws(DocFSError) in try read.local(ino) }),
            row.isDirectory, Name("\(row.ino)") == name
        else { return nil }
        let isShown = scopes.contains {
            $0.id == row.scope && (row.parent != nil || $0.root == row.ino)
        }
        return isShown ? .itemsBelow(ino: row.ino) : nil
    }

    private func scope(named name: Name) -> ScopeRecord? {
        scopes.first { Name($0.name) == name }
    }

    /// Below `versions` stand directories and documents: nothing else has earlier bodies.
    private static func mirror(_ row: LocalItem) -> ControlPlace? {
        row.isDirectory || row.isFile ? .mirror(ino: row.ino) : nil
    }

    private func versions(of row: LocalItem, in read: CatalogReader) throws(DocFSError)
        -> [ControlListing.Entry]
    {
        try VersionName.versions(of: row, in: read).map {
            ControlListing.Entry(
                name: $0,
                place: .version(scope: row.scope, item: $1.item, revision: $1.revision),
                type: LocalItem.typeFile)
        }
    }

    // MARK: Listing

    private static let topEntries: [ControlListing.Entry] =
        ControlReport.allCases.map {
            ControlListing.Entry(
                name: Name($0.rawValue), place: .report($0), type: LocalItem.typeFile)
        } + [
            ControlListing.Entry(
                name: "versions", place: .versions, type: LocalItem.typeDirectory),
            ControlListing.Entry(name: "items", place: .items, type: LocalItem.typeDirectory),
            ControlListing.Entry(name: "trash", place: .trash, type: LocalItem.typeDirectory),
        ]

    package func openDirectory(_ number: FileNumber) throws(DocFSError) -> any Handle {
        ControlListing(place: try places.place(of: number))
    }

    package func closeDirectory(_ directory: any Handle) {}

    package func list(
        _ directory: any Handle, from cookie: UInt64, withAttributes: Bool,
        _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        guard let listing = directory as? ControlListing else { throw .badHandle }
        try catalog.readConsistently { (read) throws(DocFSError) in
            if case .mirror(let ino) = listing.place {
                guard let row = try read.local(ino) else { return }
                if row.isDirectory {
                    return try listRows(
                        of: ino, from: cookie, withAttributes: withAttributes, in: read, each)
                }
            }
            let entries = try listing.entries(from: cookie) { () throws(DocFSError) in
                try self.entries(of: listing.place, in: read)
            }
            for (index, entry) in zip(entries.indices, entries) {
                let entry = try self.entry(
                    entry, cookie: UInt64(index + 1), withAttributes: withAttributes, in: read)
                if !each(entry) { return }
            }
        }
    }

    private func entries(of place: ControlPlace, in read: CatalogReader) throws(DocFSError)
        -> [ControlListing.Entry]
    {
        switch place {
        case .top: return Self.topEntries
        case .items:
            return scopes.map {
                ControlListing.Entry(
                    name: Name("\($0.root)"), place: .itemsBelow(ino: $0.root),
                    type: LocalItem.typeDirectory)
            }
        case .itemsBelow(let ino):
            let place = ControlPlace.itemList(ino: ino, pattern: "*")
            return [ControlListing.Entry(name: "*", place: place, type: LocalItem.typeFile)]
        case .versions, .trash:
            return scopes.map {
                let place: ControlPlace =
                    place == .trash
                    ? .trashDirectory(scope: $0.id, path: .root) : .mirror(ino: $0.root)
                return ControlListing.Entry(
                    name: Name($0.name), place: place, type: LocalItem.typeDirectory)
            }
        case .mirror(let ino):
            guard let row = try read.local(ino) else { return [] }
            return try versions(of: row, in: read)
        case .trashDirectory(let scope, let path):
            return try trash(of: scope, in: read).entries(of: path)
        case .report, .itemList, .version, .deleted: throw .notDirectory
        }
    }

    /// A directory below `versions`, page by page.
    private func listRows(
        of ino: Int64, from cookie: UInt64, withAttributes: Bool, in read: CatalogReader,
        _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        let pageSize = 128
        var last = Int64(clamping: cookie)
        while true {
            let rows = try read.children(of: ino, after: last, limit: pageSize)
            for row in rows {
                last = row.ino
                guard let place = Self.mirror(row) else { continue }
                let entry = try entry(
                    ControlListing.Entry(
                        name: row.name, place: place, type: LocalItem.typeDirectory),
                    cookie: UInt64(row.ino), withAttributes: withAttributes, in: read)
                if !each(entry) { return }
            }
            if rows.count < pageSize { return }
        }
    }

    private func entry(
        _ entry: ControlListing.Entry, cookie: UInt64, withAttributes: Bool,
        in read: CatalogReader
    ) throws(DocFSError) -> DirectoryEntry {
        let attributes = withAttributes ? try self.attributes(of: entry.place, in: read) : nil
        return DirectoryEntry(
            name: entry.name, number: attributes?.number ?? places.number(of: entry.place),
            type: entry.type, cookie: cookie, attributes: attributes)
    }

    // MARK: Attributes

    /// `nil` when the place is not there any more.
    func attributes(of place: ControlPlace, in read: CatalogReader) throws(DocFSError)
        -> FileAttributes?
    {
        switch place {
        case .top, .versions, .trash: return made(place, LocalItem.typeDirectory | 0o555)
        // What they tell of is not for everyone who may enter the mount.
        case .report, .itemList: return made(place, LocalItem.typeFile | 0o400)
        case .items, .itemsBelow: return made(place, LocalItem.typeDirectory | 0o500)
        case .mirror(let ino): return try read.local(ino).flatMap(mirrored)
        case .version(let scope, let item, let revision):
            guard let version = try read.version(of: item, revision: revision, scope: scope)
            else { return nil }
            // Never more than both let through: it as it was, and its document as it is.
            let known = version.ownership
            var mode = UInt32(version.mode ?? 0o400) & (known?.mode ?? 0o777)
            if let row = try read.local(item: item, scope: scope) { mode &= row.mode }
            return made(
                place, LocalItem.typeFile | mode & 0o444, size: version.size,
                modified: version.modified, changed: version.recorded, owner: known)
        case .trashDirectory(let scope, let path):
            let tree = trash(of: scope, in: read)
            guard let metadata = try tree.metadata(ofDirectory: path),
                let owner = try tree.ownership(ofDirectory: path)
            else { return nil }
            // Whoever restores must be allowed to take names away (rename(2)).
            return made(
                place, LocalItem.typeDirectory | owner.mode | 0o700, modified: metadata.modified,
                owner: owner)
        case .deleted(let scope, let operation, let item):
            guard let record = try read.trash(of: item, operation: operation, scope: scope) else {
                return nil
            }
            let owner = try trash(of: scope, in: read).ownership(of: record)
            return made(
                place, record.content.kind.type | owner.mode, size: record.content.size,
                modified: record.metadata.modified, changed: record.recorded, owner: owner)
        }
    }

    func trash(of scope: Int64, in read: CatalogReader) -> TrashTree {
        TrashTree(
            scope: scope, read: read,
            owner: Ownership(user: settings.owner, group: settings.group, mode: 0o7777))
    }

    /// A document is shown as a directory: whoever may read it may look through its versions, and
    /// its owner may remove them.
    private func mirrored(_ row: LocalItem) -> FileAttributes? {
        guard let place = Self.mirror(row) else { return nil }
        let readable = row.mode & 0o444
        let searchable = row.isDirectory ? row.mode & 0o111 : readable >> 2
        let removable: UInt32 = row.isDirectory ? 0 : 0o300
        return made(
            place, LocalItem.typeDirectory | readable | searchable | removable,
            modified: row.modified, owner: row.ownership)
    }

    /// - Parameter changed: when it was replaced or deleted, in seconds.
    private func made(
        _ place: ControlPlace, _ mode: UInt32, size: UInt64 = 0, modified: Timestamp? = nil,
        changed: Int64? = nil, owner: Ownership? = nil
    ) -> FileAttributes {
        let modified = modified ?? settings.born
        return FileAttributes(
            number: places.remember(place), mode: mode,
            // Of directories too: 1 says that nobody counts what is in them.
            links: 1,
            owner: owner?.user ?? settings.owner, group: owner?.group ?? settings.group,
            size: size, blocks: (size + 511) / 512, accessed: modified, modified: modified,
            changed: changed.map { Timestamp(seconds: $0) } ?? modified)
    }

    // MARK: Bodies

    /// What an earlier version or a deleted document holds; `nil` when it is not there any more,
    /// or is no file.
    func body(of place: ControlPlace, in read: CatalogReader) throws(DocFSError) -> EarlierBody? {
        switch place {
        case .version(let scope, let item, let revision):
            return try read.version(of: item, revision: revision, scope: scope).map {
                EarlierBody(
                    scope: scope, item: item, revision: revision, size: $0.size,
                    digest: $0.digest)
            }
        case .deleted(let scope, let operation, let item):
            guard let record = try read.trash(of: item, operation: operation, scope: scope),
                case .file(let body) = record.content
            else { return nil }
            return EarlierBody(
                scope: scope, item: item, revision: body.revision, size: body.size,
                digest: body.digest)
        case .top, .report, .items, .itemsBelow, .itemList, .versions, .trash, .mirror,
            .trashDirectory:
            return nil
        }
    }
}

extension ItemKind {
    /// The type bits of `st_mode`.
    var type: UInt32 {
        switch self {
        case .file: LocalItem.typeFile
        case .directory: LocalItem.typeDirectory
        case .symlink: LocalItem.typeSymlink
        }
    }
}

extension ItemContent {
    /// Bytes, as stat(2) counts them.
    var size: UInt64 {
        switch self {
        case .file(let body): body.size
        case .directory: 0
        case .symlink(let target, _): UInt64(target.count)
        }
    }
}
