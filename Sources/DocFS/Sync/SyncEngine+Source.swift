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
            do throws(DocFSError) {
                return try await container.fetch(
                    places(of: item, at: revision), range: range, into: sink)
            } catch .revisionGone {
                await clock.sleep(nanoseconds: Self.pause)
            }
        }
        try await container.fetch(places(of: item, at: revision), range: range, into: sink)
    }

    private static var patience: Int { 5 }
    private static var pause: UInt64 { 200_000_000 }
    private static var glance: UInt64 { 20_000_000 }

    private nonisolated func places(of item: ItemID, at revision: Revision) throws(DocFSError)
        -> StoredBody
    {
        let scopeID = scopeID
        return try catalog.read { (read) throws(DocFSError) in
            try EffectMaker.body(of: item, at: revision, scope: scopeID, in: read)
        }
    }
}
