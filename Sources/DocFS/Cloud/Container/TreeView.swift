/// The remote tree as a change finds it at its place in the log.
///
/// It holds no circle, and nothing deeper than ``ItemPath/maximumDepth``: no change that would make
/// either counts, and no snapshot that has either is taken.
package protocol TreeView {
    func state(of item: ItemID) throws(DocFSError) -> ItemState?
    func child(_ name: Name, of parent: ItemID) throws(DocFSError) -> ItemID?
    /// Whether a directory has anything in it beside `others`.
    func hasChildren(_ item: ItemID, beside others: Set<ItemID>) throws(DocFSError) -> Bool
    /// The directory that holds an item; `nil` when there is no such item.
    func parent(of item: ItemID) throws(DocFSError) -> ItemID?
    /// What the changes of one record have cost by now.
    var walks: DirectoryWalks { get }
    /// The directories among the entries of a directory.
    func directories(in item: ItemID) throws(DocFSError) -> [ItemID]
}

extension Change {
    /// Why this change is void in `tree`, in words; `nil` when it counts.
    package func objection(in tree: some TreeView) throws(DocFSError) -> String? {
        let current = try tree.state(of: item)
        guard current.map(Place.init(of:)) == before else {
            return current == nil ? "the item is gone" : "the item has moved on"
        }
        guard let after else {
            return try tree.hasChildren(item, beside: []) ? "the directory is not empty" : nil
        }
        if let current, (current.kind == .directory) != (after.kind == .directory) {
            return "a directory stays one"
        }
        if after.parent != .root {
            guard let parent = try tree.state(of: after.parent), parent.kind == .directory else {
                return "its directory is gone"
            }
        }
        if let taken = try tree.child(after.name, of: after.parent), taken != item {
            return "the name is taken"
        }
        guard after.parent != current?.parent else { return nil }
        return try objection(to: after, in: tree, from: current?.parent)
    }

    /// Why an item cannot come to another directory.
    ///
    /// - Parameter former: the directory that it leaves; `nil` for a new one.
    private func objection(to after: ItemState, in tree: some TreeView, from former: ItemID?)
        throws(DocFSError) -> String?
    {
        // How many names the item's path will have.
        var depth = 1
        var next = after.parent
        while next != .root {
            if next == item { return "it would hold itself" }
            depth += 1
            guard depth <= ItemPath.maximumDepth else { return Self.tooDeep }
            guard let above = try tree.parent(of: next) else { return "its directory is gone" }
            next = above
        }
        guard after.kind == .directory else { return nil }
        guard depth < ItemPath.maximumDepth else { return Self.tooDeep }
        guard let former, try depth > self.depth(in: former, tree) else { return nil }
        // A directory leaves room for a name in it, and so do those below it that come along.
        var level = [item]
        while !level.isEmpty {
            guard depth < ItemPath.maximumDepth else { return Self.tooDeep }
            var below: [ItemID] = []
            for directory in level {
                guard tree.walks.mayLook(through: directory) else { return Self.tooMany }
                below += try tree.directories(in: directory)
            }
            level = below
            depth += 1
        }
        return nil
    }

    /// How many names the path of what is in `directory` has.
    private func depth(in directory: ItemID, _ tree: some TreeView) throws(DocFSError) -> Int {
        var depth = 1
        var next = directory
        while next != .root, depth <= ItemPath.maximumDepth, let above = try tree.parent(of: next) {
            depth += 1
            next = above
        }
        return depth
    }

    private static let tooDeep = "it would lie too deep"
    private static let tooMany = "one record moves what is in it too often"
}
