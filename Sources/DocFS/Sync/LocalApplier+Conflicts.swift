/// Conflict versions: made, shown at the last close, and cleared by a choice.
extension LocalApplier {
    /// S16: the store's version keeps the name, the one here goes on beside it.
    mutating func divert(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard var row = trio.row, row.parent != nil, let remote = trio.remote, claim(row) else {
            return .blocked
        }
        let basis = row.basis
        let mark = ConflictMark(
            aside: trio.item, remote: remote.conflictOf, own: row.conflictOf, madeFrom: basis)
        let hasStandIn = try read.standIn(for: trio.item, scope: scope.id) != nil
        let former = try former(of: trio)
        if !hasStandIn, former?.fate == .isAwaited { return .blocked }
        var isNews = true
        if try isDropped(trio, row), let parent = row.parent {
            try unlink(&row, from: parent)
        } else if try !takePlace(of: trio, &row) {
            if let former, former.fate == .isUpdated, claim(former.row) {
                try update(former.row, by: &row, mark)
                isNews = former.made.basis != basis
            } else {
                row.item = newItem()
                row.basis = nil
                try setAside(row, marked: mark)
            }
        }
        if let row = try read.local(row.ino), row.parent != nil {
            // It is noted for one document: the one that both are versions of comes first.
            if try !passMadeSibling(from: trio, to: row) {
                var made = MadeSibling(row, of: trio.item, madeFrom: basis)
                // Whoever looked at it goes by the text that it had, or has it open still.
                made.isOpened =
                    former?.made.sibling == row.item && former?.made.isOpened == true
                try write.setMadeSibling(made, scope: scope.id)
            }
        }
        try setBase(trio.item, nil)
        try write.removeChoice(for: trio.item, scope: scope.id)
        let outcome = try show(self.trio(trio.item), as: .changed)
        if isNews { try post(conflictOf: trio.item, with: row.ino) }
        if let ino = try read.local(item: trio.item, scope: scope.id)?.ino {
            notices.append(
                .replaced(
                    item: trio.item, basis: basis ?? Revision(""),
                    shown: remote.content.revision, by: ino))
        }
        return outcome
    }

    /// S14a: the conflict version that this device made last of a document got into a conflict
    /// itself, somebody having edited it elsewhere: the next one updates what was put beside it.
    ///
    /// - Returns: whether that is so.
    private mutating func passMadeSibling(from former: Trio, to row: LocalItem)
        throws(DocFSError) -> Bool
    {
        guard let document = former.remote?.conflictOf?.document, let old = former.row,
            let made = try read.madeSibling(of: document, scope: scope.id),
            made.sibling == former.item, made.isUntouched(old)
        else { return false }
        var next = MadeSibling(row, of: document, madeFrom: made.basis)
        next.isOpened = made.isOpened
        try write.setMadeSibling(next, scope: scope.id)
        return true
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

    /// A conflict version that this device made before.
    private struct Former {
        let row: LocalItem
        let made: MadeSibling
        let fate: FormerSibling.Fate
    }

    /// S14a: the conflict version that this device made last of a document, while it lies beside
    /// that.
    private func former(of trio: Trio) throws(DocFSError) -> Former? {
        guard let row = trio.row,
            let made = try read.madeSibling(of: trio.item, scope: scope.id)
        else { return nil }
        let sibling = try self.trio(made.sibling)
        guard let old = sibling.row, let local = sibling.local, old.parent == row.parent else {
            return nil
        }
        var former = FormerSibling(
            local, base: sibling.base, remote: sibling.remote,
            of: trio.remote?.conflictOf?.document ?? trio.item, isUntouched: made.isUntouched(old))
        former.isOpened = made.isOpened
        former.isBeingSent = inFlight.contains(old.item)
        former.hasSameBasis = made.basis != nil && made.basis == row.basis
        former.age = now.seconds - made.changed.seconds
        return Former(row: old, made: made, fate: former.fate)
    }

    /// The row becomes the next version of a conflict version.
    private mutating func update(
        _ sibling: LocalItem, by row: inout LocalItem, _ mark: ConflictMark
    ) throws(DocFSError) {
        guard let parent = sibling.parent else { return }
        let oldName = row.name
        var old = sibling
        try unlink(&old, from: parent)
        row.item = sibling.item
        row.name = sibling.name
        row.conflictOf = sibling.conflictOf?.replaced(by: mark)
        row.basis = sibling.basis
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
        var document = trio.remote == nil ? nil : trio.remote?.conflictOf?.document ?? trio.item
        document = row.conflictOf?.document ?? document
        var plain = row.name
        if let item = row.conflictOf?.document,
            let other = try read.local(item: item, scope: scope.id)
        {
            plain = other.name
        }
        let sibling = Sibling(
            item: fresh.item, device: settings.deviceName, remark: "only what was written",
            time: now)
        fresh.name = try sibling.name(for: plain) { (name) throws(DocFSError) in
            try read.child(name, of: parent) != nil
        }
        fresh.parent = parent
        // Nothing can be merged with parts of a body.
        fresh.conflictOf = document.map { ConflictMark(of: $0) }
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
        if trio.remote == nil { return true }
        _ = try show(self.trio(trio.item), as: .changed)
        try post(conflictOf: trio.item, with: kept)
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
                let parent = row.parent, row.conflictOf?.document == document,
                row.divergence == .none,
                row.basis == revision, claim(row)
            else { continue }
            try post(.deleted, sibling, byUser: true)
            try unlink(&row, from: parent)
            try write.markPending(sibling, scope: scope.id)
            cleared.append(sibling)
        }
        if !choice.isEmpty { try write.removeChoice(for: document, scope: scope.id) }
        return cleared
    }
}
