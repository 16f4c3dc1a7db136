/// Identity follows the name (S14): what is made anew under a name that the store knows keeps
/// that document's id, and what moved away from there gets a new one.
///
/// This is what makes every editor's way of saving one new version of the same document: rename
/// the original away and create anew, unlink and create, exchange with a temporary.
struct Identity {
    let write: CatalogWriter
    let scope: ScopeRecord
    let scratch: Scratch
    /// Documents that got their identities back, with the ones that their new rows had until then.
    private(set) var exchanged: [(item: ItemID, other: ItemID)] = []

    init(write: CatalogWriter, scope: ScopeRecord, scratch: Scratch) {
        self.write = write
        self.scope = scope
        self.scratch = scratch
    }

    /// Gives `item` back to the new row under its name, if there is one.
    ///
    /// - Parameter base: what this device and the store have agreed on.
    /// - Returns: the items whose rows changed.
    mutating func restore(_ item: ItemID, _ base: ItemState?) throws(DocFSError) -> [ItemID] {
        let read = write.read
        guard let base else { return [] }
        if base.kind == .directory { return try restoreDirectory(item, base) }
        let old = try read.local(item: item, scope: scope.id)
        guard var new = try read.rowMade(insteadOf: base, in: scope), old?.isDeparting != true
        else { return [] }
        let other = new.item
        new.item = item
        // A restored or copied body keeps the base of what it replaces, unless who made it had
        // seen an earlier one (S14a).
        new.basis = new.basis ?? old?.basis ?? base.content.revision
        new.conflictOf = old?.conflictOf ?? base.conflictOf
        if new.divergence == .none { new.divergence = .written }
        try write.update(new)
        try write.passVersions(of: other, to: item, scope: scope.id)
        // It has a row again, and does not go.
        try write.removeHandover(of: item, scope: scope.id)
        if var old {
            try write.passConflictMember(from: old.ino, to: new.ino)
            old.item = other
            if old.divergence == .none && old.basis != nil { old.divergence = .stored }
            old.basis = nil
            old.conflictOf = nil
            old.isExcluded = scratch.matches(old.name)
            try write.update(old)
        }
        try write.markPending(item, scope: scope.id)
        try write.markPending(other, scope: scope.id)
        exchanged.append((item, other))
        return [item, other]
    }

    /// A directory that moved to another container gives its identity to what is made under its
    /// name meanwhile: its own documents wait in it until they are safe there, and the new one
    /// would wait for them.
    private func restoreDirectory(_ item: ItemID, _ base: ItemState) throws(DocFSError) -> [ItemID]
    {
        let read = write.read
        guard try read.local(item: item, scope: scope.id) == nil,
            try read.handover(of: item, scope: scope.id) != nil,
            var new = try read.rowMade(insteadOf: base, in: scope)
        else { return [] }
        let other = new.item
        new.item = item
        try write.update(new)
        try write.removeHandover(of: item, scope: scope.id)
        try write.markPending(item, scope: scope.id)
        try write.clearPending(other, scope: scope.id)
        return try [item] + read.remoteChildren(of: item, scope: scope.id)
            + read.children(of: new.ino).map(\.item)
    }
}
