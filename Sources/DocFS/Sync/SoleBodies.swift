/// The sole bodies that a device has to put back, and when it tries next.
struct SoleBodies {
    struct Key: Hashable, Comparable {
        let item: ItemID
        let revision: Revision

        static func < (one: Key, other: Key) -> Bool {
            (one.item, one.revision.token) < (other.item, other.revision.token)
        }
    }

    private struct Entry {
        var due: UInt64
        var failures = 0
        /// Where every try puts it, so that none is done twice, and by which operation.
        var place: (path: ItemPath, operation: OperationID)?
        /// Whether it is there, and to be recorded.
        var isStored = false
    }

    private var entries: [Key: Entry] = [:]
    /// Whether one is being put back.
    var isBusy = false

    /// Has a body put back at `moment`, unless that is known.
    ///
    /// One that was stored and not recorded is tried again.
    mutating func add(_ body: SoleBody, at moment: UInt64) {
        let key = Key(item: body.item, revision: body.revision)
        if entries[key]?.isStored == false { return }
        entries[key, default: Entry(due: moment)].isStored = false
    }

    /// The one whose turn it is, and when.
    var next: (key: Key, moment: UInt64)? {
        entries.lazy.filter { !$0.value.isStored }
            .min { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
            .map { ($0.key, $0.value.due) }
    }

    /// - Parameter fresh: a place for the first try.
    mutating func place(
        for key: Key, or fresh: (path: ItemPath, operation: OperationID)
    ) -> (path: ItemPath, operation: OperationID) {
        let place = entries[key]?.place ?? fresh
        entries[key]?.place = place
        return place
    }

    mutating func stored(_ key: Key) { entries[key]?.isStored = true }

    mutating func end(_ key: Key) { entries[key] = nil }

    /// The log tells where `operation` has put one.
    mutating func end(recordedAs operation: OperationID) {
        entries = entries.filter { $0.value.place?.operation != operation }
    }

    /// The log need not tell where `operation` has put one: it is looked at once more.
    mutating func look(atStoredBy operation: OperationID) {
        for (key, entry) in entries where entry.place?.operation == operation {
            entries[key]?.isStored = false
            entries[key]?.place = nil
        }
    }

    /// The store does not take a body at its place: the next try is at another one.
    mutating func forgetPlace(of key: Key) { entries[key]?.place = nil }

    /// Whether `operation` is to be recorded for it.
    func awaits(_ operation: OperationID, for key: Key) -> Bool {
        entries[key]?.place?.operation == operation
    }

    /// Has a body tried again that could not be put back.
    mutating func postpone(_ key: Key, now: UInt64) {
        guard var entry = entries[key] else { return }
        entry.failures += 1
        entry.due =
            now + Backoff.pause(after: entry.failures, from: 5_000_000_000, to: 600_000_000_000)
        entries[key] = entry
    }
}
