/// Stores may answer for a while with what was there before: those that are consistent only
/// eventually, and those that lie behind a cache.
///
/// For ``SyncSettings/staleness`` after a record told of an object the log counts more than such an
/// answer, and the store is asked again.
extension SyncEngine {
    /// What was recorded lately of an item's object.
    struct Recording {
        var moment: UInt64
        /// The revisions that it had before, the last ones.
        var former: [Revision] = []
    }

    /// How often it is asked in that time.
    private static let timesAsked: UInt64 = 6
    /// The most items, and the most former revisions of each, that are remembered.
    private static let (items, revisions) = (100_000, 8)

    /// Remembers what the items of a record are before it is applied.
    func noteRecordings(of record: LogRecord) throws(DocFSError) {
        guard !container.capabilities.moves, settings.staleness > 0 else { return }
        let (now, scopeID) = (clock.now(), scope.id)
        if recordings.count > Self.items {
            recordings = recordings.filter { now < $0.value.moment + settings.staleness }
        }
        if recordings.count > Self.items { recordings.removeAll() }
        for change in record.changes where change.after == nil { recordings[change.item] = nil }
        let items = record.changes.filter { $0.after != nil }.map(\.item)
        let known = try catalog.readConsistently { (read) throws(DocFSError) in
            var known: [ItemID: Revision] = [:]
            for item in items {
                known[item] = try read.state(.remote, of: item, scope: scopeID)?.content.revision
            }
            return known
        }
        for item in items {
            var recording = recordings[item] ?? Recording(moment: now)
            recording.moment = now
            if let revision = known[item] { recording.former.append(revision) }
            recording.former = recording.former.suffix(Self.revisions)
            recordings[item] = recording
        }
    }

    /// Whether what was found at the place of an item's object may be of an earlier time than the
    /// log: nothing, or a body that it had before.
    ///
    /// It is looked at again then.
    func mayBeStale(
        _ found: ObjectInfo?, at path: ItemPath, of item: ItemID, _ state: ItemState?
    ) -> Bool {
        guard let recording = recordings[item],
            clock.now() < recording.moment + settings.staleness
        else { return false }
        let pause = settings.staleness / Self.timesAsked
        if let found {
            guard let revision = found.revision, revision != state?.content.revision,
                recording.former.contains(revision)
            else { return false }
        } else {
            // By then it has been looked at once more, and counts with all others that are missing.
            absencesAreDoubtedUntil = max(
                absencesAreDoubtedUntil, recording.moment + settings.staleness + 2 * pause)
        }
        lookLater(at: path, after: pause)
        return true
    }
}
