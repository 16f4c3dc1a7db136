/// The remote tree as a change finds it at its place in the log.
package protocol TreeView {
    func state(of item: ItemID) throws(DocFSError) -> ItemState?
    func child(_ name: Name, of parent: ItemID) throws(DocFSError) -> ItemID?
    func hasChildren(_ item: ItemID) throws(DocFSError) -> Bool
}

extension Change {
    /// Why this change is void in `tree`, in words; `nil` when it counts.
    package func objection(in tree: some TreeView) throws(DocFSError) -> String? {
        let current = try tree.state(of: item)
        guard current.map(Place.init(of:)) == before else {
            return current == nil ? "the item is gone" : "the item has moved on"
        }
        guard let after else {
            return try tree.hasChildren(item) ? "the directory is not empty" : nil
        }
        if after.parent != .root {
            guard let parent = try tree.state(of: after.parent), parent.kind == .directory else {
                return "its directory is gone"
            }
        }
        if let taken = try tree.child(after.name, of: after.parent), taken != item {
            return "the name is taken"
        }
        if after.kind == .directory, after.parent != current?.parent {
            return try isBelowItself(after.parent, in: tree) ? "it would hold itself" : nil
        }
        return nil
    }

    private func isBelowItself(_ parent: ItemID, in tree: some TreeView) throws(DocFSError) -> Bool
    {
        var next = parent
        while next != .root {
            if next == item { return true }
            guard let state = try tree.state(of: next) else { return false }
            next = state.parent
        }
        return false
    }
}
