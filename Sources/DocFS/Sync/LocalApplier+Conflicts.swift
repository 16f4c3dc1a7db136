/// Conflict versions: made, shown at the last close, and cleared by a choice.
extension LocalApplier {
    /// S16: the store's version keeps the name, the one here goes on beside it.
    mutating func divert(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard var row = trio.row, row.parent != nil, let remote = trio.remote, claim(row) else {
            return .blocked
        }
        let basis = row.basis
        if try read.standIn(for: trio.item, scope: scope.id) == nil,
            case .unsent = try former(of: trio)
        {
            return .blocked
        }
        var isNews = true
        if try isDropped(trio, row), let parent = row.parent {
            try unlink(&row, from: parent)
        } else if try !takePlace(of: trio, &row) {
            if case .update(let sibling) = try former(of: trio), claim(sibling) {
                try update(sibling, by: &row, of: trio)
                isNews = false
            } else {
                row.item = newItem()
                row.basis = nil
                try setAside(row, asVersionOf: remote.conflictOf ?? trio.item)
            }
        }
        if row.parent != nil { siblings.add(row, of: trio.item, from: basis) }
        try setBase(trio.item, nil)
        try write.removeChoice(for: trio.item, scope: scope.id)
        let outcome = try show(self.trio(trio.item))
        if isNews { try post(.conflict, trio.item, remote) }
        if let ino = try read.local(item: trio.item, scope: scope.id)?.ino {
            notices.append(
                .replaced(
                    item: trio.item, basis: basis ?? Revision(""),
                    shown: remote.content.revision, by: ino))
        }
        return outcome
    }

    /// Whether another device has deleted the sibling that had just these bytes (S17).
    private mutating func isDropped(_ trio: Trio, _ row: LocalItem) throws(DocFSError) -> Bool {
        guard let standIn = try read.standIn(for: trio.item, scope: scope.id),
            standIn.ino == row.ino, standIn.generation == row.generation,
            try read.state(.base, of: standIn.sibling, scope: scope.id) != nil,
            try read.state(.remote, of: standIn.sibling, scope: scope.id) == nil
        else { return false }
        try write.removeStandIn(for: trio.item, scope: scope.id)
        try write.markPending(standIn.sibling, scope: scope.id)
        return true
    }

    /// S9: the row becomes the conflict version that the store has of it already.
    ///
    /// - Returns: whether there is one.
    private mutating func takePlace(of trio: Trio, _ row: inout LocalItem) throws(DocFSError)
        -> Bool
    {
        guard let standIn = try read.standIn(for: trio.item, scope: scope.id) else { return false }
        try write.removeStandIn(for: trio.item, scope: scope.id)
        try write.markPending(standIn.sibling, scope: scope.id)
        guard standIn.ino == row.ino, let oldParent = row.parent,
            let sibling = try read.state(.remote, of: standIn.sibling, scope: scope.id),
            let base = try read.state(.base, of: standIn.sibling, scope: scope.id),
            let parent = try showDirectory(sibling.parent),
            case .free = try makeRoom(sibling.name, in: parent, for: standIn.sibling, sibling)
        else { return false }
        let oldName = row.name
        row.item = standIn.sibling
        row.parent = parent
        row.name = sibling.name
        row.conflictOf = sibling.conflictOf
        row.basis = base.content.revision
        row.changed = now
        if standIn.generation == row.generation {
            row.rebase(onto: base)
            notices.append(.sent(ino: row.ino))
        }
        try write.update(row)
        notices.append(.entryChanged(parent: oldParent, name: oldName))
        notices.append(.entryChanged(parent: parent, name: row.name))
        return true
    }

    /// What becomes of the conflict version that was made from the same revision as what is saved
    /// now.
    private enum Former {
        /// There is none, or it is not as it was made.
        case none
        /// Its bytes are on their way to the store, and would be nowhere: it is waited for a while.
        case unsent
        case update(LocalItem)
    }

    /// S14a: what a program saves while it stays behind goes into one conflict version.
    private func former(of trio: Trio) throws(DocFSError) -> Former {
        guard let row = trio.row,
            let item = siblings.sibling(of: trio.item, from: row.basis),
            let old = try read.local(item: item, scope: scope.id), old.parent == row.parent,
            siblings.isUntouched(old, of: trio.item, from: row.basis),
            old.conflictOf == trio.remote?.conflictOf ?? trio.item
        else { return .none }
        let age = now.seconds - old.changed.seconds
        let isAwaited = inFlight.contains(item) || (0..<Self.patience).contains(age)
        let unsent = isAwaited ? Former.unsent : Former.none
        guard let base = try read.state(.base, of: item, scope: scope.id) else { return unsent }
        // Neither this device nor another has given it another name, mark or body.
        guard let remote = try read.state(.remote, of: item, scope: scope.id),
            remote.content.revision == base.content.revision, Place(of: remote) == Place(of: base),
            remote.conflictOf == base.conflictOf, old.name == base.name
        else { return .none }
        return old.divergence == .none && old.basis == base.content.revision
            ? .update(old) : unsent
    }

