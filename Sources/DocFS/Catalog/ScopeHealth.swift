/// How a scope and its store are doing, for `status`.
///
/// Kept in memory only.
package struct ScopeHealth: Hashable, Sendable {
    package var isOnline = false
    /// Why not, or what is wrong, in words.
    package var problem: String?
    package var uploading = 0
    package var downloading = 0
    /// Deletes that wait for `--confirm-deletes` (S23).
    package var heldDeletes = 0
    /// What the store guarantees, in words.
    package var guarantee: String?

    package init() {}
}
