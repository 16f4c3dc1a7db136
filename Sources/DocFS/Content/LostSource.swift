/// What is known of a body whose missing bytes cannot be fetched into a document that was written
/// into.
struct LostSource: Sendable {
    /// How often the body was not found, since records have told of these places.
    var misses = 0
    var places: Set<ItemPath> = []
    /// What the container's record named in its place when it was not found the last time.
    var recorded: Revision?
    /// The wrong digest that the bytes had last, and how often they have had it again since.
    var damage: Digest?
    var repeats = 0
}
