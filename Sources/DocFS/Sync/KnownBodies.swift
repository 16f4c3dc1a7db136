/// What was found out about rows' bytes, each good until the bytes are changed.
struct KnownBodies: Sendable {
    private struct Miss: Sendable {
        let generation: Int64
        let source: ItemID?
        let revision: Revision?
        let since: UInt64
        var isLost = false

        func isAbout(_ row: LocalItem) -> Bool {
            generation == row.generation && source == row.sourceItem
                && revision == row.sourceRevision
        }
    }

    private var digests: [Int64: (generation: Int64, digest: Digest)] = [:]
    private var misses: [Int64: Miss] = [:]
    private var places: [Revision: ItemPath] = [:]

    mutating func add(_ digest: Digest, of ino: Int64, generation: Int64) {
        digests[ino] = (generation, digest)
    }

    func digest(of row: LocalItem) -> Digest? {
        guard let found = digests[row.ino], found.generation == row.generation else { return nil }
        return found.digest
    }

    // MARK: Bodies that are nowhere

    /// The stored body that a row is made of is at none of its places.
    ///
    /// It counts as lost when it was looked for in vain for ``SyncEngine/busyLease`` after the last
    /// news of other devices: one of them may have moved it, and be slow to record where to.
    ///
    /// - Parameter news: when a record of another device was applied last.
    /// - Returns: whether it has just become so.
    mutating func miss(_ row: LocalItem, at moment: UInt64, news: UInt64) -> Bool {
        var miss = Miss(
            generation: row.generation, source: row.sourceItem, revision: row.sourceRevision,
            since: moment)
        if let known = misses[row.ino], known.isAbout(row) { miss = known }
        let wasLost = miss.isLost
        miss.isLost = moment >= max(miss.since, news) + SyncEngine.busyLease
        misses[row.ino] = miss
        return miss.isLost && !wasLost
    }

    /// It was found after all.
    ///
    /// - Parameter place: where no record tells of it.
    mutating func find(_ row: LocalItem, at place: ItemPath? = nil) {
        misses[row.ino] = nil
        if let place, let revision = row.sourceRevision { find(revision, at: place) }
    }

    /// A body was found where no record tells of it.
    mutating func find(_ revision: Revision, at place: ItemPath) { places[revision] = place }

    /// It is not at this place any more.
    mutating func forget(_ revision: Revision, at place: ItemPath) {
        if places[revision] == place { places[revision] = nil }
    }

    /// Where a stored body was found of which no record tells.
    func place(of revision: Revision) -> ItemPath? { places[revision] }

    /// Whether a row is made of a stored body that counts as lost, and nobody wrote into it.
    func isLost(_ row: LocalItem) -> Bool {
        guard row.divergence == .stored, row.state != .current, let miss = misses[row.ino] else {
            return false
        }
        return miss.isAbout(row) && miss.isLost
    }
}
