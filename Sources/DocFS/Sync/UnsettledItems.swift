/// Items that the user has changed and that have not settled yet (S14).
struct UnsettledItems {
    /// The moments of the first and the last change of an item since it was taken last.
    private struct Change {
        let first: UInt64
        var last: UInt64
    }

    /// How long an item may go on being changed before it is taken all the same, in nanoseconds.
    private static let patience: UInt64 = 30_000_000_000

    private var changes: [ItemID: Change] = [:]
    /// None of them changed last before this moment; `nil` when there are none.
    private(set) var oldest: UInt64?

    var count: Int { changes.count }

    /// When an item changed last; `nil` when it does not wait here.
    func last(of item: ItemID) -> UInt64? { changes[item]?.last }

    mutating func add(_ items: Set<ItemID>, at now: UInt64) {
        for item in items { changes[item, default: Change(first: now, last: now)].last = now }
        oldest = oldest ?? now
    }

    mutating func remove(_ items: Set<ItemID>) {
        for item in items { changes[item] = nil }
        oldest = changes.values.map(\.last).min()
    }

    /// Takes those that have settled, or have been changed for too long, with their last changes.
    ///
    /// - Parameter settle: nanoseconds after its last change when an item has settled.
    mutating func take(at now: UInt64, settle: UInt64) -> [(item: ItemID, last: UInt64)] {
        guard let oldest, oldest + settle <= now else { return [] }
        let patience = max(Self.patience, settle)
        return take { change in
            change.last + settle <= now || change.first + patience <= now
        }
    }

    /// The same, leaving for a while those that others were changed soon after which are not taken.
    ///
    /// - Parameters:
    ///   - settle: nanoseconds after its last change when an item has settled.
    ///   - gap: so many nanoseconds after a change the next one belongs to it.
    mutating func takeGroups(at now: UInt64, settle: UInt64, gap: UInt64)
        -> [(item: ItemID, last: UInt64)]
    {
        guard let oldest, oldest + settle + gap <= now else { return [] }
        let moments = changes.values.map(\.last).sorted()
        // Up to there everything is taken; without end nothing is waited for.
        var end = now < 2 * settle ? 0 : now - 2 * settle
        for (index, moment) in moments.enumerated() where moment + settle + gap <= now {
            let isLast = index + 1 == moments.count || moments[index + 1] - moment >= gap
            if isLast { end = max(end, moment) }
        }
        let patience = max(Self.patience, settle)
        return take { change in change.last <= end || change.first + patience <= now }
    }

    private mutating func take(_ isDue: (Change) -> Bool) -> [(item: ItemID, last: UInt64)] {
        let due = changes.filter { isDue($0.value) }
        for item in due.keys { changes[item] = nil }
        oldest = changes.values.map(\.last).min()
        return due.map { (item: $0.key, last: $0.value.last) }
    }
}
