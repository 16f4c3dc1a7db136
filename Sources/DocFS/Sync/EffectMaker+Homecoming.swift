/// Stores that cannot move an object: it comes to its item's path once nothing lies in its way.
extension EffectMaker {
    /// The object of an item that was renamed comes to its path.
    func bringHome(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard let remote = trio.remote,
            let path = try read.lodging(of: trio.item, scope: scope.id),
            let home = try read.remotePath(of: trio.item, scope: scope.id)
        else { return .blocked }
        var destination = home
        if let hindrance = try hindrance(at: home, for: remote.kind) {
            let aside = hindrance.place.parent.appending(Self.exchangeName(of: trio.item))
            guard path != aside, try opensCircle(trio.item, behind: hindrance.lodger) else {
                return .waitsFor(hindrance.lodger)
            }
            destination = aside
        }
        return .effect(
            Effect(
                verb: .bringHome, operation: operation, item: trio.item,
                before: Place(of: remote), after: remote, kind: remote.kind, path: path,
                destination: destination))
    }

    /// An object that has yet to make way for another.
    struct Hindrance {
        /// The path that it keeps from being used: the one asked for, or a directory on the way.
        let place: ItemPath
        let lodger: ItemID
    }

    /// What keeps an object from being put at `path`.
    ///
    /// An object that lies there; a document where a directory above is to be; and for a document,
    /// whatever lies below, since a store takes a path below which there is something for a
    /// directory.
    func hindrance(at path: ItemPath, for kind: ItemKind) throws(DocFSError) -> Hindrance? {
        if objectsMove { return nil }
        var place = ItemPath.root
        for name in path.components {
            place = place.appending(name)
            guard let lodger = try read.lodger(at: place, scope: scope.id) else { continue }
            if place != path,
                try read.state(.remote, of: lodger, scope: scope.id)?.kind == .directory
            {
                continue
            }
            return Hindrance(place: place, lodger: lodger)
        }
        guard kind != .directory, let lodger = try read.lodger(below: path, scope: scope.id) else {
            return nil
        }
        return Hindrance(place: path, lodger: lodger)
    }

    /// Whether objects wait for each other in a circle that `item`, the least of them, has to open
    /// by stepping aside.
    ///
    /// - Parameter lodger: what `item` waits for; may be itself, where a document goes into a
    ///   directory of its former path, or comes out of one that had its path.
    private func opensCircle(_ item: ItemID, behind lodger: ItemID) throws(DocFSError) -> Bool {
        var next = lodger
        var seen: Set<ItemID> = []
        while next != item {
            guard item < next, seen.insert(next).inserted,
                let kind = try read.state(.remote, of: next, scope: scope.id)?.kind,
                let home = try read.remotePath(of: next, scope: scope.id),
                let hindrance = try hindrance(at: home, for: kind)
            else { return false }
            next = hindrance.lodger
        }
        return true
    }
}
