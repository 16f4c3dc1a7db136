/// The catalog's remote tree of one scope, as the changes of one record look at it.
///
/// Directories, which many changes look at, are read once.
final class RemoteTreeView: TreeView {
    let walks = DirectoryWalks()
    private let read: CatalogReader
    private let scope: Int64
    private var directories: [ItemID: ItemState] = [:]
    /// The item that was looked at last.
    private var last: (item: ItemID, state: ItemState?)?

    init(read: CatalogReader, scope: Int64) {
        self.read = read
        self.scope = scope
    }

    func state(of item: ItemID) throws(DocFSError) -> ItemState? {
        if let directory = directories[item] { return directory }
        if let last, last.item == item { return last.state }
        let state = try read.state(.remote, of: item, scope: scope)
        if let state, state.kind == .directory { directories[item] = state }
        last = (item, state)
        return state
    }

    /// Drops all that is known of `item`, which has changed.
    func forget(_ item: ItemID) {
        directories[item] = nil
        last = nil
    }

    func child(_ name: Name, of parent: ItemID) throws(DocFSError) -> ItemID? {
        try read.remoteChild(name, of: parent, scope: scope)
    }

    func parent(of item: ItemID) throws(DocFSError) -> ItemID? {
        if let directory = directories[item] { return directory.parent }
        return try read.remoteParent(of: item, scope: scope)
    }

    func directories(in item: ItemID) throws(DocFSError) -> [ItemID] {
        try read.remoteDirectories(in: item, scope: scope)
    }

    func hasChildren(_ item: ItemID, beside others: Set<ItemID>) throws(DocFSError) -> Bool {
        try read.remoteChildren(of: item, scope: scope, limit: others.count + 1)
            .contains { !others.contains($0) }
    }
}
