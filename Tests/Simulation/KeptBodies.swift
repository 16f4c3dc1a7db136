import DocFS

/// When bodies came to be kept in the container, and that none goes before its time (S19).
///
/// Knows nothing of how collecting works, or of what the store says of their age.
final class KeptBodies: @unchecked Sendable {
    /// Nanoseconds.
    private let time: UInt64
    private let now: () -> UInt64
    private var since: [ItemPath: UInt64] = [:]
    /// Bodies that a user wanted to be gone.
    private var unwanted: Set<ItemPath> = []

    init(time: UInt64, now: @escaping () -> UInt64) {
        self.time = time
        self.now = now
    }

    private static let places: [ItemPath] = [".docfs/versions", ".docfs/trash"]

    static func holds(_ path: ItemPath) -> Bool {
        places.contains { path.isAtOrBelow($0) }
    }

    /// A body is at `path`, perhaps since earlier.
    func arrived(_ path: ItemPath?) {
        if let path, Self.holds(path), since[path] == nil { since[path] = now() }
    }

    /// A user empties the trash, with these bodies in it, of these items.
    func empty(_ places: [ItemPath], _ items: [ItemID]) {
        unwanted.formUnion(places)
        let items = Set(items.map(\.description))
        unwanted.formUnion(
            since.keys.filter { path in
                let names = path.components.map(\.description)
                guard names.count > 2, names[1] == "versions" else { return false }
                return items.contains(names[2])
            })
    }

    /// The body at `path` is gone.
    ///
    /// - Returns: how long it was there when that was too short, in nanoseconds.
    func left(_ path: ItemPath) -> UInt64? {
        guard let since = since.removeValue(forKey: path), !unwanted.contains(path) else {
            return nil
        }
        let age = now() - since
        return age < time ? age : nil
    }
}
