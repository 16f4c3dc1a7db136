/// What a read gets at once.
package enum ReadAnswer: Sendable {
    /// The bytes lie in `descriptor`, which lives as long as the open file that was read:
    /// at most `length` from `offset` on, fewer at the end of the file.
    case range(descriptor: Int32, offset: UInt64, length: Int)
    case bytes([UInt8])
    /// The bytes are on their way.
    case waiting(PendingRead)
}
