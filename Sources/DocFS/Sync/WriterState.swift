/// Who has a content open for writing.
package enum WriterState: Hashable, Sendable {
    case none
    /// Open for writing since that moment, in nanoseconds of the clock; what was written since the
    /// last fsync may still be in the making.
    case held(since: UInt64)
    /// Open for writing, and fsync was called after the last write.
    case heldAndSynced
}
