/// A directory of `Local/` that moved into a container, as long as programs may still work in it.
struct LateDirectory {
    let scope: CloudScope
    /// The rows of the directories in it, by their inodes on disk; empty after a restart.
    var rows: [UInt64: Int64]
    /// When something was last found in it, in nanoseconds of the clock; `nil` until then.
    var changed: UInt64?
    /// What was found and not taken over yet, by inode: since when.
    var waiting: [UInt64: UInt64] = [:]
    /// When it is looked through next, and the pause before that, in nanoseconds.
    var next: UInt64 = 0
    var pause: UInt64 = 0
}
