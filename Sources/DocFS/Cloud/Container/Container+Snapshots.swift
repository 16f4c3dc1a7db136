/// The change log does not grow for ever: a snapshot stands for its beginning.
extension Container {
    /// How far the log reaches back; `nil` when it is all there.
    package func floor() async throws(DocFSError) -> Floor? {
        guard let bytes = try await small(ContainerLayout.floor) else { return nil }
        return try ContainerCoding.decodeFloor(bytes)
    }

    /// Raises the floor.
    ///
    /// - Throws: `.refused` when another device has raised it over `known`.
    package func raise(_ floor: Floor, over known: Floor?) async throws(DocFSError) {
        let revision = try await store.head(ContainerLayout.floor)?.revision
        // Read after the revision: when it is another one by now, the store refuses.
        guard try await self.floor() == known else { throw .refused }
        try await put(
            ContainerLayout.floor, ContainerCoding.encode(floor),
            revision.map(WriteCondition.revision) ?? .absent)
        try await store.makeDurable()
    }

    /// Removes a floor that says nothing: the log has to be all there, or nothing of it is.
    package func removeFloor() async throws(DocFSError) {
        try await removeSmall(ContainerLayout.floor)
    }

    /// Removes a record that is no part of the log.
    package func removeRecord(_ number: UInt64) async throws(DocFSError) {
        try await removeSmall(ContainerLayout.record(number))
    }

    /// Writes one page of a snapshot.
    ///
    /// - Returns: what it hashes to.
    package func write(_ page: SnapshotPage, _ number: Int, in directory: ItemPath)
        async throws(DocFSError) -> Digest
    {
        let bytes = try ContainerCoding.encode(page)
        try await put(ContainerLayout.page(number, in: directory), bytes, .absent)
        return Self.digest(bytes)
    }

    /// One page of a snapshot.
    ///
    /// - Throws: `.corrupt` when it is missing, or not what was written.
    package func page(_ number: Int, of snapshot: LogSnapshot) async throws(DocFSError)
        -> SnapshotPage
    {
        let place = ContainerLayout.page(number, in: snapshot.directory)
        guard let bytes = try await small(place),
            Self.digest(bytes) == snapshot.pages[number]
        else { throw .corrupt("\(place) is not what was written") }
        return try ContainerCoding.decodePage(bytes)
    }

    /// Where the records below `number` lie that are still there, the oldest first.
    package func records(below number: UInt64) async throws(DocFSError) -> [ItemPath] {
        let end = ContainerLayout.record(number)
        return try await store.list(ContainerLayout.log).map(\.path).filter { $0 < end }.sorted()
    }

    /// Removes a record or a page that is below the floor.
    package func removeSmall(_ path: ItemPath) async throws(DocFSError) {
        guard let revision = try await store.head(path)?.revision else { return }
        do throws(DocFSError) {
            try await store.remove(path, expecting: revision)
        } catch .notFound {
            return
        }
    }

    private static func digest(_ bytes: [UInt8]) -> Digest {
        SHA256.digest(of: bytes)
    }
}
