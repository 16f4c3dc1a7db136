/// What the user wants to be gone from the trash, on its way out.
struct Emptying {
    /// What is still to be asked for.
    var unwanted: ArraySlice<TrashRecord> = []
    /// What goes with the next record.
    var found: [Found] = []
    /// What was announced, and when it goes: the earliest first.
    var leaving: ArraySlice<Leaving> = []
    /// When the next step is due.
    var next: UInt64 = 0
    /// How often in succession the store would not take a step: it may be full, or refuse.
    var failures = 0

    struct Found {
        let record: TrashRecord
        /// The body in the trash and its earlier versions, as the store has them.
        let bodies: [StoredObject]

        /// What the change log says of it.
        var announced: [ItemPath] {
            if record.content == .directory {
                return [ContainerLayout.deletedDirectory(record.path, by: record.operation)]
            }
            return [record.place] + bodies.map(\.path).filter { $0 != record.place }
        }
    }

    struct Leaving {
        let item: ItemID
        let body: StoredObject
        let goes: UInt64
    }

    var isDone: Bool { unwanted.isEmpty && found.isEmpty && leaving.isEmpty }

    /// A user wants this to be gone too, and now.
    mutating func add(_ records: [TrashRecord]) {
        guard !records.isEmpty else { return }
        unwanted += records
        (next, failures) = (0, 0)
    }

    /// The store was asked about the first of ``unwanted``, unless that was given up meanwhile.
    mutating func add(_ answer: Found) {
        guard let first = unwanted.first, first == answer.record else { return }
        unwanted.removeFirst()
        found.append(answer)
    }

    /// Nothing that was not announced goes any more: who asked for it was told so.
    mutating func giveUp() {
        unwanted = []
        found = []
        (next, failures) = (0, 0)
    }
}
