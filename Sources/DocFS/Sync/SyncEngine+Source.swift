internal import Logging

extension SyncEngine: ContentSource {
    package nonisolated var offlineReason: DocFSError? {
        if case .offline(let error) = lastReachability { error } else { nil }
    }

    package nonisolated func fetch(
        _ item: ItemID, revision: Revision, range: Range<UInt64>, into sink: any ByteSink
    ) async throws(DocFSError) {
        while lastReachability == .unknown {
            if Task.isCancelled { throw .interrupted }
            await clock.sleep(nanoseconds: Self.glance)
        }
        if let offlineReason { throw offlineReason }
        let scopeID = scopeID
        catalog.bulletin.updateHealth(of: scopeID) { $0.downloading += 1 }
        defer { catalog.bulletin.updateHealth(of: scopeID) { $0.downloading -= 1 } }
        // Another device moves a body first and records then: its new place is not known at once.
        for _ in 0..<Self.patience {
            var body = try places(of: item, at: revision)
            do throws(DocFSError) {
                return try await container.fetch(body, range: range, into: sink)
            } catch .revisionGone {
                if let place = await bodies.place(of: revision), !body.places.contains(place) {
                    body.places = [place]
                    do throws(DocFSError) {
                        return try await container.fetch(body, range: range, into: sink)
                    } catch .revisionGone {
                        await forget(place, of: revision)
                    }
                }
                // What another program has put there instead comes back from nowhere.
                if let path = try objectPath(of: item),
                    case .replaced = try await whatReplaced(revision, at: path)
                {
                    throw .revisionGone
                }
                await clock.sleep(nanoseconds: Self.pause)
            }
        }
        var body = try places(of: item, at: revision)
        let digest = try await digest(of: item, at: revision)
        if case .found(let place) = await unrecordedTrash(of: item, at: revision, digest) {
            body.places.append(place)
        }
        try await container.fetch(body, range: range, into: sink)
    }

    package nonisolated func successor(of item: ItemID, at revision: Revision) async -> Successor {
        // Whoever reads asks again, until the deadline.
        guard let path = (try? objectPath(of: item)) ?? nil,
            let found = try? await whatReplaced(revision, at: path)
        else { return .unknown }
        inbox.miss(path)
        return found
    }

    package func find(_ item: ItemID, at revision: Revision, _ digest: Digest?)
        async throws(DocFSError) -> Bool?
    {
        if bodies.place(of: revision) != nil { return true }
        switch await unrecordedTrash(of: item, at: revision, digest, isCertain: true) {
        case .found(let place):
            log.info("the body \(revision) of \(item) is at \(place), by a delete without a record")
            bodies.find(revision, at: place)
            return true
        case .unanswered: throw .offline("the container's trash could not be listed")
        case .nowhere: return false
        case .unknown: return nil
        }
    }

    /// Nothing is at a place any more that no record has told of.
    private func forget(_ place: ItemPath, of revision: Revision) {
        bodies.forget(revision, at: place)
    }

    /// Where the log has an item's object.
    nonisolated func objectPath(of item: ItemID) throws(DocFSError) -> ItemPath? {
        let scopeID = scopeID
        return try catalog.read { (read) throws(DocFSError) in
            try read.objectPath(of: item, scope: scopeID)
        }
    }

    /// What another program has put in the place of a document's body.
    private nonisolated func whatReplaced(_ revision: Revision, at path: ItemPath)
        async throws(DocFSError) -> Successor
    {
        guard let found = try await container.store.head(path), found.kind == .file,
            let other = found.revision, other != revision
        else { return .unknown }
        // What one of our devices has put there is about to be recorded, and keeps the old body.
        guard found.metadata == nil else { return .unknown }
        return .replaced(Body(size: found.size, digest: nil, revision: other))
    }

    private static var patience: Int { 5 }
    private static var pause: UInt64 { 200_000_000 }
    private static var glance: UInt64 { 20_000_000 }

    private nonisolated func places(of item: ItemID, at revision: Revision) throws(DocFSError)
        -> StoredBody
    {
        let scopeID = scopeID
        return try catalog.read { (read) throws(DocFSError) in
            var body = try EffectMaker.body(of: item, at: revision, scope: scopeID, in: read)
            // What no record tells of yet (``successor(of:at:)``).
            let reserved = ItemPath([ContainerLayout.reserved])
            if body.places.allSatisfy({ $0.isAtOrBelow(reserved) }),
                let path = try read.objectPath(of: item, scope: scopeID)
            {
                body.places.append(path)
            }
            return body
        }
    }
}
