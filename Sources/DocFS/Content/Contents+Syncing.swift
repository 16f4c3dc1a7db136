internal import Synchronization

/// Bytes that nobody asked to have on the disk get there all the same, within seconds.
///
/// The row of every edit says that the disk may not have it, from before its first byte
/// (``Unsynced``) to the fsync(2) or the round here that brings it there.
extension Contents {
    /// How long edits are gathered, in microseconds.
    private static let syncInterval: UInt32 = 5_000_000

    /// Has all that was written brought to the disk, within five seconds.
    func syncSoon() {
        if isSyncing.exchange(true, ordering: .acquiringAndReleasing) { return }
        syncer.submit(after: Self.syncInterval) { [weak self] in
            guard let self else { return }
            // What everyone wrote that was turned away is seen from here on.
            _ = isSyncing.exchange(false, ordering: .acquiringAndReleasing)
            // What is still being written has its turn again, and so has what failed.
            let isDone = (try? syncEverything()) ?? false
            if !isDone { syncSoon() }
        }
    }

    /// Brings to the disk what was written up to now, in contents and catalog.
    ///
    /// - Returns: whether that was all, and nothing was written meanwhile.
    @discardableResult
    func syncEverything() throws(DocFSError) -> Bool {
        recordEverything()
        let rows = try catalog.read { (read) throws(DocFSError) in try read.unsynced() }
        if rows.isEmpty { return true }
        var closed: [LocalItem] = []
        var opened: [(content: OpenContent, row: LocalItem, moment: OpenContent.WritingMoment)] = []
        for row in rows {
            // What is opened from now on counts its writes in its row.
            if let content = openContent(row.ino) {
                opened.append((content, row, content.writingMoment))
            } else {
                closed.append(row)
            }
        }
        try files.sync(inLocal: rows.contains { $0.place == .local })
        for (content, row, moment) in opened {
            try content.flush(syncedAt: moment, generation: row.generation)
        }
        while !closed.isEmpty {
            let batch = closed.suffix(Self.batchLimit)
            closed.removeLast(batch.count)
            try catalog.write { (transaction) throws(DocFSError) in
                for seen in batch {
                    guard let old = try transaction.read.local(seen.ino),
                        old.generation == seen.generation, !old.isUnflushed
                    else { continue }
                    var row = old
                    row.unsynced = .none
                    try transaction.update(row, from: old)
                }
            }
        }
        try catalog.makeDurable()
        return try catalog.read { (read) throws(DocFSError) in try read.unsynced() }.isEmpty
    }

    /// A file of Local has become a content file.
    package func movedIn() { hasMovedIn.withLock { $0 = true } }

    /// Returns when everything committed before is on stable storage, and what moved in from Local
    /// is gone from there for good.
    package func makeDurable() throws(DocFSError) {
        try hasMovedIn.withLock { (hasMovedIn) throws(DocFSError) in
            if hasMovedIn { try files.syncLocalNames() }
            hasMovedIn = false
        }
        try catalog.makeDurable()
    }

    /// The bytes of a row are on the disk when this returns.
    package func bringToDisk(_ ino: Int64) throws(DocFSError) {
        let (content, _) = try open(ino, forWriting: false)
        defer { close(content, forWriting: false) }
        try content.bringToDisk()
    }

    /// The daemon ends in order: a loss of power from now on costs nothing.
    package func leave() throws(DocFSError) {
        if try syncEverything() { try losses.forgetBoot(in: catalog) }
    }
}
