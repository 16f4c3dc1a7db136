/// One rename(2) inside its transaction.
struct CloudRename {
    let scope: CloudScope
    let transaction: CatalogWriter
    let now: Timestamp
    let from: LocalItem
    let to: LocalItem
    /// What the bytes were made from, where that is known.
    let base: Revision?
    /// What a save under the new name is made from (S14a).
    let origin: SaveOrigin?
    /// The same of the old name, which something comes to in an exchange.
    let oldOrigin: SaveOrigin?
    /// Placeholders that left the store's tree: their bytes are wanted here.
    var toHydrate: [Int64] = []

    init(
        scope: CloudScope, transaction: CatalogWriter, now: Timestamp, from: LocalItem,
        to: LocalItem, base: Revision? = nil, origin: SaveOrigin? = nil,
        oldOrigin: SaveOrigin? = nil
    ) {
        self.scope = scope
        self.transaction = transaction
        self.now = now
        self.from = from
        self.to = to
        self.base = base
        self.origin = origin
        self.oldOrigin = oldOrigin
    }

    /// A directory can neither move below itself nor be replaced by what is below it.
    func refuseLoop(_ row: LocalItem, into directory: LocalItem, error: DocFSError)
        throws(DocFSError)
    {
        guard row.isDirectory else { return }
        var next: LocalItem? = directory
        while let above = next {
            if above.ino == row.ino { throw error }
            next = try above.parent.flatMap { (ino) throws(DocFSError) in
                try transaction.read.local(ino)
            }
        }
    }

    // MARK: The three ways

    mutating func move(_ row: LocalItem, as name: Name) throws(DocFSError) {
        var moved = row
        // One that the store has keeps its mark for the settle time, in case it is being saved.
        if let mark = row.conflictOf, try !isStored(row) {
            let document = try transaction.read.local(item: mark.document, scope: row.scope)
            let keepsMark = ConflictPlacement.keepsMark(
                hasOwnName: row.name == name, directory: to.ino, document: document?.parent)
            if !keepsMark { moved.conflictOf = nil }
        }
        try rebase(&moved, origin?.outdated)
        try place(&moved, as: name, in: to)
        try transaction.update(moved)
        try transaction.markEdited(moved)
        try touchParents(row)
    }

    mutating func replace(_ other: LocalItem, by row: LocalItem, as name: Name)
        throws(DocFSError)
    {
        switch (row.isDirectory, other.isDirectory) {
        case (true, false): throw .notDirectory
        case (false, true): throw .isDirectory
        case (true, true):
            if try transaction.read.hasChildren(other.ino) { throw .notEmpty }
        case (false, false): break
        }
        var moved = row
        let takesOver = try keepsIdentity(other, for: row)
        try scope.drop(other, now, transaction)
        if scope.catalog.hasConflictMembers {
            try transaction.passConflictMember(from: other.ino, to: row.ino)
        }
        try place(&moved, as: name, in: to)
        if takesOver {
            if !row.isExcluded { try transaction.markPending(row.item, scope: row.scope) }
            takeOver(other, by: &moved)
        }
        try transaction.update(moved)
        try transaction.markEdited(moved)
        if takesOver, row.conflictOf?.document == other.item {
            try transaction.addChoice(for: other.item, scope: other.scope)
        }
        try touchParents(row)
        if row.isDirectory { try scope.touch(to, links: -1, now, transaction) }
    }

    /// Both rows change places, and keep their identities: syncing sorts out what was a save.
    mutating func exchange(_ row: LocalItem, _ other: LocalItem) throws(DocFSError) {
        var first = row
        var second = other
        try rebase(&first, origin?.outdated)
        try rebase(&second, oldOrigin?.outdated)
        // The entry is free for a moment, so that no two rows have it.
        first.parent = nil
        try transaction.update(first)
        try place(&second, as: row.name, in: from)
        try transaction.update(second)
        try place(&first, as: other.name, in: to)
        try transaction.update(first)
        try transaction.markEdited(first)
        try transaction.markEdited(second)
        let shift = (row.isDirectory ? 1 : 0) - (other.isDirectory ? 1 : 0)
        if from.ino == to.ino {
            try scope.touch(from, now, transaction)
        } else {
            try scope.touch(from, links: -shift, now, transaction)
            try scope.touch(to, links: shift, now, transaction)
        }
    }

