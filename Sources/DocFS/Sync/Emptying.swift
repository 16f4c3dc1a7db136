/// Versions and deleted documents that the user wants destroyed, and how far each is.
struct Emptying {
    /// What is still to be asked for.
    var unwanted: ArraySlice<Unwanted> = []
    /// What goes with the next record.
    var found: [Found] = []
    /// What was announced, and when it goes: the earliest first.
    var leaving: ArraySlice<Leaving> = []
    /// What cannot go now: it is tried again after all the others.
    var stuck: [Unwanted] = []
    /// When the next step is due.
    var next: UInt64 = 0
    /// How often in succession the store would not take a step: it may be full, or refuse.
    var failures = 0

    struct Found {
        let what: Unwanted
        /// Its body, and those of the earlier versions of what was deleted, as the store has them.
        let bodies: [StoredObject]

        /// What the change log says of it.
        var announced: [ItemPath] {
            switch what {
            case .version(let place): return [place]
            case .deleted(let record):
                if record.content == .directory {
                    return [ContainerLayout.deletedDirectory(record.path, by: record.operation)]
                }
                return [record.place] + bodies.map(\.path).filter { $0 != record.place }
            }
        }
    }

    struct Leaving {
        let what: Unwanted
        let body: StoredObject
        let goes: UInt64
    }

    var isDone: Bool {
        unwanted.isEmpty && found.isEmpty && leaving.isEmpty && stuck.isEmpty
    }

    /// The places of the versions among all that.
    var versions: Set<ItemPath> {
        Set(
            (unwanted + found.map(\.what) + leaving.map(\.what) + stuck).compactMap {
                if case .version(let place) = $0 { place } else { nil }
            })
    }

    /// A user wants this to be gone too, and now.
    mutating func add(_ more: [Unwanted]) {
        guard !more.isEmpty else { return }
        unwanted += more
        (next, failures) = (0, 0)
    }

    /// The store was asked about the first of ``unwanted``, unless that was given up meanwhile.
    mutating func add(_ answer: Found) {
        guard let first = unwanted.first, first == answer.what else { return }
        unwanted.removeFirst()
        found.append(answer)
    }

    /// The store does not tell of the first of ``unwanted``: the others go first.
    mutating func postpone(_ first: Unwanted) {
        guard unwanted.first == first else { return }
        stuck.append(unwanted.removeFirst())
    }

    /// Nothing that was not announced goes any more, as ``SyncEngine/emptyTrash(below:)`` says;
    /// versions are taken up again when the store is back.
    mutating func giveUp() {
        unwanted = []
        found = []
        stuck = []
        (next, failures) = (0, 0)
    }
}
