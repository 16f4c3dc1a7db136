/// One restore from the trash, within one transaction (S19).
///
/// Each deleted item becomes a placeholder again, under its own identity and with the deleted body
/// as its source: no byte travels, neither now nor when the store gets it back. It belongs to whom
/// it belonged to, as after any rename(2), and only who might read it may restore it.
struct Restoring {
    struct Outcome: Sendable {
        /// Places of the trash, and the rows that they went on as.
        var moved: [(place: ControlPlace, ino: Int64)] = []
        /// The row that lost its name to what was restored.
        var replaced: Int64?
        /// Rows whose bytes are to be fetched, since they stay on this device only (S15).
        var wanted: [Int64] = []
    }

    let write: CatalogWriter
    let scope: ScopeRecord
    let tree: TrashTree
    let requester: Requester
    let now: Timestamp
    let isReplacing: Bool
    private(set) var outcome = Outcome()

    init(
        write: CatalogWriter, scope: ScopeRecord, tree: TrashTree, requester: Requester,
        now: Timestamp, isReplacing: Bool
    ) {
        self.write = write
        self.scope = scope
        self.tree = tree
        self.requester = requester
        self.now = now
        self.isReplacing = isReplacing
    }

    private var read: CatalogReader { write.read }

    /// Restores `source`, with everything in it, from the directory of the trash at `path` as
    /// `name` in the directory `parent`.
    ///
    /// The errors are those of rename(2).
    mutating func restore(
        _ source: ControlPlace, from path: ItemPath, as name: Name, in parent: Int64
    ) throws(DocFSError) {
        guard name.isValid else { throw .invalidArgument }
        if name == ".docfs" { throw .notPermitted }
        let directory = try destination(parent)
        var isDirectory = false
        if case .trashDirectory = source { isDirectory = true }
        let old = try read.child(name, of: parent)
        if let old { try makeRoom(old, forDirectory: isDirectory) }
        let above = try ownership(ofDirectory: path)
        switch source {
        case .trashDirectory(_, let path):
            try restore(path, above, as: name, in: directory)
        case .deleted(_, let operation, let item):
            try restore(item, operation, above, as: name, in: directory, over: old)
        default: throw .notPermitted
        }
        let links = (isDirectory ? 1 : 0) - (old?.isDirectory == true ? 1 : 0)
        try write.touchDirectory(parent, links: links, now: now)
        if parent != scope.root { try write.markEdited(directory) }
    }

    /// The directory that the restored is to go to: one of the same scope, not on its way out.
    private func destination(_ ino: Int64) throws(DocFSError) -> LocalItem {
        guard let directory = try read.local(ino) else { throw .notFound }
        guard directory.isDirectory else { throw .notDirectory }
        // Another container does not have the body.
        guard directory.scope == scope.id else { throw .notPermitted }
        var next = directory
        while next.ino != scope.root {
            if next.isDeparting { throw .busy }
            guard let above = next.parent, let row = try read.local(above) else { throw .notFound }
            next = row
        }
        return directory
    }

    // MARK: What had the name

    private mutating func makeRoom(_ old: LocalItem, forDirectory isDirectory: Bool)
        throws(DocFSError)
    {
        guard isReplacing else { throw .exists }
        switch (isDirectory, old.isDirectory) {
        case (true, false): throw .notDirectory
        case (false, true): throw .isDirectory
        case (true, true): if try read.hasChildren(old.ino) { throw .notEmpty }
        case (false, false): break
        }
        try write.markEdited(old)
        var row = old
        row.parent = nil
        row.links = 0
        row.changed = now
        row.generation += 1
        try write.update(row)
        outcome.replaced = old.ino
    }

    /// Restored over a document, a body becomes the next version of that one (S25).
    private func takeOver(_ old: LocalItem, by row: inout LocalItem) throws(DocFSError) {
        guard old.kind == row.kind, !old.isExcluded, !row.isExcluded else { return }
        let isStored = try read.isStored(old.item, scope: scope.id)
        guard old.basis != nil || isStored else { return }
        row.item = old.item
        row.basis = old.basis
        // Nobody knows what the restored body was made from.
        row.conflictOf = old.conflictOf?.withoutBase
        row.pin = old.pin
        // An upload of the other one that is under way must not find its own number here.
        row.generation = old.generation + 1
    }

