/// Decides what becomes of what this device has at a place that the store gave to another item.
package enum NamePlanner {
    package enum Room: Hashable, Sendable {
        /// It is that item, whatever it was called until now.
        case merge
        /// It leaves the name for the moment: its own plan gives it another place, or none.
        case park
        /// It gets a name beside it.
        case setAside(Aside)
        /// It goes: there is nothing of it.
        case hide
        /// The bytes have to be hashed before that is known.
        case hash
    }

    /// As what something is set aside.
    package enum Aside: Hashable, Sendable {
        /// As a conflict version of the item that takes its place (S16).
        case version
        /// As a document or directory of its own.
        case itself
        /// As what lives on this device only, and is nobody's conflict (S15).
        case onlyHere
    }

    /// - Parameters:
    ///   - local: what is at the place; `nil` for what no store can hold, as a pipe.
    ///   - base: what this device and the store agreed on of it.
    ///   - remote: where the store has it, with what.
    ///   - isHere: it is known to be the item that takes the place, though not by its identity.
    ///   - item: what takes the place.
    package static func room(
        local: LocalView?, base: ItemState?, remote: ItemState?, isHere: Bool, for item: ItemState
    ) -> Room {
        guard let local else { return .setAside(.onlyHere) }
        if isHere { return .merge }
        if base == nil, remote == nil { return room(forNew: local, item) }
        let isAway = base.map { $0.parent != local.parent || $0.name != local.name } ?? false
        // A user of this device moved it here: its name was given away meanwhile.
        if isAway { return .setAside(.itself) }
        guard remote == nil else { return .park }
        // Deleted elsewhere, and made anew: what is in it here stays in a directory of that name.
        if local.kind == .directory, item.kind == .directory, !local.isDeparting { return .merge }
        let step = Planner.step(local: local, base: base, remote: nil)
        if step == .hide { return .park }
        return .setAside(local.holdsOnlyScratch ? .onlyHere : .itself)
    }

    /// What is new on both sides under one name.
    private static func room(forNew local: LocalView, _ item: ItemState) -> Room {
        switch (local.kind, item.content) {
        case (.directory, .directory): return .merge
        case (.symlink, .symlink(let target, _)) where target == local.target: return .merge
        case _ where local.isExcluded: return .setAside(.onlyHere)
        case _ where local.isHollow: return .hide
        case (.directory, _): return .setAside(.itself)
        case (.file, .file(let body)):
            if local.bytes == .same, local.basis == body.revision { return .merge }
            guard case .changed(let digest, body.size) = local.bytes else { break }
            guard let digest, let stored = body.digest else { return .hash }
            if digest == stored { return .merge }
        default: break
        }
        return .setAside(.version)
    }
}
