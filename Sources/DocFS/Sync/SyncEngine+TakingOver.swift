/// Containers that other programs have filled, taken over by their listings alone.
extension SyncEngine {
    /// Takes what another program has put into a directory as the listing tells it, while a
    /// container is being taken over: the store is not asked for each object.
    ///
    /// Nothing is awaited in between, so that the log says of all of them what it said of the
    /// first. One that another program removes or renames since the listing is recorded all the
    /// same, and found to be gone when its event comes or the directory is listed again.
    ///
    /// - Returns: those that have to be looked at.
    func takeAsListed(_ objects: [ObjectInfo], in directory: ItemPath) throws(DocFSError)
        -> [ObjectInfo]
    {
        // What this device sends may have been listed, or have replaced what was listed.
        guard clock.now() < takesAsListedUntil, inFlight.isEmpty else { return objects }
        let capabilities = container.capabilities
        let foreign = objects.filter { isForeign($0, capabilities) }
        guard !foreign.isEmpty, let parent = try itemOfDirectory(directory),
            // Nothing is shown below a document, which had the name first.
            try remoteState(parent)?.kind ?? .directory == .directory
        else { return objects }
        takesAsListedUntil = clock.now() + Self.takingOver
        let scopeID = scope.id
        let new = try catalog.readConsistently { (read) throws(DocFSError) in
            var new: [ObjectInfo] = []
            for object in foreign {
                let item = try read.objectItem(at: object.path, scope: scopeID)
                let leftover = try read.leftover(at: object.path, scope: scopeID)
                if item == nil, leftover == nil { new.append(object) }
            }
            return new
        }
        var taken: Set<ItemPath> = []
        for object in new where take(asListed: object, in: parent, capabilities) {
            taken.insert(object.path)
        }
        return objects.filter { !taken.contains($0.path) }
    }

    /// Whether its listing tells that no device has put an object where it is.
    private func isForeign(_ object: ObjectInfo, _ capabilities: StoreCapabilities) -> Bool {
        // A device writes its identity beside a file before others can see that.
        if capabilities.listsMetadata, capabilities.objectMetadata {
            return object.isDescribed && object.metadata == nil && object.formerItem == nil
                && clock.now() >= endOfRestoring
        }
        return ForeignAge.isSettled(object.age)
    }

    /// - Returns: whether it was taken.
    private func take(
        asListed object: ObjectInfo, in parent: ItemID, _ capabilities: StoreCapabilities
    ) -> Bool {
        guard object.kind == .file, Self.fits(object), let name = object.path.name,
            finished.item(found: name, in: parent) == nil, let content = Self.content(of: object)
        else { return false }
        let metadata = Metadata(mode: object.permissions, modified: object.modified)
        let change = Change(
            operation: OperationID(using: &random), item: ItemID(using: &random), before: nil,
            after: ItemState(parent: parent, name: name, metadata: metadata, content: content),
            object: capabilities.moves ? nil : object.path)
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