    private func touchParents(_ row: LocalItem) throws(DocFSError) {
        let shift = row.isDirectory ? 1 : 0
        if from.ino == to.ino { return try scope.touch(from, now, transaction) }
        try scope.touch(from, links: -shift, now, transaction)
        try scope.touch(to, links: shift, now, transaction)
    }

    // MARK: Identity

    /// Whether a document that is renamed over another one becomes a version of that one (S14).
    private func keepsIdentity(_ other: LocalItem, for row: LocalItem) throws(DocFSError) -> Bool {
        guard row.kind == other.kind, !row.isDirectory, !other.isExcluded, !to.isExcluded else {
            return false
        }
        return try isStored(other)
    }

    private func takeOver(_ other: LocalItem, by row: inout LocalItem) {
        row.item = other.item
        // Only a new file can be a save of it; other bytes may have been made from anything.
        let isSave = row.basis == nil && row.conflictOf == nil
        row.conflictOf = isSave ? other.conflictOf : other.conflictOf?.withoutBase
        row.basis = base ?? origin?.basis(over: other) ?? other.basis
        row.isExcluded = false
        if row.pin == .inherited { row.pin = other.pin }
        // The bytes of another stored body, or bytes that no store has.
        if row.isSymlink || row.sourceRevision == nil {
            row.divergence = .written
        } else if row.divergence == .none {
            row.divergence = .stored
        }
        // An upload of the other one that is under way must not find its own number here.
        row.generation = max(row.generation, other.generation) + 1
    }

    /// What is new, and comes to a name that the store knows, may be a save of what had that name:
    /// made from what its program has read of it (S14a).
    private func rebase(_ row: inout LocalItem, _ base: Revision?) throws(DocFSError) {
        guard let base, row.isFile, try !isStored(row) else { return }
        row.basis = base
    }

    /// Whether the store has, or may be about to have, this item.
    private func isStored(_ row: LocalItem) throws(DocFSError) -> Bool {
        if row.basis != nil { return true }
        return try transaction.read.isStored(row.item, scope: row.scope)
    }

    // MARK: Place and exclusion

    /// Gives a row its new entry and decides whether it lives on this device only (S15).
    private mutating func place(_ row: inout LocalItem, as name: Name, in directory: LocalItem)
        throws(DocFSError)
    {
        row.parent = directory.ino
        row.name = name
        row.changed = now
        if directory.isExcluded {
            if !row.isExcluded { try exclude(&row) }
        } else if row.isExcluded {
            if row.kind != nil && !scope.scratch.matches(name) { try include(&row) }
        } else if scope.scratch.matches(name), !row.isDirectory, try !isStored(row) {
            // As if made under this name. What is stored stays synchronised under any name.
            row.isExcluded = true
        }
    }

    /// A row and everything below it becomes the store's business.
    private func include(_ row: inout LocalItem) throws(DocFSError) {
        row.isExcluded = false
        guard row.isDirectory else { return }
        for child in try transaction.read.children(of: row.ino)
        where child.isExcluded && child.kind != nil && !scope.scratch.matches(child.name) {
            var child = child
            try include(&child)
            try transaction.update(child)
            try transaction.markEdited(child)
        }
    }

    /// A row and everything below it leaves the store: its parent is not there.
    ///
    /// What was stored goes to the trash under its old identity.
    private mutating func exclude(_ row: inout LocalItem) throws(DocFSError) {
        try transaction.markPending(row.item, scope: row.scope)
        row.item = scope.newItem()
        row.basis = nil
        row.conflictOf = nil
        row.isExcluded = true
        if row.divergence == .none, row.isFile { row.divergence = .stored }
        if row.isFile, row.state != .current { toHydrate.append(row.ino) }
        guard row.isDirectory else { return }
        for child in try transaction.read.children(of: row.ino) where !child.isExcluded {
            var child = child
            try exclude(&child)
            try transaction.update(child)
        }
    }
}
