/// What readers of events have been told, while there are any (S29).
struct Telling {
    /// What is known of what this device's user was about when somebody began to read.
    var isBegun = false
    /// How items were told of that the user of this device has changed, until the store has them
    /// so; `nil` for those that were not there.
    var shown: [ItemID: ShownItem?] = [:]
    /// Who has recorded something last of an item that is not at rest yet.
    var records: [ItemID: LastRecord] = [:]
    /// Items that have come to rest since what the user does was told last.
    var rested: Set<ItemID> = []
    /// The conflict versions that are known, with their documents.
    private(set) var siblings: [ItemID: ItemID] = [:]
    private var counts: [ItemID: Int] = [:]

    /// Who has changed an item that is at rest now; `nil` where that is not known.
    func author(of item: ItemID) -> DocumentEvent.Author? {
        if shown[item] == .some(nil) { return .here }
        if let device = records[item]?.device { return .device(device) }
        return shown[item] == nil ? nil : .here
    }

    /// `sibling` is a conflict version of `document` from now on, or of none.
    mutating func set(_ sibling: ItemID, of document: ItemID?) {
        if let former = siblings[sibling] { counts[former, default: 1] -= 1 }
        siblings[sibling] = document
        if let document { counts[document, default: 0] += 1 }
    }

    /// Whether `document` has conflict versions that are known.
    func isInConflict(_ document: ItemID) -> Bool { counts[document, default: 0] > 0 }

    /// Two items have exchanged their rows.
    mutating func exchange(_ item: ItemID, _ other: ItemID) {
        // Where the new row was not told of, all of it is the document's change.
        guard case .some(.some) = shown[other] else { return }
        let former = shown.updateValue(shown[other] ?? nil, forKey: item)
        shown[other] = former
    }

    /// Directories have moved, and with them all that was told of in them.
    mutating func follow(_ moves: [(from: ItemPath, to: ItemPath)]) {
        if moves.isEmpty { return }
        // Of a directory within another one that has moved, its own move counts.
        let moves = moves.sorted { $1.from.components.count < $0.from.components.count }
        for case (let item, let known?) in shown {
            guard let move = moves.first(where: { known.path.isBelow($0.from) }) else { continue }
            var known = known
            let rest = known.path.components[move.from.components.count...]
            known.path = ItemPath(move.to.components + rest)
            shown.updateValue(known, forKey: item)
        }
    }
}

extension ItemPath {
    fileprivate func isBelow(_ other: ItemPath) -> Bool { self != other && isAtOrBelow(other) }
}
