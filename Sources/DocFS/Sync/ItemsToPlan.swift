/// Items that are to be planned, in their order.
///
/// An item that is queued twice before its turn is there once, at the earlier place: planning reads
/// the state of that moment.
struct ItemsToPlan {
    private var order: ArraySlice<ItemID> = []
    private var members: Set<ItemID> = []

    var isEmpty: Bool { order.isEmpty }

    mutating func append(_ item: ItemID) {
        if members.insert(item).inserted { order.append(item) }
    }

    static func += (queue: inout ItemsToPlan, items: some Sequence<ItemID>) {
        for item in items { queue.append(item) }
    }

    /// Takes the first items, at most `limit` of them.
    mutating func take(atMost limit: Int) -> ArraySlice<ItemID> {
        let first = order.prefix(limit)
        order.removeFirst(first.count)
        members.subtract(first)
        return first
    }
}
