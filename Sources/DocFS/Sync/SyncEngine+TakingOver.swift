/// Containers that other programs have filled, taken over by their listings alone.
extension SyncEngine {
    /// Takes what another program has put into a directory as the listing tells it, while a
    /// container is being taken over: the store is not asked for each object.
    ///
    /// Nothing is awaited in between, so that the log says of all of them what it said of the
    /// first.
    ///
    /// - Returns: those that have to be looked at.
    func takeAsListed(_ objects: [ObjectInfo], in directory: ItemPath) throws(DocFSError)
        -> [ObjectInfo]
    {
        guard clock.now() < takesAsListedUntil,
            objects.contains(where: { ForeignAge.isSettled($0.age) }),
            let parent = try itemOfDirectory(directory)
        else { return objects }
        takesAsListedUntil = clock.now() + Self.takingOver
        let scopeID = scope.id
        let known = try catalog.readConsistently { (read) throws(DocFSError) in
            var known: Set<ItemPath> = []
            for object in objects where ForeignAge.isSettled(object.age) {
                let item = try read.objectItem(at: object.path, scope: scopeID)
                let leftover = try read.leftover(at: object.path, scope: scopeID)
                if item != nil || leftover != nil { known.insert(object.path) }
            }
            return known
        }
        return objects.filter { object in
            known.contains(object.path) || !take(asListed: object, in: parent)
        }
    }

    /// - Returns: whether it was taken.
    private func take(asListed object: ObjectInfo, in parent: ItemID) -> Bool {
        guard object.kind == .file, ForeignAge.isSettled(object.age), Self.fits(object),
            let name = object.path.name, finished.item(found: name, in: parent) == nil,
            let content = Self.content(of: object)
        else { return false }
        let metadata = Metadata(mode: object.permissions, modified: object.modified)
        let change = Change(
            operation: OperationID(using: &random), item: ItemID(using: &random), before: nil,
            after: ItemState(parent: parent, name: name, metadata: metadata, content: content),
            object: container.capabilities.moves ? nil : object.path)
        guard change.breach == nil else { return false }
        finished.append(
            FinishedEffect(change: change, verb: nil, sent: nil, place: object.path))
        return true
    }

    private func itemOfDirectory(_ path: ItemPath) throws(DocFSError) -> ItemID? {
        path.isRoot ? .root : try parentItem(of: path.appending(Name("entry")))
    }

    /// A container whose log tells of nothing is being taken over: none of its objects can be a
    /// document that another program has moved, whose identity is written beside it.
    func beginTakingOver() throws(DocFSError) {
        let scopeID = scope.id
        let isEmpty = try catalog.read { (read) throws(DocFSError) in
            try read.remoteItems(scope: scopeID, limit: 1).isEmpty
        }
        if isEmpty { takesAsListedUntil = clock.now() + Self.takingOver }
    }

    /// For so long after the last directory of it a takeover goes on, in nanoseconds.
    private static let takingOver: UInt64 = 30_000_000_000
}
