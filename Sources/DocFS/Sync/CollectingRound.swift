/// One collection that this device carries out.
struct CollectingRound {
    /// What is said of it in the container, and under which revision.
    var turn: CollectorTurn
    var revision: Revision
    /// When this device said so last.
    var renewed: UInt64
    /// What was stored until then may go, by the store's clock.
    let limit: Timestamp
    let floor: Floor?
    /// What is still to be listed, and where the next part of each begins.
    var rest: [(directory: StoredObject, next: String?)]
    /// What was found to be old.
    var found: [StoredObject] = []
    /// What goes, and not before that moment.
    var going: ArraySlice<StoredObject> = []
    var goes: UInt64 = 0

    /// Whether an object is older than anything that has to be kept.
    func isOld(_ object: StoredObject) -> Bool {
        object.stored.map { $0 <= limit } ?? false
    }
}
