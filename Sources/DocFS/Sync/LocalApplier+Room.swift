/// Making a name free that the store gave to an item: ``NamePlanner`` decides what becomes of what
/// has it here.
extension LocalApplier {
    enum Room {
        case free
        /// What was here turned out to be the item itself.
        case merged
        case stuck(Outcome)
    }

    /// Makes `name` free in `parent` for `item`, whose place the store decided.
    mutating func makeRoom(
        _ name: Name, in parent: Int64, for item: ItemID, _ remote: ItemState
    ) throws(DocFSError) -> Room {
        guard let row = try read.child(name, of: parent), row.item != item else { return .free }
        // What is nobody's document only leaves its name: who has it open goes on.
        guard row.isExcluded || claim(row) else { return .stuck(.blocked) }
        let other = try trio(row.item)
        var isHere = isOf(remote, other)
        if !isHere { isHere = try hasMoved(other, to: item, remote) }
        let room = NamePlanner.room(
            local: other.local, base: other.base, remote: other.remote, isHere: isHere,
            for: remote)
        switch room {
        case .hash: return .stuck(.needsDigest(ino: row.ino))
        case .park: try park(row)
        case .hide: guard try hide(other) == .done else { return .stuck(.blocked) }
        case .setAside(let aside): try setAside(row, aside, of: item)
        case .merge:
            let room = try merge(row, with: item, remote, since: other.base)
            // Without a row it has gone from its old name.
            if other.base != nil { try write.markPending(other.item, scope: scope.id) }
            return room
        }
        return .free
    }

    /// Whether a row that is made of a stored body is made of this one, whatever its item is called
    /// by now: what another program put there and this device renamed, others may have recorded
    /// as a new document first.
    private func isOf(_ remote: ItemState, _ document: Trio) -> Bool {
        guard document.base == nil, document.remote == nil, let row = document.row,
            let body = remote.content.body
        else { return false }
        return row.isFile && row.divergence == .stored && row.sourceRevision == body.revision
            && !row.isExcluded && row.size == body.size
            && (row.sourceScope ?? scope.id) == scope.id
    }

    /// Whether a document that was renamed here, and nothing else, is what others recorded under
    /// its new name as `item` before this device could record the move: its identity is theirs.
    private func hasMoved(_ document: Trio, to item: ItemID, _ remote: ItemState)
        throws(DocFSError) -> Bool
    {
        guard let row = document.row, row.isFile, row.divergence == .none, !row.isExcluded,
            document.isAwayFromBase, case .file(let body) = remote.content,
            body.revision == row.basis, body.size == row.size
        else { return false }
        return try read.local(item: item, scope: scope.id) == nil
    }

    /// - Parameter base: what this device and the store agreed on of the row until it was deleted
    ///   elsewhere.
    private mutating func merge(
        _ row: LocalItem, with item: ItemID, _ remote: ItemState, since base: ItemState?
    ) throws(DocFSError) -> Room {
        // An item that is elsewhere here already cannot also be this row.
        if let present = try read.local(item: item, scope: scope.id) {
            if try !moveScratch(of: row, to: present) {
                try setAside(row, row.isExcluded ? .onlyHere : .itself, of: item)
            }
            return .free
        }
        var row = row
        let former = row.item
        try write.clearPending(former, scope: scope.id)
        row.item = item
        row.isExcluded = false
        if row.isDirectory {
            // Its entries were new below an unknown directory; now they can be sent.
            for child in try read.children(of: row.ino) {
                if var known = try read.state(.base, of: child.item, scope: scope.id),
                    known.parent == former
                {
                    // It has not moved.
                    known.parent = item
                    try setBase(child.item, known)
                }
                try write.markPending(child.item, scope: scope.id)
            }
            if let base {
                // The mode and attributes of what was deleted are not those of what was made anew.
                row.describe(
                    Planner.merge(row.metadata, base: base.metadata, remote: remote.metadata))
                row.conflictOf = remote.conflictOf
                row.changed = now
                notices.append(.described(ino: row.ino))
            }
        } else {
            row.rebase(onto: remote)
            notices.append(.sent(ino: row.ino))
        }
        try write.update(row)
        try write.passVersions(of: former, to: item, scope: scope.id)
        try setBase(item, remote)
        try write.markPending(item, scope: scope.id)
        return .merged
    }

    /// Moves what lives on this device only from one directory, which holds nothing else and is not
    /// in the store, to another one, and takes that directory away (S15).
    ///
    /// - Returns: whether it was so.
    private mutating func moveScratch(of row: LocalItem, to other: LocalItem)
        throws(DocFSError) -> Bool
    {
        guard row.isDirectory, other.isDirectory,
            try read.state(.remote, of: row.item, scope: scope.id) == nil
        else { return false }
        let children = try read.children(of: row.ino)
        guard children.allSatisfy(\.isExcluded) else { return false }
        for var child in children {
            notices.append(.entryChanged(parent: row.ino, name: child.name))
            if try read.child(child.name, of: other.ino) != nil {
                child.name = try freeName(for: child, in: other.ino, .onlyHere)
            }
            child.parent = other.ino
            child.changed = now
            try write.update(child)
            notices.append(.entryChanged(parent: other.ino, name: child.name))
            if child.isDirectory {
                try changeLinks(of: row.ino, by: -1)
                try changeLinks(of: other.ino, by: 1)
            }
        }
        return try hide(trio(row.item)) == .done
    }

    /// Gives a row a name that nobody has.
    ///
    /// - Parameter item: what takes its place.
    private mutating func setAside(
        _ row: LocalItem, _ aside: NamePlanner.Aside, of item: ItemID
    ) throws(DocFSError) {
        switch aside {
        case .version: try setAside(row, marked: ConflictMark(of: item))
        case .itself: try setAside(row, marked: nil)
        case .onlyHere: try setAside(row, marked: nil, named: .onlyHere)
        }
    }

    mutating func setAside(
        _ row: LocalItem, marked conflict: ConflictMark?, named mark: SiblingName.Mark = .conflict
    ) throws(DocFSError) {
        guard let parent = row.parent else { return }
        var row = row
        let oldName = row.name
        row.name = try freeName(for: row, in: parent, mark)
        row.conflictOf = conflict
        row.changed = now
        try write.update(row)
        try write.markPending(row.item, scope: scope.id)
        notices.append(.entryChanged(parent: parent, name: oldName))
        notices.append(.entryChanged(parent: parent, name: row.name))
    }

    /// A name beside a row's own that nobody in `directory` has.
    private func freeName(for row: LocalItem, in directory: Int64, _ mark: SiblingName.Mark)
        throws(DocFSError) -> Name
    {
        var plain = row.name
        if let first = plain.bytes.first, first == 0 { plain = Name(plain.bytes.dropFirst(33)) }
        let sibling = Sibling(item: row.item, device: settings.deviceName, mark: mark, time: now)
        return try sibling.name(for: plain) { (name) throws(DocFSError) in
            try read.child(name, of: directory) != nil
        }
    }

    /// Takes a row out of the way until the end of this transaction: NUL and its item before its
    /// name, which no user can name.
    private mutating func park(_ row: LocalItem) throws(DocFSError) {
        guard let parent = row.parent else { return }
        var row = row
        notices.append(.entryChanged(parent: parent, name: row.name))
        row.name = Name([0] + row.item.description.utf8 + row.name.bytes)
        try write.update(row)
        parked.append(row.item)
    }
}
