/// Effects that took place and are not recorded yet, in their order.
///
/// There may be as many as a container has documents, when a folder is taken over: everything but
/// ``first(_:)`` costs the same however many there are.
struct FinishedEffects {
    private struct Entry: Hashable {
        var parent: ItemID
        var name: Name
    }

    /// May name effects that are gone: they are passed over when their turn comes.
    private var order: ArraySlice<OperationID> = []
    private var effects: [OperationID: FinishedEffect] = [:]
    /// How many effects there are on an item.
    private var items: [ItemID: Int] = [:]
    /// What other programs put where.
    private var found: [Entry: OperationID] = [:]

    /// Paths at which nothing was while something had yet to be recorded.
    var missed: Set<ItemPath> = []
    /// So many such paths are remembered.
    private static let missCapacity = 10_000

    mutating func miss(_ path: ItemPath) {
        if missed.count < Self.missCapacity { missed.insert(path) }
    }

    var isEmpty: Bool { effects.isEmpty }

    var count: Int { effects.count }

    /// Whether any of them is this device's own work.
    var hasOwn: Bool { effects.values.contains { $0.verb != nil || $0.isPutBack } }

    subscript(operation: OperationID) -> FinishedEffect? { effects[operation] }

    /// Whether an effect on `item` is among them.
    func contains(_ item: ItemID) -> Bool { items[item] != nil }

    /// What another program put under `name` into `parent`.
    func item(found name: Name, in parent: ItemID) -> ItemID? {
        found[Entry(parent: parent, name: name)].flatMap { effects[$0]?.change.item }
    }

    /// The effect that makes a document of what another program put at `place`.
    func discovery(at place: Place) -> FinishedEffect? {
        guard let operation = found[Entry(parent: place.parent, name: place.name)],
            let effect = effects[operation], effect.change.before == nil
        else { return nil }
        return effect
    }

    mutating func append(_ effect: FinishedEffect) {
        let operation = effect.change.operation
        guard effects[operation] == nil else { return }
        effects[operation] = effect
        order.append(operation)
        items[effect.change.item, default: 0] += 1
        if effect.verb == nil, let entry = Self.entry(of: effect) {
            found[entry] = operation
        }
    }

    mutating func remove(_ operation: OperationID) {
        guard let effect = effects.removeValue(forKey: operation) else { return }
        let item = effect.change.item
        let left = items[item, default: 1] - 1
        items[item] = left == 0 ? nil : left
        if effect.verb == nil, let entry = Self.entry(of: effect), found[entry] == operation {
            found[entry] = nil
        }
    }

    /// The oldest ones, at most so many.
    mutating func first(_ limit: Int) -> [FinishedEffect] {
        while let operation = order.first, effects[operation] == nil { order.removeFirst() }
        var oldest: [FinishedEffect] = []
        var seen: Set<OperationID> = []
        for operation in order where seen.insert(operation).inserted {
            if oldest.count == limit { break }
            if let effect = effects[operation] { oldest.append(effect) }
        }
        return oldest
    }

    private static func entry(of effect: FinishedEffect) -> Entry? {
        effect.change.after.map { Entry(parent: $0.parent, name: $0.name) }
    }
}