    // MARK: Rows

    private mutating func restore(
        _ item: ItemID, _ operation: OperationID, _ above: Ownership, as name: Name,
        in directory: LocalItem, over old: LocalItem? = nil
    ) throws(DocFSError) {
        guard let record = try read.trash(of: item, operation: operation, scope: scope.id) else {
            throw .notFound
        }
        try check(tree.ownership(of: record), in: above)
        var row = try row(
            name, in: directory, type: record.content.kind.type, metadata: record.metadata,
            item: record.item, owner: TrashTree.ownership(of: record, or: tree.owner))
        switch record.content {
        case .file(let body):
            row.size = body.size
            row.state = body.size == 0 ? .current : .none
            row.divergence = .stored
            row.sourceItem = record.item
            row.sourceRevision = body.revision
            row.sourceDigest = body.digest
            row.sourceSize = body.size
            row.wanted = body.size
        case .symlink(let target, _):
            row.target = target
            row.size = UInt64(target.count)
            row.divergence = .written
        case .directory: break
        }
        if let old { try takeOver(old, by: &row) }
        let ino = try insert(row, from: .deleted(scope: scope.id, operation: operation, item: item))
        if row.isExcluded && row.state == .none { outcome.wanted.append(ino) }
    }

    /// A directory of the trash, with all that it shows.
    private mutating func restore(
        _ path: ItemPath, _ above: Ownership, as name: Name, in directory: LocalItem
    ) throws(DocFSError) {
        let owner = try ownership(ofDirectory: path)
        try check(owner, in: above)
        let entries = try tree.entries(of: path)
        let record = try tree.directory(at: path)
        let metadata = try tree.metadata(ofDirectory: path)
        var row = try row(
            name, in: directory, type: LocalItem.typeDirectory,
            metadata: metadata ?? Metadata(mode: 0o700, modified: now), item: record?.item,
            owner: owner)
        if record == nil { row.modified = now }
        row.links = 2 + UInt32(entries.count { $0.type == LocalItem.typeDirectory })
        row.ino = try insert(row, from: .trashDirectory(scope: scope.id, path: path))
        for entry in entries {
            switch entry.place {
            case .trashDirectory(_, let path): try restore(path, owner, as: entry.name, in: row)
            case .deleted(_, let operation, let item):
                try restore(item, operation, owner, as: entry.name, in: row)
            default: break
            }
        }
    }

    private func ownership(ofDirectory path: ItemPath) throws(DocFSError) -> Ownership {
        guard let owner = try tree.ownership(ofDirectory: path) else { throw .notFound }
        return owner
    }

    /// Throws unless the caller might read `file` and take it out of the directory that it was in.
    private func check(_ file: Ownership, in directory: Ownership) throws(DocFSError) {
        guard requester.mayRemove(file, from: directory) else { throw .notPermitted }
        guard requester.user == file.user || requester.mayRead(file) else { throw .accessDenied }
    }

    /// A row of `owner`'s.
    ///
    /// It keeps the identity that it had, unless that is alive again or the row is to stay on this
    /// device.
    private func row(
        _ name: Name, in directory: LocalItem, type: UInt32, metadata: Metadata, item: ItemID?,
        owner: Ownership
    ) throws(DocFSError) -> LocalItem {
        var identity = directory.isExcluded ? nil : item
        if let item = identity, try read.local(item: item, scope: scope.id) != nil {
            identity = nil
        }
        var random = SystemRandomNumberGenerator()
        var row = LocalItem(
            scope: scope.id, item: identity ?? ItemID(using: &random), parent: directory.ino,
            name: name, mode: type | owner.mode, owner: owner.user, group: owner.group,
            modified: metadata.modified, changed: now)
        row.attributes = metadata.attributes
        row.isExcluded = directory.isExcluded
        return row
    }

    private mutating func insert(_ row: LocalItem, from place: ControlPlace) throws(DocFSError)
        -> Int64
    {
        let ino = try write.insert(row)
        try write.markEdited(row)
        outcome.moved.append((place, ino))
        return ino
    }
}
