extension SyncEngine: ContentSource {
    package nonisolated var offlineReason: String? { reasonUnreachable }

    package nonisolated func fetch(
        _ item: ItemID, revision: Revision, range: Range<UInt64>, into sink: any ByteSink
    ) async throws(DocFSError) {
        if let reason = reasonUnreachable { throw .offline(reason) }
        let scopeID = scopeID
        let body = try catalog.read { (read) throws(DocFSError) in
            try EffectMaker.body(of: item, at: revision, scope: scopeID, in: read)
        }
        catalog.bulletin.updateHealth(of: scopeID) { $0.downloading += 1 }
        defer { catalog.bulletin.updateHealth(of: scopeID) { $0.downloading -= 1 } }
        try await container.fetch(body, range: range, into: sink)
    }
}
