/// The trash of one scope as a tree: what was deleted, by the path that it had.
///
/// Several directories of one path are one directory here, and the directories that hold
/// something deleted are there whether they were deleted or not. Used within one reading of the
/// catalog.
struct TrashTree {
    let scope: Int64
    let read: CatalogReader
    /// The mount's owner, whom everything belongs to that is not known to be somebody else's.
    let owner: Ownership

    /// What bears one name in a directory.
    private struct Group {
        var name: Name
        var isDirectory = false
        var records: [TrashRecord] = []
    }

    /// Behind every path.
    private static let end = [UInt8](repeating: 0xFF, count: Name.maximumLength + 1)

    /// The bytes between which the paths below a directory lie: `/` is followed by `0`.
    private func bounds(below path: ItemPath) -> (lower: [UInt8], upper: [UInt8]) {
        path.isRoot ? ([], Self.end) : (path.bytes + [0x2F], path.bytes + [0x30])
    }

    private func records(at path: ItemPath) throws(DocFSError) -> [TrashRecord] {
        var records: [TrashRecord] = []
        try read.restorable(scope: scope, from: path.bytes, to: path.bytes + [0]) {
            records.append($0)
            return true
        }
        return records
    }

    private func hasAny(below path: ItemPath) throws(DocFSError) -> Bool {
        var hasAny = false
        let (lower, upper) = bounds(below: path)
        try read.restorable(scope: scope, from: lower, to: upper) { _ in
            hasAny = true
            return false
        }
        return hasAny
    }

    // MARK: Names

    /// What `name` is in the directory `path`.
    func child(_ name: Name, of path: ItemPath) throws(DocFSError) -> ControlPlace? {
        let full = path.appending(name)
        let records = try records(at: full)
        var isDirectory = records.contains { $0.content == .directory }
        if !isDirectory { isDirectory = try hasAny(below: full) }
        if isDirectory { return .trashDirectory(scope: scope, path: full) }
        if let only = records.first, records.count == 1 { return place(of: only) }
        // The name may be one of those that tell documents of the same path apart.
        let mark = Array(VersionName.deletedMark.utf8)
        guard name.bytes.indices.contains(where: { name.bytes[$0...].starts(with: mark) }) else {
            return nil
        }
        return try entries(of: path).first { $0.name == name }?.place
    }

    private func place(of record: TrashRecord) -> ControlPlace {
        .deleted(scope: scope, operation: record.operation, item: record.item)
    }

    /// All names of the directory `path`.
    func entries(of path: ItemPath) throws(DocFSError) -> [ControlListing.Entry] {
        let groups = try groups(of: path)
        var taken = Set(groups.map(\.name))
        var entries: [ControlListing.Entry] = []
        for group in groups {
            if group.isDirectory {
                let place = ControlPlace.trashDirectory(
                    scope: scope, path: path.appending(group.name))
                entries.append(
                    ControlListing.Entry(
                        name: group.name, place: place, type: LocalItem.typeDirectory))
            }
            let isAlone = group.records.count == 1 && !group.isDirectory
            for record in group.records {
                let name = isAlone ? group.name : Self.name(of: record, group, &taken)
                entries.append(
                    ControlListing.Entry(
                        name: name, place: place(of: record), type: record.content.kind.type))
            }
        }
        return entries
    }

    private static func name(of record: TrashRecord, _ group: Group, _ taken: inout Set<Name>)
        -> Name
    {
        var attempt = 0
        while true {
            let name = VersionName.deleted(
                group.name, recorded: record.recorded, attempt: attempt)
            if taken.insert(name).inserted { return name }
            attempt += 1
        }
    }

    private func groups(of path: ItemPath) throws(DocFSError) -> [Group] {
        var groups: [Group] = []
        var indexes: [Name: Int] = [:]
        let depth = path.components.count
        var (lower, upper) = bounds(below: path)
        var isComplete = false
        while !isComplete {
            isComplete = true
            try read.restorable(scope: scope, from: lower, to: upper) { record in
                let names = record.path.components.dropFirst(depth)
                guard let name = names.first else { return true }
                let index = indexes[name] ?? groups.count
                if index == groups.count {
                    indexes[name] = index
                    groups.append(Group(name: name))
                }
                guard names.count > 1 else {
                    if record.content == .directory {
                        groups[index].isDirectory = true
                    } else {
                        groups[index].records.append(record)
                    }
                    return true
                }
                // Whatever else lies below this name says nothing new: on behind it.
                groups[index].isDirectory = true
                lower = path.appending(name).bytes + [0x30]
                isComplete = false
                return false
            }
        }
        return groups
    }

    // MARK: Directories

    /// The directory that was deleted at this path last.
    func directory(at path: ItemPath) throws(DocFSError) -> TrashRecord? {
        try records(at: path).last { $0.content == .directory }
    }

    /// Mode and times of a directory of the trash; `nil` when it is not there.
    func metadata(ofDirectory path: ItemPath) throws(DocFSError) -> Metadata? {
        if let record = try directory(at: path) { return record.metadata }
        var isHere = path.isRoot
        if !isHere { isHere = try hasAny(below: path) }
        guard isHere else { return nil }
        if let row = try liveDirectory(at: path) { return row.metadata }
        return Metadata(mode: 0o700, modified: .zero)
    }

    /// The directory that is at this path now.
    func liveDirectory(at path: ItemPath) throws(DocFSError) -> LocalItem? {
        guard let root = try read.scope(scope)?.root else { return nil }
        var row = try read.local(root)
        for name in path.components {
            guard let directory = row else { return nil }
            row = try read.child(name, of: directory.ino)
        }
        return row.flatMap { $0.isDirectory ? $0 : nil }
    }
}
