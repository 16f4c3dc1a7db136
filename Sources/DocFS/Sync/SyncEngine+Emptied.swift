internal import Logging

/// Directories of a store of objects: one that no object marks is there as long as something is in
/// it.
extension SyncEngine {
    /// Keeps the directory out of which this device is about to take the last object: it is the
    /// user's until it is removed itself.
    ///
    /// One that other programs empty goes, as it does for them. What is marked though something is
    /// left in it harms nobody.
    ///
    /// - Parameters:
    ///   - path: where the object is.
    ///   - item: whose it is, where the log still has it there.
    func keepDirectory(around path: ItemPath, without item: ItemID? = nil) async {
        guard !container.capabilities.directories else { return }
        let now = clock.now()
        keptDirectories = keptDirectories.filter { now < $0.value + Self.keptFor }
        do throws(DocFSError) {
            guard let (directory, metadata) = try emptied(by: path, item),
                // Another program may have removed it.
                try await container.store.head(path) != nil
            else { return }
            do throws(DocFSError) {
                try await container.store.makeDirectory(directory, metadata: metadata)
            } catch .exists {}
            keptDirectories[metadata.item] = now
        } catch {
            // Whoever lists next finds it gone.
            log.info("the directory of \(path) is not kept: \(error.sentence)")
        }
    }

    /// For so long a directory that was marked is not asked for again, in nanoseconds.
    private static let keptFor: UInt64 = 60_000_000_000

    /// The directory that is to stay though nothing will be in it, with what is to be kept beside
    /// the object that marks it; `nil` where none is.
    ///
    /// One that goes itself is left to those around it.
    private func emptied(by path: ItemPath, _ item: ItemID?) throws(DocFSError)
        -> (ItemPath, ObjectMetadata)?
    {
        let scopeID = scope.id
        // One more than are on their way out of it now.
        let limit = finished.count + running + 2
        var (directory, leaving) = (path.parent, item)
        while !directory.isRoot {
            let id = try catalog.read { (read) throws(DocFSError) in
                try read.remoteItem(at: directory, scope: scopeID)
            }
            if let id {
                if keptDirectories[id] != nil { return nil }
                let (state, isHere, residents) = try catalog.readConsistently {
                    (read) throws(DocFSError) in
                    // What lodges is marked when it is brought home.
                    let lodges = try read.lodging(of: id, scope: scopeID) != nil
                    return (
                        lodges ? nil : try read.state(.remote, of: id, scope: scopeID),
                        try read.local(item: id, scope: scopeID) != nil,
                        try read.remoteResidents(of: id, scope: scopeID, limit: limit)
                    )
                }
                guard let state, state.kind == .directory,
                    residents.allSatisfy({
                        $0 == leaving || inFlight.contains($0) || finished.contains($0)
                    })
                else { return nil }
                if isHere { return (directory, metadata(of: id, state)) }
            }
            // It goes itself, or has been moved away.
            (directory, leaving) = (directory.parent, id)
        }
        return nil
    }

    private func metadata(of directory: ItemID, _ state: ItemState) -> ObjectMetadata {
        ObjectMetadata(
            item: directory, operation: OperationID(using: &random), digest: nil,
            modified: state.metadata.modified, mode: state.metadata.mode)
    }
}
