@testable import DocFS

/// The steps about this device, as `LocalApplier` carries them out.
extension PerturbedTree {
    enum Outcome: Equatable {
        case done
        case blocked
        case needsDigest(ItemID)
    }

    mutating func apply(_ step: Step, _ item: ItemID, _ trio: Situation) -> Outcome {
        let before = changes
        changes += 1
        switch step {
        case .agree: agree(item)
        case .forget: base[item] = nil
        case .revive:
            local[item]?.view.basis = nil
            base[item] = nil
        case .hide:
            if trio.local?.hasChildren == true { return .blocked }
            local[item] = nil
            base[item] = nil
        case .retag: retag(item)
        case .fetch: local[item]?.view.newer = .here
        case .refresh: refresh(item)
        case .redescribe: redescribe(item)
        case .show, .relocate, .divert:
            let outcome =
                step == .show ? show(item) : step == .relocate ? relocate(item) : divert(item)
            if outcome != .done { changes = before }
            return outcome
        case .rest, .wait, .create, .replace, .move, .describe, .bringHome, .remove,
            .sendAside, .keepWritten:
            return .blocked
        }
        return .done
    }

    private mutating func agree(_ item: ItemID) {
        guard let state = remote[item] else { return }
        if state.kind != .directory { rebase(item, onto: state) }
        base[item] = state
    }

    /// The bytes here are the store's body.
    mutating func rebase(_ item: ItemID, onto state: ItemState) {
        if local[item]?.content != bytes(of: state) {
            violations.append("other bytes taken for the store's")
        }
        local[item]?.view.bytes = .same
        local[item]?.view.basis = state.content.revision
    }

    private func row(of state: ItemState) -> Row {
        var view = LocalView(
            parent: state.parent, name: state.name, metadata: state.metadata, kind: state.kind,
            basis: state.content.revision, conflictOf: state.conflictOf)
        if case .symlink(let target, _) = state.content { view.target = target }
        return Row(view: view, content: bytes(of: state))
    }

    private mutating func show(_ item: ItemID) -> Outcome {
        guard let state = remote[item], showDirectory(state.parent) else { return .blocked }
        switch makeRoom(for: item, state) {
        case .free: break
        case .merged: return .done
        case .stuck(let outcome): return outcome
        }
        local[item] = row(of: state)
        base[item] = state
        return .done
    }

    /// Shows a directory of the store where it is not shown yet.
    private mutating func showDirectory(_ item: ItemID) -> Bool {
        if item == .root { return true }
        if let row = local[item] { return row.view.kind == .directory }
        guard let state = remote[item], state.kind == .directory, showDirectory(state.parent)
        else { return false }
        return show(item) == .done
    }

    private mutating func retag(_ item: ItemID) {
        guard let state = remote[item] else { return }
        if local[item]?.view.bytes == .same {
            rebase(item, onto: state)
        } else {
            local[item]?.view.basis = state.content.revision
        }
        base[item]?.content = state.content
    }

    private mutating func refresh(_ item: ItemID) {
        guard let state = remote[item], var row = local[item] else { return }
        let metadata = Planner.merge(
            row.view.metadata, base: (base[item] ?? state).metadata, remote: state.metadata)
        let fresh = self.row(of: state)
        row.content = fresh.content
        (row.view.bytes, row.view.basis, row.view.newer) = (.same, fresh.view.basis, .unwanted)
        (row.view.target, row.view.metadata) = (fresh.view.target, metadata)
        local[item] = row
        var known = base[item] ?? state
        known.metadata = state.metadata
        known.content = state.content
        base[item] = known
    }

    private mutating func relocate(_ item: ItemID) -> Outcome {
        guard let state = remote[item], showDirectory(state.parent), let row = local[item],
            !row.view.isHeld
        else { return .blocked }
        if row.view.kind == .directory, let inside = stray(above: state.parent, below: item) {
            guard inside != item, trio(inside).step == .relocate, relocate(inside) == .done else {
                return .blocked
            }
            return relocate(item)
        }
        switch makeRoom(for: item, state) {
        case .free: break
        case .merged: return .done
        case .stuck(let outcome): return outcome
        }
        local[item]?.view.parent = state.parent
        local[item]?.view.name = state.name
        if base[item] == nil { base[item] = state }
        base[item]?.parent = state.parent
        base[item]?.name = state.name
        return .done
    }

    /// The first item from `directory` to above `item` that is not where the store has it; `nil`
    /// when `directory` does not lie below `item`.
    private func stray(above directory: ItemID, below item: ItemID) -> ItemID? {
        var chain: [ItemID] = []
        var next = directory
        while next != .root, let row = local[next] {
            if next == item { return chain.last { trio($0).step == .relocate } ?? chain.last }
            chain.append(next)
            next = row.view.parent
        }
        return nil
    }

    private mutating func redescribe(_ item: ItemID) {
        guard let state = remote[item], var row = local[item] else { return }
        let known = base[item]
        row.view.metadata = Planner.merge(
            row.view.metadata, base: (known ?? state).metadata, remote: state.metadata)
        if known == nil { row.view.metadata = state.metadata }
        if known == nil || known?.conflictOf != state.conflictOf {
            row.view.conflictOf = state.conflictOf
        }
        local[item] = row
        if known == nil { base[item] = state }
        base[item]?.metadata = state.metadata
        base[item]?.conflictOf = state.conflictOf
    }

    private mutating func divert(_ item: ItemID) -> Outcome {
        guard let state = remote[item], let row = local[item], !row.view.isHeld else {
            return .blocked
        }
        if row.view.kind == state.kind, row.content == bytes(of: state) {
            violations.append("equal bytes made a sibling of \(item.low)")
        }
        let sibling = newItem()
        rename(item, to: sibling)
        local[sibling]?.view.basis = nil
        if row.view.kind != .directory, row.view.bytes == .same {
            local[sibling]?.view.bytes = Self.changed(row.content)
        }
        setAside(sibling, as: state.conflictOf ?? ConflictMark(of: item, madeFrom: row.view.basis))
        base[item] = nil
        changes += 1
        _ = show(item)
        return .done
    }

    /// Gives a row another identity; what it holds stays in it.
    mutating func rename(_ item: ItemID, to other: ItemID) {
        local[other] = local.removeValue(forKey: item)
        for (child, row) in local where row.view.parent == item {
            local[child]?.view.parent = other
        }
    }
}
