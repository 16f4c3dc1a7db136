/// A tree with changes on top that are not applied yet.
struct PendingTreeView<Below: TreeView>: TreeView {
    private let below: Below
    private var states: [ItemID: ItemState?] = [:]
    private var entries: [Entry: ItemID] = [:]

    private struct Entry: Hashable {
        var parent: ItemID
        var name: Name
    }

    init(below: Below) { self.below = below }

    mutating func apply(_ change: Change) {
        if let old = states[change.item] ?? nil {
            entries[Entry(parent: old.parent, name: old.name)] = nil
        }
        states[change.item] = .some(change.after)
        if let new = change.after {
            entries[Entry(parent: new.parent, name: new.name)] = change.item
        }
    }

    func state(of item: ItemID) throws(DocFSError) -> ItemState? {
        if let state = states[item] { return state }
        return try below.state(of: item)
    }

    func child(_ name: Name, of parent: ItemID) throws(DocFSError) -> ItemID? {
        if let item = entries[Entry(parent: parent, name: name)] { return item }
        guard let item = try below.child(name, of: parent), states[item] == nil else { return nil }
        return item
    }

    func hasChildren(_ item: ItemID) throws(DocFSError) -> Bool {
        // The store refuses to remove a directory that is not empty: its word counts here.
        false
    }
}
