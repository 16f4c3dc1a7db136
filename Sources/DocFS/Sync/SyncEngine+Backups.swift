/// A backup that is being put back over a container's folder while this device runs (S23).
///
/// In a folder it comes back document by document, and the log may be about to go back as well:
/// then nothing of what comes back is anybody's edit.
extension SyncEngine {
    /// So long after the last document that went back others may follow, or the log, in
    /// nanoseconds.
    private static let restoringLease: UInt64 = 5_000_000_000

    /// Until when nothing is made of what looks like a backup that is being restored.
    var endOfRestoring: UInt64 {
        guard let restoring else { return 0 }
        return min(restoring.last + Self.restoringLease, restoring.since + Self.busyLease)
    }

    /// Whether an object, or another a moment ago, is of an earlier time than the log, so that
    /// nothing is made of it yet; it is looked at again.
    func mayBeRestored(_ object: ObjectInfo, _ state: ItemState?)
        throws(DocFSError) -> Bool
    {
        guard container.capabilities.moves else { return false }
        let (path, now) = (object.path, clock.now())
        if strangers[path]?.revision != object.revision, try isOfEarlierTime(object, state) {
            strangers[path] = Sighting(
                revision: object.revision, operation: object.metadata?.operation, item: nil,
                moment: now)
            let isFirst = restoring.map { now > $0.last + Self.restoringLease } ?? true
            restoring = (isFirst ? now : restoring?.since ?? now, now)
        }
        guard now < endOfRestoring else { return false }
        lookLater(at: path)
        return true
    }

    /// Whether an object is a document that is older than the log has it, or one that the log has
    /// no more.
    private func isOfEarlierTime(_ object: ObjectInfo, _ state: ItemState?)
        throws(DocFSError) -> Bool
    {
        guard object.kind == .file else { return false }
        if let state {
            return state.kind == .file && object.modified < state.metadata.modified
        }
        guard let former = object.formerItem, !inFlight.contains(former), !isAwaited(former)
        else { return false }
        return try remoteState(former) == nil
    }
}
