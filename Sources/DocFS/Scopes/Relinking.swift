/// The documents whose conflict versions are to be looked for soon.
struct Relinking {
    private struct Wish {
        /// Not before.
        var due: UInt64 = 0
        /// How long it has waited at a time so far.
        var delay: UInt64 = 0
    }

    /// Nanoseconds after the last move, and after the first of many.
    private static let (pause, longestPause): (UInt64, UInt64) = (1_000_000_000, 10_000_000_000)
    /// Nanoseconds between two looks at one of which it is not known yet where it belongs, at most.
    private static let longestDelay: UInt64 = 60_000_000_000

    private var wishes: [ItemID: Wish] = [:]
    /// When the first moved, and the last, in the clock's nanoseconds.
    private var (first, last): (UInt64, UInt64) = (0, 0)
    /// Whether somebody waits for the moment.
    private var isAwaited = false

    /// - Returns: in how many nanoseconds somebody is to look; `nil` if somebody will.
    mutating func note(_ document: ItemID, at now: UInt64) -> UInt64? {
        if !wishes.values.contains(where: { $0.due == 0 }) { first = now }
        last = now
        wishes[document] = Wish()
        return wake()
    }

    /// It is not known yet where a document belongs, which was looked for after `delay`.
    mutating func postpone(_ document: ItemID, after delay: UInt64, at now: UInt64) -> UInt64? {
        let next = min(max(delay * 2, Self.pause), Self.longestDelay)
        if wishes[document] == nil { wishes[document] = Wish(due: now + next, delay: next) }
        return wake()
    }

    private mutating func wake() -> UInt64? {
        defer { isAwaited = true }
        return isAwaited ? nil : Self.pause
    }

    /// Those whose moment has come, and in how many nanoseconds somebody is to look again.
    mutating func take(at now: UInt64) -> (
        due: [(document: ItemID, delay: UInt64)], next: UInt64?
    ) {
        let moment = min(last + Self.pause, first + Self.longestPause)
        let due = wishes.filter { now >= max($0.value.due, moment) }
        for document in due.keys { wishes[document] = nil }
        if !due.isEmpty { first = now }
        isAwaited = !wishes.isEmpty
        let next = wishes.values.map { max($0.due, moment) }.min()
        return (
            due.map { ($0.key, $0.value.delay) }, next.map { $0 > now ? $0 - now : Self.pause }
        )
    }
}
