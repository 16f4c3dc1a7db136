/// An effect that took place and is to be recorded.
struct FinishedEffect {
    var change: Change
    /// `nil` for what another program did in the store.
    var verb: Effect.Verb?
    var sent: SentBody?
    /// The item that was planned, where that is not the change's own: an open document whose bytes
    /// went to a conflict version (S9).
    var document: ItemID?
    /// It has made a directory its own that was there already, with what is in it.
    var takesOver = false
    /// Where its object was when it took place; `nil` where there is none any more.
    var place: ItemPath?

    var planned: ItemID { document ?? change.item }

    /// Nothing was planned: a body was put back that another program had taken away.
    var isPutBack: Bool { change.isPutBack }

    /// The item has another path since.
    var isMove: Bool {
        guard let before = change.before, let after = change.after else { return false }
        return before.parent != after.parent || before.name != after.name
    }
}
