/// The catalog's remote tree of one scope, as a change looks at it.
struct RemoteTreeView: TreeView {
    let read: CatalogReader
    let scope: Int64
    let walks: DirectoryWalks

    func state(of item: ItemID) throws(DocFSError) -> ItemState? {
        try read.state(.remote, of: item, scope: scope)
    }

    func child(_ name: Name, of parent: ItemID) throws(DocFSError) -> ItemID? {
        try read.remoteChild(name, of: parent, scope: scope)
    }

    func parent(of item: ItemID) throws(DocFSError) -> ItemID? {
        try read.remoteParent(of: item, scope: scope)
    }

    func directories(in item: ItemID) throws(DocFSError) -> [ItemID] {
        try read.remoteDirectories(in: item, scope: scope)
    }

    func hasChildren(_ item: ItemID, beside others: Set<ItemID>) throws(DocFSError) -> Bool {
        try read.remoteChildren(of: item, scope: scope, limit: others.count + 1)
            .contains { !others.contains($0) }
    }
}
