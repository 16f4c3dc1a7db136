/// What readers of events have been told, while there are any (S29).
struct Telling {
    /// What is known of what this device's user was about when somebody began to read.
    var isBegun = false
    /// How items were told of that the user of this device has changed, until the store has them
    /// so; `nil` for those that were not there.
    var shown: [ItemID: ShownItem?] = [:]
    /// Which device's record has touched an item last that is not at rest yet.
    var recorders: [ItemID: String] = [:]
    /// Items that have come to rest since what the user does was told last.
    var rested: Set<ItemID> = []
    /// The conflict versions that are known, with their documents.
    private(set) var siblings: [ItemID: ItemID] = [:]
    private var counts: [ItemID: Int] = [:]

    /// Who has changed an item that is at rest now; `nil` where that is not known.
    func author(of item: ItemID) -> DocumentEvent.Author? {
        if let recorder = recorders[item] { return .device(recorder) }
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

    /// A directory has moved, and with it what was told of in it.
    mutating func follow(from old: ItemPath, to new: ItemPath) {
        for (item, known) in shown {
            guard var known, known.path != old, known.path.isAtOrBelow(old) else { continue }
            known.path = ItemPath(new.components + known.path.components[old.components.count...])
            shown.updateValue(known, forKey: item)
        }
    }
}
