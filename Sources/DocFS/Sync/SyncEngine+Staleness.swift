/// Stores may answer for a while with what was there before: those that are consistent only
/// eventually, and those that lie behind a cache.
///
/// For ``SyncSettings/staleness`` after a record told of an object the log counts more than such an
/// answer, and the store is asked again.
extension SyncEngine {
    /// The recent records about an item's object.
    struct Recording {
        var moment: UInt64
        /// The revisions that it had before, the last ones.
        var former: [Revision] = []
    }

    /// How often it is asked in that time.
    private static let timesAsked: UInt64 = 6
    /// The most items, and the most former revisions of each, that are remembered.
    private static let (items, revisions) = (100_000, 8)

    /// Remembers the revisions that a record's items had before it is applied.
    func noteRecordings(of record: LogRecord) throws(DocFSError) {
        guard !container.capabilities.moves, settings.staleness > 0 else { return }
        let (now, scopeID) = (clock.now(), scope.id)
        if recordings.count > Self.items {
            recordings = recordings.filter { now < $0.value.moment + settings.staleness }
        }
        if recordings.count > Self.items { recordings.removeAll() }
        for change in record.changes where change.after == nil { recordings[change.item] = nil }
        let known = try catalog.readConsistently { (read) throws(DocFSError) in
            var known: [ItemID: ItemState] = [:]
            for change in record.changes where change.after != nil {
                known[change.item] = try read.state(.remote, of: change.item, scope: scopeID)
            }
            return known
        }
        for change in record.changes {
            guard let after = change.after else { continue }
            if let before = known[change.item], Self.hasSameObject(before, after) { continue }
            var recording = recordings[change.item] ?? Recording(moment: now)
            recording.moment = now
            if let former = known[change.item]?.content.revision { recording.former.append(former) }
            recording.former = recording.former.suffix(Self.revisions)
            recordings[change.item] = recording
        }
    }

    private static func hasSameObject(_ one: ItemState, _ other: ItemState) -> Bool {
        one.parent == other.parent && one.name == other.name
            && one.content.revision == other.content.revision
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
            // By then it has been looked at once more, to be counted with all others.
            absencesAreDoubtedUntil = max(
                absencesAreDoubtedUntil, recording.moment + settings.staleness + 2 * pause)
        }
        lookLater(at: path, after: pause)
        return true
    }
}
