/// The last record about an item, as far as readers of events are to know.
struct LastRecord: Hashable, Sendable {
    /// Who has written it: another device, by its name; `nil` for this one.
    let device: String?
    /// The item went since it was moved out of the container.
    let isMovedOut: Bool
}
