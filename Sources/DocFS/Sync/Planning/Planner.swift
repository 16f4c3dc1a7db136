/// Decides what is to be done about one item, from what the three trees have of it.
///
/// Total: every combination has an answer. Repeating plan and apply reaches ``Step/rest`` in a
/// bounded number of rounds as long as nobody changes anything, because each step makes at least
/// one facet of the item (existence, bytes, place, description) agree and disturbs none that did.
///
/// The order of the facets is deliberate: existence, then bytes (the only facet that can lose
/// something), then place, then description. The place does not wait for bytes that are fetched
/// before they are shown.
package enum Planner {
    /// - Parameters:
    ///   - remoteHasChildren: for a directory, whether the store has anything in it.
    ///   - standsIn: it is the conflict version that an open document's bytes travel as (S9): this
    ///     device shows it when the document is closed.
    ///   - lodges: its object is not at its path, on a store that cannot move one.
    package static func step(
        local: LocalView?, base: ItemState?, remote: ItemState?, remoteHasChildren: Bool = false,
        standsIn: Bool = false, lodges: Bool = false
    ) -> Step {
        let step =
            standsIn
            ? .rest : agreement(local, base, remote, remoteHasChildren: remoteHasChildren)
        return lodges && (step == .rest || step == .fetch) ? .bringHome : step
    }

    /// What makes the three trees agree.
    private static func agreement(
        _ local: LocalView?, _ base: ItemState?, _ remote: ItemState?, remoteHasChildren: Bool
    ) -> Step {
        switch (local, base, remote) {
        case (nil, nil, nil): .rest
        case (nil, nil, .some): .show
        case (nil, .some, nil): .forget
        case (nil, let base?, let remote?):
            deletedHere(base: base, remote: remote, remoteHasChildren: remoteHasChildren)
        case (let local?, let base, nil): absentInStore(local: local, base: base)
        case (let local?, let base, let remote?): present(local, base, remote)
        }
    }

    /// S19, S20, S21: the delete counts for what this device had seen.
    private static func deletedHere(
        base: ItemState, remote: ItemState, remoteHasChildren: Bool
    ) -> Step {
        let isSeen =
            remote.content.revision == base.content.revision
            || base.content.holdsSameBytes(as: remote.content)
        if remote.kind != base.kind || !isSeen { return .show }
        // Whatever is still in the directory is planned first: it is deleted too, or it is new
        // there, and then showing it brings its directory back.
        return remoteHasChildren ? .wait(.children) : .remove
    }

    private static func absentInStore(local: LocalView, base: ItemState?) -> Step {
        if local.isExcluded { return .rest }
        if local.isDeparting { return base == nil ? .rest : .forget }
        if local.lacksSource { return keepWritten(local) }
        guard base != nil else { return .create }
        if local.isEdited || local.holdsNews { return .revive }
        if local.isHeld { return .wait(.writer) }
        guard local.kind == .directory, local.hasChildren else { return .hide }
        return local.holdsOnlyScratch ? .rest : .wait(.children)
    }

    private static func present(_ local: LocalView, _ base: ItemState?, _ remote: ItemState) -> Step
    {
        if local.isDeparting { return .wait(.departure) }
        if local.lacksSource { return keepWritten(local) }
        if local.kind != remote.kind { return local.isHeld ? .wait(.writer) : .divert }
        let bytes = bytes(local, base, remote)
        if let bytes, bytes != .fetch { return bytes }
        if let step = place(local, base, remote) ?? bytes { return step }
        if let step = description(local, base, remote) { return step }
        return base == remote && !local.isEdited ? .rest : .agree
    }

    private static func keepWritten(_ local: LocalView) -> Step {
        local.isHeld ? .wait(.writer) : .keepWritten
    }

    private static func bytes(_ local: LocalView, _ base: ItemState?, _ remote: ItemState) -> Step?
    {
        let isCurrent = local.basis == remote.content.revision
        if !isCurrent, let base, local.basis == base.content.revision,
            base.content.holdsSameBytes(as: remote.content)
        {
            return .retag
        }
        switch (local.bytes, remote.content) {
        case (_, .directory): return nil
        case (.same, _):
            if isCurrent { return nil }
            if local.isHeld { return .wait(.writer) }
            return fetchesFirst(local, base) ? .fetch : .refresh
        case (.changed, .symlink(let target, _)):
            if local.target == target { return nil }
            return isCurrent ? .replace : .divert
        case (.changed(let digest, let size), .file(let body)):
            if isCurrent { return .replace }
            let old = local.basis == base?.content.revision ? base?.content.body : nil
            // Equal bytes converge silently (S16): the other facets are compared with the base that
            // both edits left, and agreeing comes last.
            if size == body.size {
                guard let digest, let other = body.digest else { return .wait(.digest) }
                if digest == other { return nil }
            }
            // Saved again as it was: others have replaced what they had seen.
            if let known = old?.digest, size == old?.size {
                guard let digest else { return .wait(.digest) }
                if digest == known { return local.isHeld ? .wait(.writer) : .refresh }
            }
            return local.isHeld ? .sendAside : .divert
        }
    }

    /// Whether the bytes here stay until the store's are here as well (S9): not where it was
    /// described here, which the store is to learn without waiting for bytes.
    private static func fetchesFirst(_ local: LocalView, _ base: ItemState?) -> Bool {
        local.newer == .missing && local.metadata == base?.metadata
            && local.conflictOf == base?.conflictOf
    }

    /// Whether the store's new bytes are brought now: also while a step about the place is carried
    /// out, which may have to wait for others.
    package static func fetches(with step: Step, _ local: LocalView?) -> Bool {
        local?.newer == .missing && [.fetch, .move, .relocate, .bringHome].contains(step)
    }

    /// Where both sides moved it, the store's place counts: its order is the one that all devices
    /// see alike.
    private static func place(_ local: LocalView, _ base: ItemState?, _ remote: ItemState) -> Step?
    {
        if local.parent == remote.parent && local.name == remote.name { return nil }
        guard let base, !local.wouldHoldItself else { return .relocate }
        let movedThere = base.parent != remote.parent || base.name != remote.name
        // An item that was renamed to a scratch name stays synchronised (S15), so exclusion does
        // not matter here.
        return movedThere ? .relocate : .move
    }

    private static func description(
        _ local: LocalView, _ base: ItemState?, _ remote: ItemState
    ) -> Step? {
        if local.metadata == remote.metadata && local.conflictOf == remote.conflictOf {
            return nil
        }
        guard let base else { return .redescribe }
        let merged = merge(local.metadata, base: base.metadata, remote: remote.metadata)
        let mark = base.conflictOf == remote.conflictOf ? local.conflictOf : remote.conflictOf
        return merged == local.metadata && mark == local.conflictOf ? .describe : .redescribe
    }

    /// Mode, time and each attribute for itself: what one side changed counts, and the store's
    /// where both did.
    package static func merge(_ local: Metadata, base: Metadata, remote: Metadata) -> Metadata {
        let names = Set((local.attributes + base.attributes + remote.attributes).map(\.name))
        let attributes = names.compactMap { name in
            let (here, before, there) = (
                local.attributes.first { $0.name == name },
                base.attributes.first { $0.name == name },
                remote.attributes.first { $0.name == name }
            )
            return pick(here, before, there)
        }
        return Metadata(
            mode: pick(local.mode, base.mode, remote.mode),
            modified: pick(local.modified, base.modified, remote.modified),
            attributes: attributes)
    }

    private static func pick<Value: Equatable>(_ local: Value, _ base: Value, _ remote: Value)
        -> Value
    {
        remote == base ? local : remote
    }
}
