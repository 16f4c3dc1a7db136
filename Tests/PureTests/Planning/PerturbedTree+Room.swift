@testable import DocFS

/// Room for a name on this device, as `LocalApplier` makes it.
extension PerturbedTree {
    enum Room {
        case free
        /// What was here turned out to be the item itself.
        case merged
        case stuck(Outcome)
    }

    /// Makes the name free that the store gave to `item`.
    mutating func makeRoom(for item: ItemID, _ state: ItemState) -> Room {
        guard let there = localChild(state.name, of: state.parent), there != item,
            let row = local[there]
        else { return .free }
        if row.view.isHeld { return .stuck(.blocked) }
        let other = trio(there)
        let room = NamePlanner.room(
            local: other.local, base: other.base, remote: other.remote, isHere: false, for: state)
        switch room {
        case .hash: return .stuck(.needsDigest(there))
        case .park: park(there)
        case .hide:
            local[there] = nil
            changes += 1
        case .setAside(let aside):
            setAside(there, as: aside == .version ? ConflictMark(of: item) : nil)
        case .merge: return merge(there, with: item, state)
        }
        return .free
    }

    private mutating func merge(_ there: ItemID, with item: ItemID, _ state: ItemState) -> Room {
        if local[item] != nil {
            setAside(there, as: nil)
            return .free
        }
        rename(there, to: item)
        if state.kind != .directory { rebase(item, onto: state) }
        base[item] = state
        return .merged
    }

    /// Gives a row a name that nobody has.
    mutating func setAside(_ item: ItemID, as version: ConflictMark?) {
        guard let view = local[item]?.view else { return }
        let plain = Self.plain(view.name)
        var attempt = 1
        var name = plain
        repeat {
            name = Name("\(plain)'\(attempt)")
            attempt += 1
        } while localChild(name, of: view.parent) != nil
        local[item]?.view.name = name
        local[item]?.view.conflictOf = version
        changes += 1
    }

    /// Takes a row out of the way until the item that needs its name is planned.
    private mutating func park(_ item: ItemID) {
        guard let name = local[item]?.view.name else { return }
        local[item]?.view.name = Name([0, UInt8(truncatingIfNeeded: item.low)] + name.bytes)
        parked.append(item)
    }

    private static func plain(_ name: Name) -> Name {
        name.bytes.first == 0 ? Name(name.bytes.dropFirst(2)) : name
    }

    /// Lets what was put aside go on: it takes its place again or gets another one.
    mutating func settleParked() {
        while let item = parked.popLast() {
            for _ in 0..<8 {
                let trio = trio(item)
                guard trio.local?.name.bytes.first == 0 else { break }
                if apply(trio.step, item, trio) == .done { continue }
                setAside(item, as: nil)
            }
        }
    }
}
