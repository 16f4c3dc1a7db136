/// The conflict versions that this device has made since it started, each while it is as it was
/// made.
///
/// What is saved again from the same revision of a document updates its conflict version: a program
/// that stays behind keeps one (S14a), as it would overwrite its own earlier save on any disk.
struct MadeSiblings: Sendable {
    private struct Key: Hashable, Sendable {
        let document: ItemID
        /// What the bytes were made from.
        let basis: Revision
    }

    private struct Made: Sendable {
        let sibling: ItemID
        let ino: Int64
        let generation: Int64
    }

    private var made: [Key: Made] = [:]
    private static let limit = 4096

    /// `row` has become a conflict version of `document`, with bytes made from `basis`.
    mutating func add(_ row: LocalItem, of document: ItemID, from basis: Revision?) {
        guard let basis else { return }
        if made.count >= Self.limit { made.removeAll() }
        made[Key(document: document, basis: basis)] = Made(
            sibling: row.item, ino: row.ino, generation: row.generation)
    }

    /// The conflict version of `document` that was made from `basis`.
    func sibling(of document: ItemID, from basis: Revision?) -> ItemID? {
        guard let basis else { return nil }
        return made[Key(document: document, basis: basis)]?.sibling
    }

    /// Whether nobody has written into it since.
    func isUntouched(_ row: LocalItem, of document: ItemID, from basis: Revision?) -> Bool {
        guard let basis, let made = made[Key(document: document, basis: basis)] else {
            return false
        }
        return made.ino == row.ino && made.generation == row.generation
    }
}
