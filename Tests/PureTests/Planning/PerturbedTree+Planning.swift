import TestSupport

@testable import DocFS

/// Planning one item, as `SyncEngine.plan`, `Identity` and the hashing do.
extension PerturbedTree {
    /// How many rounds over all items may pass before the trees agree.
    static let roundLimit = 16

    /// Plans all items, in another order each time, until nothing changes.
    ///
    /// - Returns: the number of rounds that changed something.
    @discardableResult
    mutating func settle(using random: inout SeededRandom) -> Int {
        for round in 0..<Self.roundLimit {
            let before = changes
            for item in items.shuffled(using: &random) { plan(item) }
            if changes == before || !violations.isEmpty { return round }
        }
        return Self.roundLimit
    }

    /// Plans an item until it rests, waits, or has had its effect on the store.
    mutating func plan(_ item: ItemID) {
        defer { settleParked() }
        restore(item)
        for _ in 0..<8 {
            let trio = trio(item)
            let step = trio.step
            for broken in StepRule.broken(by: step, trio) {
                violations.append("\(step) of \(item.low): \(broken)")
            }
            switch step {
            case .rest: return
            case .wait(.digest): return hash(item, for: item)
            case .wait: return
            // What stands in for an open document comes and goes beside the trees, and no body is
            // ever lost here.
            case .sendAside, .keepWritten: return
            case .create, .replace, .move, .describe, .remove:
                if trio.local?.isHeld != true || step != .create && step != .replace {
                    carryOut(step, item, trio)
                }
                return
            default:
                switch apply(step, item, trio) {
                case .done: continue
                case .blocked: return
                case .needsDigest(let other): return hash(other, for: item)
                }
            }
        }
        violations.append("planning \(item.low) came to no end")
    }

    /// Computes the digest of a row, and of the body in the store where that is unknown.
    private mutating func hash(_ row: ItemID, for item: ItemID) {
        if let content = local[row]?.content, local[row]?.view.kind == .file,
            local[row]?.view.bytes != .same
        {
            local[row]?.view.bytes = .changed(
                digest: Self.digest(of: content), size: Self.size(of: content))
        }
        if var state = remote[item], case .file(var body) = state.content, body.digest == nil {
            body.digest = Self.digest(of: bytes(of: state))
            state.content = .file(body)
            remote[item] = state
        }
        changes += 1
    }

    /// Identity follows the name (S14): gives `item` back to what was made anew under its name.
    private mutating func restore(_ item: ItemID) {
        guard let known = base[item], known.kind != .directory,
            let other = localChild(known.name, of: known.parent), other != item,
            var new = local[other], new.view.kind == known.kind, !new.view.isExcluded,
            known.parent == .root || local[known.parent] != nil,
            base[other] == nil, remote[other] == nil
        else { return }
        let old = local[item]
        new.view.basis = old?.view.basis ?? known.content.revision
        new.view.conflictOf = known.conflictOf
        local[item] = new
        local[other] = nil
        if var old {
            if old.view.bytes == .same { old.view.bytes = Self.changed(old.content) }
            old.view.basis = nil
            old.view.conflictOf = nil
            local[other] = old
        }
        changes += 1
    }

    /// Bytes that are not the basis's and were not hashed.
    static func changed(_ content: Int) -> LocalView.Bytes {
        .changed(digest: nil, size: size(of: content))
    }
}
