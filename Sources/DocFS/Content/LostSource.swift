/// What is known of a body whose missing bytes cannot be fetched into a document that was written
/// into.
struct LostSource: Sendable {
    /// How often the body was not found.
    var misses = 0
    /// What the container's record named in its place when it was not found the last time.
    var recorded: Revision?
    /// The wrong digest that the bytes had last, and how often they have had it again since.
    var damage: Digest?
    var repeats = 0
}
