/// A tree with changes on top that are not applied yet.
struct PendingTreeView<Below: TreeView>: TreeView {
    private let below: Below
    private var states: [ItemID: ItemState?] = [:]
    private var entries: [Entry: ItemID] = [:]
    /// What has left a directory of the tree.
    private var left: [ItemID: Set<ItemID>] = [:]
    /// A directory that counts as empty, whatever is known to be in it: the store, which refuses to
    /// remove one that is not, has removed it.
    var isEmpty: ItemID?

    private struct Entry: Hashable {
        var parent: ItemID
        var name: Name
    }

    init(below: Below) { self.below = below }

    mutating func apply(_ change: Change) {
        if let old = states[change.item] ?? nil {
            entries[Entry(parent: old.parent, name: old.name)] = nil
        }
        if let parent = change.before?.parent { left[parent, default: []].insert(change.item) }
        states[change.item] = .some(change.after)
        if let new = change.after {
            entries[Entry(parent: new.parent, name: new.name)] = change.item
        }
    }

    var walks: DirectoryWalks { below.walks }

    func state(of item: ItemID) throws(DocFSError) -> ItemState? {
        if let state = states[item] { return state }
        return try below.state(of: item)
    }

    func child(_ name: Name, of parent: ItemID) throws(DocFSError) -> ItemID? {
        if let item = entries[Entry(parent: parent, name: name)] { return item }
        guard let item = try below.child(name, of: parent), states[item] == nil else { return nil }
        return item
    }

    func parent(of item: ItemID) throws(DocFSError) -> ItemID? {
        if let state = states[item] { return state?.parent }
        return try below.parent(of: item)
    }

    func directories(in item: ItemID) throws(DocFSError) -> [ItemID] {
        let here = states.filter { $0.value?.kind == .directory && $0.value?.parent == item }
        return try here.keys.sorted() + below.directories(in: item).filter { states[$0] == nil }
    }

    func hasChildren(_ item: ItemID, beside others: Set<ItemID>) throws(DocFSError) -> Bool {
        if item == isEmpty { return false }
        if states.values.contains(where: { $0?.parent == item }) { return true }
        return try below.hasChildren(item, beside: others.union(left[item] ?? []))
    }
}
