/// Which of the objects that items have left behind are removed next, and in which order.
package enum LeftoverTurn {
    /// So many are removed before other work has its turn.
    package static let limit = 256

    /// Those that have been due for longest, in groups whose objects may be removed at once.
    ///
    /// Of those that have been due for equally long documents come first, then directories, deepest
    /// first; so do the groups.
    ///
    /// - Parameters:
    ///   - due: those that may be removed now, and since when in nanoseconds.
    ///   - size: of the largest group.
    package static func groups(
        of due: [(leftover: Leftover, since: UInt64)], limit: Int = limit, size: Int
    ) -> [[Leftover]] {
        let eldest = due.map { (since: $0.since, rank: rank($0.leftover), leftover: $0.leftover) }
            .sorted {
                ($0.since, $0.rank, $0.leftover.place) < ($1.since, $1.rank, $1.leftover.place)
            }
            .prefix(limit)
        var groups: [(rank: Int, leftovers: [Leftover])] = []
        for (_, rank, leftover) in eldest.sorted(by: { $0.rank < $1.rank }) {
            if let last = groups.last, last.rank == rank, last.leftovers.count < size {
                groups[groups.count - 1].leftovers.append(leftover)
            } else {
                groups.append((rank, [leftover]))
            }
        }
        return groups.map(\.leftovers)
    }

    /// None of the leftovers of one rank is in another, or in one of a lower rank.
    private static func rank(_ leftover: Leftover) -> Int {
        leftover.revision == nil ? -leftover.place.components.count : .min
    }
}
