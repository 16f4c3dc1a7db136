/// Why the bytes that are missing from an edited document cannot be fetched (S8).
package enum SourceLoss: Hashable, Sendable {
    /// They are nowhere any more.
    case gone
    /// The container's copy is damaged: it has another digest than its record says.
    case damaged
}
