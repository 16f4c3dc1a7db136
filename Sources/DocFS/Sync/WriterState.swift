/// Who has a content open for writing.
package enum WriterState: Sendable {
    case none
    /// Open for writing; what was written since the last fsync may still be in the making.
    case held
    /// Open for writing, and fsync was called after the last write.
    case heldAndSynced
}
