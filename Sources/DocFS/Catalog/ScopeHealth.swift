/// How a scope and its store are doing, for `status`.
///
/// Kept in memory only.
package struct ScopeHealth: Hashable, Sendable {
    package var isOnline = false
    /// The store takes no writes from this device, or took none when it was last reached: the scope
    /// is shown and cannot be changed.
    package var isReadOnly = false
    /// There is no container: what is shown is recorded on this device alone.
    package var logIsPrivate = false
    /// Why not, or what is wrong, in words.
    package var problem: String?
    /// The store is in reach, and has no container, or another one.
    package var lacksContainer = false
    /// What is wrong with its change log, while that keeps it offline.
    package var logTrouble: LogTrouble?
    /// The log is being mended; what came of it the last time, in words.
    package var isRepairing = false
    package var mended: String?
    package var uploading = 0
    package var downloading = 0
    /// Documents that wait until programs here close them, since another device has saved a version
    /// (S9), and who has; `nil` where nobody knows.
    package var outdated: [ItemID: Saver?] = [:]
    /// Deletes that wait for `--confirm-deletes` (S23).
    package var heldDeletes = 0
    /// Deletes that failed, by the paths that the store still has, and why, in words; some of them,
    /// where there are many.
    package var failedDeletes: [ItemPath: String] = [:]
    package var failedDeleteCount = 0
    /// Directories of the store that cannot be listed, and why, in words; likewise.
    package var unlisted: [ItemPath: String] = [:]
    /// Changes in the log that no device takes, since they break a rule, in words.
    package var setAside: [String] = []
    /// Paths of what other programs have in the store that is not shown, since directories have the
    /// names; some of them, where there are many.
    package var leftOut: [String] = []
    /// What the store guarantees, in words.
    package var guarantee: String?
    /// The store is on this computer's own disk, and no other device has ever written there.
    package var isLone = false
    /// Why changes by other programs are found late, in words.
    package var unseen: String?

    package init() {}
}
