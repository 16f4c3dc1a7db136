/// What speaks for a place being the one that a change log of this device's own tells of.
///
/// Another disk may lie there, or nothing but the directory on which it was mounted (S23). One
/// document that is as it was is enough; without one, more than half of the items that are looked
/// for have to be there, for two disks may have a few names in common.
struct PlaceEvidence {
    /// How many items are looked for at most.
    static let lookedForAtMost = 64

    private let count: Int
    private var present = 0
    private var hasSameDocument = false

    /// - Parameter count: how many items are looked for; 0 where the log has nothing.
    init(lookingFor count: Int) { self.count = count }

    /// Takes what lies at the path of an item now.
    ///
    /// - Parameter revision: `nil` for a directory.
    mutating func add(_ kind: ItemKind, _ revision: Revision?, at state: ItemState) {
        guard kind == state.kind else { return }
        present += 1
        if let revision, revision == state.content.revision { hasSameDocument = true }
    }

    /// Takes something at the path of an item that this device may not look at.
    mutating func addUnknown() { present += 1 }

    /// Whether that is enough.
    var isEnough: Bool { count == 0 || hasSameDocument || present * 2 > count }
}
