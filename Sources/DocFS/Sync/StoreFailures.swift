/// Failures that no local document can show, for the status: deletes, and directories of the store
/// that cannot be listed.
struct StoreFailures {
    /// So many deletes are told one by one.
    private static let told = 1000
    /// So many directories are told.
    private static let toldDirectories = 50
    /// So many are remembered: a store may have any number.
    private static let remembered = 1000

    /// Deletes that failed: where the store still has the item, and why, in words.
    private var deletes: [ItemID: (path: ItemPath, sentence: String)] = [:]
    /// Directories that could not be listed, and why, in words.
    private var unlisted: [ItemPath: String] = [:]
    private var isNews = false

    mutating func add(deleteOf item: ItemID, at path: ItemPath, _ error: DocFSError) {
        deletes[item] = (path, "it is not deleted: \(error.sentence)")
        isNews = true
    }

    /// Nothing is to be done about these items any more.
    mutating func forget(_ items: [ItemID]) {
        for item in items where deletes.removeValue(forKey: item) != nil { isNews = true }
    }

    /// Whether a directory could not be listed the last time.
    func isUnlisted(_ directory: ItemPath) -> Bool { unlisted[directory] != nil }

    mutating func add(unlisted directory: ItemPath, _ reason: String) {
        guard unlisted.count < Self.remembered else { return }
        unlisted[directory] = reason
        isNews = true
    }

    /// A directory was listed.
    ///
    /// - Returns: whether it could not be before.
    mutating func forget(unlisted directory: ItemPath) -> Bool {
        guard unlisted.removeValue(forKey: directory) != nil else { return false }
        isNews = true
        return true
    }

    /// There is nothing at a path any more.
    mutating func forget(unlistedBelow path: ItemPath) {
        let left = unlisted.filter { !$0.key.isAtOrBelow(path) }
        guard left.count < unlisted.count else { return }
        unlisted = left
        isNews = true
    }

    /// Tells what has changed since it was last told.
    mutating func show(in bulletin: Bulletin, scope: Int64) {
        guard isNews else { return }
        isNews = false
        let told = deletes.values.prefix(Self.told).map { ($0.path, $0.sentence) }
        let count = deletes.count
        let unlisted = Dictionary(
            uniqueKeysWithValues: unlisted.prefix(Self.toldDirectories).map { ($0.key, $0.value) })
        bulletin.updateHealth(of: scope) { health in
            health.failedDeletes = Dictionary(told) { $1 }
            health.failedDeleteCount = count
            health.unlisted = unlisted
        }
    }
}