    /// How long a conflict version has until it begins to be sent, before the next one is made, in
    /// seconds.
    private static let patience: Int64 = 30

    /// The row becomes the next version of a conflict version.
    private mutating func update(
        _ sibling: LocalItem, by row: inout LocalItem, of document: Trio
    ) throws(DocFSError) {
        guard let parent = sibling.parent else { return }
        let oldName = row.name
        var old = sibling
        try unlink(&old, from: parent)
        row.item = sibling.item
        row.name = sibling.name
        row.conflictOf = sibling.conflictOf
        row.basis = sibling.basis
        // What the user has said of the sibling since.
        let modified = row.modified
        if let base = document.base {
            row.describe(
                Planner.merge(row.metadata, base: base.metadata, remote: sibling.metadata))
            row.modified = modified
        }
        if row.pin == .inherited { row.pin = sibling.pin }
        // An upload of the former one that is under way must not find its own number here.
        row.generation = max(row.generation, sibling.generation) + 1
        row.changed = now
        try write.update(row)
        try write.markPending(sibling.item, scope: scope.id)
        notices.append(.entryChanged(parent: parent, name: oldName))
        notices.append(.entryChanged(parent: parent, name: row.name))
    }

    /// What is said of a document that holds just what was written into another.
    static let remnantSentence =
        "only what was written here is in it: the rest is nowhere any more"

    /// S8: what was written into a body that is nowhere any more goes on as the row `kept`, beside
    /// what the store has instead.
    ///
    /// - Returns: whether it does.
    mutating func keepWritten(_ trio: Trio, as kept: Int64) throws(DocFSError) -> Bool {
        guard trio.step == .keepWritten, var row = trio.row, let parent = row.parent,
            var fresh = try read.local(kept)
        else { return false }
        // It may have been a conflict version already.
        var document = trio.remote == nil ? nil : trio.remote?.conflictOf ?? trio.item
        document = row.conflictOf ?? document
        var plain = row.name
        if let item = row.conflictOf, let other = try read.local(item: item, scope: scope.id) {
            plain = other.name
        }
        let sibling = Sibling(
            item: fresh.item, device: settings.deviceName, remark: "only what was written",
            time: now)
        fresh.name = try sibling.name(for: plain) { (name) throws(DocFSError) in
            try read.child(name, of: parent) != nil
        }
        fresh.parent = parent
        fresh.conflictOf = document
        fresh.error = Self.remnantSentence
        fresh.changed = now
        try unlink(&row, from: parent)
        try write.update(fresh)
        try write.markPending(fresh.item, scope: scope.id)
        notices.append(.entryChanged(parent: parent, name: row.name))
        notices.append(.entryChanged(parent: parent, name: fresh.name))
        try setBase(trio.item, nil)
        try write.removeChoice(for: trio.item, scope: scope.id)
        try write.markPending(trio.item, scope: scope.id)
        guard let remote = trio.remote else { return true }
        _ = try show(self.trio(trio.item))
        try post(.conflict, trio.item, remote)
        return true
    }

    /// A document that agrees with the store, or is gone, needs nobody to stand in for it, unless
    /// it is still open.
    ///
    /// - Returns: the conflict version, which is to be planned.
    mutating func endStandIn(for trio: Trio) throws(DocFSError) -> [ItemID] {
        guard trio.local?.isHeld != true,
            let standIn = try read.standIn(for: trio.item, scope: scope.id)
        else { return [] }
        try write.removeStandIn(for: trio.item, scope: scope.id)
        try write.markPending(standIn.sibling, scope: scope.id)
        return [standIn.sibling]
    }

    /// S17: the user chose among the versions of `document`, and the store has taken the choice.
    ///
    /// What was edited, moved or opened for writing since stays.
    ///
    /// - Returns: the items that were deleted here.
    mutating func clearChosen(for document: ItemID) throws(DocFSError) -> [ItemID] {
        var cleared: [ItemID] = []
        let choice = try read.choice(for: document, scope: scope.id)
        for (sibling, revision) in choice {
            guard var row = try read.local(item: sibling, scope: scope.id),
                let parent = row.parent, row.conflictOf == document, row.divergence == .none,
                row.basis == revision, claim(row)
            else { continue }
            try unlink(&row, from: parent)
            try write.markPending(sibling, scope: scope.id)
            cleared.append(sibling)
        }
        if !choice.isEmpty { try write.removeChoice(for: document, scope: scope.id) }
        return cleared
    }
}
