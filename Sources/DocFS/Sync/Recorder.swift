/// Who has recorded something of an item, and what it was, as far as readers of events are to know.
struct Recorder: Hashable, Sendable {
    /// Another device, by its name; `nil` for this one.
    let device: String?
    /// The item went since it was moved out of the container.
    let isMovedOut: Bool
}
