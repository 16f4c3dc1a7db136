@testable import DocFS

/// What must hold when nothing moves any more.
extension PerturbedTree {
    /// Whether a document that a process writes is not what it was.
    func isReplaced(_ row: Row) -> Bool {
        // Identity may have gone to another row of the same document (S14).
        !local.values.contains { $0.content == row.content && $0.view.isHeld }
    }

    /// What is wrong at rest, in words.
    ///
    /// - Parameter isDisturbed: whether something happened while items were stepping aside: another
    ///   device may have taken the name that one had for the moment.
    func faults(isDisturbed: Bool) -> [String] {
        disagreements() + losses() + crookedNames(isDisturbed: isDisturbed)
    }

    /// R3: local = base = remote, but for what lives on this device only.
    private func disagreements() -> [String] {
        items.filter { !isKept($0) }.compactMap { item in
            let (row, state) = (local[item], remote[item])
            let agree =
                row?.view.parent == state?.parent && row?.view.name == state?.name
                && row?.view.metadata == state?.metadata && row?.view.kind == state?.kind
                && row?.view.conflictOf == state?.conflictOf
                && row?.content == state.map { bytes(of: $0) }
                && base[item] == state && !(row?.view.isEdited ?? false)
            let step = trio(item).step
            return agree && step == .rest ? nil : "\(item.low) does not agree and waits: \(step)"
        }
    }

    /// S15: scratch, and a directory that was deleted elsewhere while it holds some.
    private func isKept(_ item: ItemID) -> Bool {
        guard let row = local[item], remote[item] == nil else { return false }
        if row.view.isExcluded { return base[item] == nil }
        return local.contains { $0.value.view.parent == item && isKept($0.key) }
    }

    /// R1, R6: bytes are there, or were replaced or deleted by somebody who had seen them.
    private func losses() -> [String] {
        let kept = Set(remote.values.map { bytes(of: $0) })
            .union(local.values.filter(\.view.isExcluded).map(\.content))
        return written.subtracting(overwritten).subtracting(kept).sorted().map {
            "bytes \($0) are lost"
        }
    }

    /// Every name once in its directory, every directory below the root, no name of ours left.
    private func crookedNames(isDisturbed: Bool) -> [String] {
        var faults: [String] = []
        for (item, row) in local {
            if localChild(row.view.name, of: row.view.parent) != item
                || row.view.name.bytes.first == 0
                || !isDisturbed && row.view.name.bytes.starts(with: ".exchange".utf8)
            {
                faults.append("\(item.low) has the name of another or of nobody")
            }
            var (next, depth) = (item, 0)
            while next != .root, depth < 64 {
                (next, depth) = (local[next]?.view.parent ?? next, depth + 1)
            }
            if next != .root { faults.append("\(item.low) is out of reach") }
        }
        return faults
    }
}
