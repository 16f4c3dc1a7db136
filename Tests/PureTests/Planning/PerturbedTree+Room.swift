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
        guard other.remote == nil, other.base == nil else {
            if other.isAwayFromBase || other.remote == nil && other.step != .hide {
                setAside(there, asVersionOf: nil)
            } else {
                park(there)
            }
            return .free
        }
        switch (row.view.kind, state.content) {
        case (.directory, .directory): return merge(there, with: item, state)
        case (.symlink, .symlink(let target, _)) where target == row.view.target:
            return merge(there, with: item, state)
        case (.file, .file(let body)):
            guard case .changed(let digest, body.size) = row.view.bytes, !row.view.isExcluded
            else { break }
            guard let digest, let stored = body.digest else { return .stuck(.needsDigest(there)) }
            if digest == stored { return merge(there, with: item, state) }
        default: break
        }
        setAside(there, asVersionOf: row.view.kind == .directory ? nil : item)
        return .free
    }

    private mutating func merge(_ there: ItemID, with item: ItemID, _ state: ItemState) -> Room {
        if local[item] != nil {
            setAside(there, asVersionOf: nil)
            return .free
        }
        rename(there, to: item)
        if state.kind != .directory { rebase(item, onto: state) }
        base[item] = state
        return .merged
    }

    /// Gives a row a name that nobody has.
    mutating func setAside(_ item: ItemID, asVersionOf document: ItemID?) {
        guard let view = local[item]?.view else { return }
        let plain = Self.plain(view.name)
        var attempt = 1
        var name = plain
        repeat {
            name = Name("\(plain)'\(attempt)")
            attempt += 1
        } while localChild(name, of: view.parent) != nil
        local[item]?.view.name = name
        local[item]?.view.conflictOf = document
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
                setAside(item, asVersionOf: nil)
            }
        }
    }
}
