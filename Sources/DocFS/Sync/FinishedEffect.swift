/// An effect that took place and is to be recorded.
struct FinishedEffect {
    var change: Change
    /// `nil` for what another program did in the store.
    var verb: Effect.Verb?
    var sent: SentBody?
}
