/// How much room a filesystem has, in bytes.
package struct FileSystemSpace: Hashable, Sendable {
    package var total: UInt64
    /// What an ordinary user may still fill.
    package var free: UInt64
}
