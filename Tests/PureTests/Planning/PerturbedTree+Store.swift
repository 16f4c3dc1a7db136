@testable import DocFS

/// The steps about the store, as `EffectMaker`, the container and `LogApplier` carry them out.
extension PerturbedTree {
    mutating func carryOut(_ step: Step, _ item: ItemID, _ trio: Situation) {
        switch step {
        case .create: create(item)
        case .replace: replace(item)
        case .move: move(item)
        case .describe: describe(item)
        case .remove:
            if hasRemoteChildren(item) { violations.append("a directory with children removed") }
            remote[item] = nil
            base[item] = nil
            changes += 1
        default: break
        }
    }

    private mutating func create(_ item: ItemID) {
        guard let row = local[item], isDirectoryInStore(row.view.parent) else { return }
        var name = row.view.name
        if let taken = remoteChild(name, of: row.view.parent) {
            guard waits(taken, for: item) else { return }
            name = Self.exchangeName(of: item)
        }
        let state = ItemState(
            parent: row.view.parent, name: name, metadata: row.view.metadata,
            content: store(row.content, kind: row.view.kind), conflictOf: row.view.conflictOf)
        remote[item] = state
        base[item] = state
        if state.kind != .directory { rebase(item, onto: state) }
        changes += 1
    }

    private mutating func replace(_ item: ItemID) {
        guard let row = local[item], var state = remote[item] else { return }
        state.content = store(row.content, kind: row.view.kind)
        state.metadata = row.view.metadata
        state.conflictOf = row.view.conflictOf
        remote[item] = state
        var known = base[item] ?? state
        known.content = state.content
        known.metadata = state.metadata
        known.conflictOf = state.conflictOf
        base[item] = known
        rebase(item, onto: state)
        changes += 1
    }

    private mutating func move(_ item: ItemID) {
        guard let view = local[item]?.view, var state = remote[item],
            isDirectoryInStore(view.parent)
        else { return }
        let parent = view.parent
        var name = view.name
        if let taken = remoteChild(name, of: parent), taken != item {
            guard waits(taken, for: item) else { return }
            name = Self.exchangeName(of: item)
            if state.parent == parent, state.name == name { return }
        }
        if view.kind == .directory, liesInStore(parent, below: item) { return }
        (state.parent, state.name) = (parent, name)
        let old = state.content.revision
        if renewsRevisions { state.content = renewed(state) }
        remote[item] = state
        if base[item] == nil { base[item] = state }
        base[item]?.parent = parent
        base[item]?.name = name
        acknowledge(item, state, replacing: old)
    }

    private mutating func describe(_ item: ItemID) {
        guard let view = local[item]?.view, var state = remote[item] else { return }
        state.metadata = view.metadata
        state.conflictOf = view.conflictOf
        let old = state.content.revision
        if renewsRevisions { state.content = renewed(state) }
        remote[item] = state
        var known = base[item] ?? state
        known.metadata = state.metadata
        known.conflictOf = state.conflictOf
        known.content = state.content
        base[item] = known
        acknowledge(item, state, replacing: old)
    }

    private mutating func acknowledge(
        _ item: ItemID, _ state: ItemState, replacing old: Revision?
    ) {
        if local[item]?.view.basis == old { local[item]?.view.basis = state.content.revision }
        changes += 1
    }

    /// The same bytes under a new revision.
    mutating func renewed(_ state: ItemState) -> ItemContent {
        guard case .file(let body) = state.content else { return state.content }
        return store(bytes(of: state), kind: .file, isHashed: body.digest != nil)
    }

    private static func exchangeName(of item: ItemID) -> Name { Name(".exchange-\(item.low)") }

    /// Whether `item` waits for `end` to have its place, through any number of others.
    private func waits(_ item: ItemID, for end: ItemID) -> Bool {
        var open = [item]
        var seen: Set<ItemID> = []
        while let next = open.popLast() {
            if next == end { return true }
            if seen.insert(next).inserted { open += whatHinders(next) }
        }
        return false
    }

    private func whatHinders(_ item: ItemID) -> [ItemID] {
        guard let view = local[item]?.view else {
            return remote.filter { $0.value.parent == item }.keys.sorted()
        }
        if view.parent != .root, remote[view.parent] == nil { return [view.parent] }
        let taken = remoteChild(view.name, of: view.parent)
        return taken == item ? [] : taken.map { [$0] } ?? []
    }

    func liesInStore(_ directory: ItemID, below item: ItemID) -> Bool {
        var next = directory
        while next != .root, next != item, let state = remote[next] { next = state.parent }
        return next == item
    }
}
