/// The next thing to do about one item.
///
/// Steps about the store are carried out under the revision that the plan was made from; steps
/// about this device in one transaction.
package enum Step: Hashable, Sendable {
    /// The three trees agree, or there is nothing to agree on.
    case rest
    /// Nothing can be done before something else has happened.
    case wait(Reason)

    // The base tree
    /// Local and remote are the same: take that as the base.
    case agree
    /// The item is in neither tree any more: drop the base.
    case forget

    // The store
    /// Write what is here under its name, if that is free.
    case create
    /// Replace the body that is the basis.
    case replace
    /// Move the item to where it is here.
    case move
    /// Take over mode, times, attributes and conflict mark from here.
    case describe
    /// Bring the item's object to its path, on stores that cannot move one: it lodges elsewhere.
    case bringHome
    /// Move the item to the trash, if it still is the base's revision.
    case remove

    /// The edit here and the store's body are both wanted, and a process still writes the edit: a
    /// conflict version in the store takes the bytes until the last close (S9).
    case sendAside

    // This device
    /// Show the store's item: as a placeholder, a link, or a directory.
    case show
    /// The store's body got another revision but holds the same bytes: remember the revision.
    case retag
    /// Bring the store's new body, while the one here is still shown (S9).
    case fetch
    /// Show the store's new body in place of the one here (S9).
    case refresh
    /// Move the item to where the store has it.
    case relocate
    /// Take over mode, times, attributes and conflict mark from the store.
    case redescribe
    /// Take the item away: the store does not have it any more.
    case hide
    /// The edit here and the store's body are both wanted: the store's keeps the name, the one
    /// here becomes a conflict version beside it (S16).
    case divert
    /// The edit here outlives the store's delete: it is made anew under the same id (S20).
    case revive
    /// The body that the edit was made in is nowhere any more, and not all of it is here: what was
    /// written becomes a document of its own (S8).
    case keepWritten

    /// What a ``wait(_:)`` is for.
    package enum Reason: Hashable, Sendable {
        /// A process has the document open for writing.
        case writer
        /// The directory still holds something that has to go, or to stay, first.
        case children
        /// The bytes have to be hashed before they can be compared.
        case digest
        /// It is on its way to `Local/`.
        case departure
    }
}
