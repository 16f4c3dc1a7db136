internal import Logging

/// What was written into a document whose other bytes are nowhere any more (S8).
extension SyncEngine {
    /// Has what was written into a row go on as a document of its own, then plans again.
    func startKeeping(_ item: ItemID, ino: Int64) {
        guard inFlight.insert(item).inserted else { return }
        guard !mayBeElsewhere(sourceOf: ino, item), replica.claim(ino) else {
            inFlight.remove(item)
            return retry(item, after: 1_000_000_000)
        }
        Task {
            do throws(DocFSError) {
                try await keepWritten(of: item, ino: ino)
                give(back: item)
            } catch {
                await failed(item, error)
            }
            replica.release([ino])
            inbox.wake()
        }
    }

    /// Whether the body that a row was written into may have been moved by a device that is slow to
    /// record where to.
    private func mayBeElsewhere(sourceOf ino: Int64, _ item: ItemID) -> Bool {
        if isLookOwed { return true }
        // Where that cannot be read, nothing can be written either.
        let row = try? catalog.read { (read) throws(DocFSError) in try read.local(ino) }
        let source = row?.sourceItem ?? item
        return isUnexplained(source)
    }

    /// Whether an object that says that it is this item was seen where no record has it.
    func isUnexplained(_ item: ItemID) -> Bool {
        let now = clock.now()
        return finished.contains(item)
            || strangers.values.contains { $0.item == item && now < $0.moment + Self.busyLease }
    }

    private func keepWritten(of item: ItemID, ino: Int64) async throws(DocFSError) {
        let (scope, settings, replica, now) = (scope, settings, replica, clock.wallTime())
        let records = telling.isBegun ? telling.records : nil
        let known = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
        guard let known, known.item == item else { return }
        let fresh = ItemID(using: &random)
        let kept = try await replica.keepWritten(of: known, as: fresh)
        let done = try write { (write) throws(DocFSError) in
            var applier = LocalApplier(
                write: write, scope: scope, settings: settings, replica: replica, now: now,
                newItem: { fresh }, bodies: KnownBodies(), records: records)
            let trio = try applier.trio(item)
            var isKept = false
            if trio.row?.ino == ino, trio.row?.generation == known.generation {
                isKept = try applier.keepWritten(trio, as: kept)
            }
            if isKept { try applier.settleParked() }
            return Done(
                isKept: isKept, notices: applier.notices, events: applier.events,
                told: applier.told, claims: applier.claims, directories: applier.directories)
        }
        CrashPoint.reached(.planApplied)
        replica.release(done.claims)
        replica.applied(
            done.isKept
                ? done.notices
                : [.unlinked(parent: scope.root, name: known.name, ino: kept)])
        for event in done.events { catalog.bulletin.post(event) }
        rest([], told: done.told)
        for directory in done.directories { enqueue(directory) }
        if done.isKept {
            log.warning("\(item): the body that it was written into is gone")
            enqueue(fresh)
        }
    }

    private struct Done: Sendable {
        let isKept: Bool
        let notices: [LocalNotice]
        let events: [DocumentEvent]
        let told: [ItemID: ItemID]
        let claims: [Int64]
        let directories: [ItemID]
    }
}
