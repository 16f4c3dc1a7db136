/// Between two containers (S24).
///
/// The row moves with its content and becomes a new document of the other container. Its old item
/// stays in the old one until the new one has been acknowledged; the bytes of a placeholder come
/// from there.
extension Transfers {
    /// Answers rename(2) from a directory of `scope` into one of `newScope`.
    func moveAcross(_ move: Move, from scope: CloudScope, to newScope: CloudScope)
        throws(DocFSError)
    {
        try newScope.check(move.newName, in: move.newParent)
        if move.mode == .exchange { try scope.check(move.name, in: move.parent) }
        let origin =
            move.mode == .exchange
            ? nil
            : try newScope.origin(ofSaveAs: move.newName, in: move.newParent, by: move.caller)
        let moved = try catalog.write { (write) throws(DocFSError) -> Moved in
            let from = try scope.directory(move.parent, in: write.read)
            let to = try newScope.directory(move.newParent, in: write.read)
            guard var row = try write.read.child(move.name, of: from.ino) else { throw .notFound }
            let other = try write.read.child(move.newName, of: to.ino)
            try refuse(row, over: other, move, write.read)
            try leave(&row, scope, from, write)
            if move.mode == .exchange, var other {
                try leave(&other, newScope, to, write)
                try handOver(&other, to: scope, as: move.name, write)
                var wanted = try enter(&other, scope, from, nil, as: move.name, nil, write)
                try handOver(&row, to: newScope, as: move.newName, write)
                wanted += try enter(&row, newScope, to, nil, as: move.newName, nil, write)
                return Moved(rows: [row, other], toHydrate: wanted)
            }
            try handOver(&row, to: newScope, as: move.newName, write)
            let wanted = try enter(
                &row, newScope, to, other, as: move.newName, origin, write)
            return Moved(rows: [row], replaced: other?.ino, toHydrate: wanted)
        }
        if let replaced = moved.replaced { contents.unlinked(replaced) }
        for row in moved.rows { contents.labelTree(row.ino) }
        // What cannot come now is asked for again: ``ContentKeeper``.
        for ino in moved.toHydrate { try? contents.hydrate(ino) }
    }

    /// What a move between containers did.
    private struct Moved: Sendable {
        var rows: [LocalItem]
        var replaced: Int64?
        /// Placeholders that left every store's tree.
        var toHydrate: [Int64]
    }

    /// Takes a row out of its directory.
    private func leave(
        _ row: inout LocalItem, _ scope: CloudScope, _ directory: LocalItem,
        _ write: CatalogWriter
    ) throws(DocFSError) {
        row.parent = nil
        try write.update(row)
        try scope.touch(directory, links: row.isDirectory ? -1 : 0, clock.wallTime(), write)
    }

    /// Gives a row that was handed over its name, over `other`.
    private func enter(
        _ row: inout LocalItem, _ scope: CloudScope, _ directory: LocalItem, _ other: LocalItem?,
        as name: Name, _ origin: SaveOrigin?, _ write: CatalogWriter
    ) throws(DocFSError) -> [Int64] {
        var rename = CloudRename(
            scope: scope, transaction: write, now: clock.wallTime(), from: directory,
            to: directory, origin: origin)
        if let other {
            try rename.replace(other, by: row, as: name)
        } else {
            try rename.move(row, as: name)
        }
        if row.isDirectory { try scope.touch(directory, links: 1, clock.wallTime(), write) }
        // What the store has under this name may be what this is to go on as (S14).
        let parent = directory.ino == scope.rootIno ? ItemID.root : directory.item
        if let stored = try write.read.remoteChild(name, of: parent, scope: scope.id) {
            try write.markPending(stored, scope: scope.id)
        }
        return rename.toHydrate
    }

    /// A row and everything below it becomes a new document of `scope`, to be called `name` there.
    func handOver(
        _ row: inout LocalItem, to scope: CloudScope, as name: Name, _ write: CatalogWriter
    ) throws(DocFSError) {
        try noteLeaving(row, as: name, write)
        let isStored = try write.read.isStored(row.item, scope: row.scope)
        if isStored {
            try write.addHandover(of: row.item, scope: row.scope, to: scope.id)
        } else {
            catalog.bulletin.noteMovedOut(row.item)
        }
        // Where the store never had it, there is still somebody who may have read of it.
        if isStored || catalog.bulletin.isWatched {
            try write.markPending(row.item, scope: row.scope)
        }
        if row.sourceRevision != nil { row.sourceScope = row.sourceScope ?? row.scope }
        row.scope = scope.id
        row.item = scope.newItem()
        row.basis = nil
        row.conflictOf = nil
        row.error = nil
        row.generation += 1
        if !row.isDirectory { row.divergence = .written }
        try write.update(row)
        guard row.isDirectory else { return }
        for child in try write.read.children(of: row.ino) {
            var child = child
            try handOver(&child, to: scope, as: child.name, write)
            try write.markEdited(child)
        }
    }
}
