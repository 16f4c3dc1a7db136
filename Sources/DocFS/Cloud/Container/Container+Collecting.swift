/// What the container need not keep any longer is removed by one device at a time.
extension Container {
    /// The directories of the container's own in which something may be left.
    package static var collected: [ItemPath] {
        [
            ContainerLayout.versions, ContainerLayout.trash, ContainerLayout.uploads,
            ContainerLayout.snapshots, ContainerLayout.log,
        ]
    }

    /// Whose turn it is, and under which revision; `nil` when nobody has collected yet.
    package func turn() async throws(DocFSError) -> (turn: CollectorTurn, revision: Revision)? {
        guard let revision = try await store.head(ContainerLayout.collector)?.revision else {
            return nil
        }
        // Read after the revision: when it is another one by now, the store refuses.
        guard let bytes = try await small(ContainerLayout.collector) else { return nil }
        return (try ContainerCoding.decodeTurn(bytes), revision)
    }

    /// Says whose turn it is.
    ///
    /// - Parameter known: what the file's revision must be; `nil`: there must be none.
    /// - Returns: the file as the store has it now, which tells the store's time.
    /// - Throws: `.refused` when another device has said so since.
    package func put(_ turn: CollectorTurn, over known: Revision?) async throws(DocFSError)
        -> (revision: Revision, stored: Timestamp?)
    {
        let revision = try await put(
            ContainerLayout.collector, ContainerCoding.encode(turn),
            known.map(WriteCondition.revision) ?? .absent)
        guard let object = try await store.stored(ContainerLayout.collector),
            let revision, object.revision == revision
        else { throw .refused }
        return (revision, object.stored)
    }
}
