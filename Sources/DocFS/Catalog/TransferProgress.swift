/// How far the bytes are that are on their way in one direction.
///
/// Kept in memory only.
package struct TransferProgress: Hashable, Sendable {
    /// Bytes that have arrived, of those documents that are under way.
    package var done: UInt64 = 0
    /// Bytes of all documents that are under way.
    package var total: UInt64 = 0
    /// Bytes per second, over the last seconds.
    package var rate: UInt64 = 0

    package init() {}
}
