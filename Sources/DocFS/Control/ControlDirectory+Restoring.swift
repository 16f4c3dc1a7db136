/// Moves out of the trash (S19).
extension ControlDirectory {
    /// - Throws: `.notPermitted` for everything but a move from a scope's trash into that scope,
    ///   and `.accessDenied` for what the caller may not read.
    package func restore(
        _ name: Name, in parent: FileNumber, as newName: Name, in newParent: FileNumber,
        isReplacing: Bool, caller: Caller
    ) throws(DocFSError) {
        guard case .trashDirectory(let id, let path) = try places.place(of: parent),
            newParent.isCatalogRow, let scope = scopes.first(where: { $0.id == id })
        else { throw .notPermitted }
        try catalog.bulletin.refuseReadOnly(id)
        let now = wallTime()
        let requester = Requester(
            user: caller.user, groups: Set(groups(caller.thread)).union([caller.group]))
        let restored = try catalog.write { (write) throws(DocFSError) in
            let tree = trash(of: id, in: write.read)
            guard let source = try tree.child(name, of: path) else { throw DocFSError.notFound }
            var restoring = Restoring(
                write: write, scope: scope, tree: tree, requester: requester, now: now,
                isReplacing: isReplacing)
            try restoring.restore(source, from: path, as: newName, in: Int64(newParent.value))
            return restoring.outcome
        }
        announce(restored)
    }

    /// What the kernel knew as deleted it knows as rows of the scope from now on.
    private func announce(_ restored: Restoring.Outcome) {
        for (place, ino) in restored.moved {
            guard let number = places.giveUp(place) else { continue }
            let row = FileNumber(UInt64(ino))
            invalidator.renumbered(number, to: row)
            documents.retain(ino)
            invalidator.attributesChanged(of: row)
        }
        if let replaced = restored.replaced { documents.unlinked(replaced) }
        for ino in restored.wanted {
            // It stays on this device: what cannot be had now is asked for again, and by a read.
            try? documents.hydrate(ino)
        }
    }
}
