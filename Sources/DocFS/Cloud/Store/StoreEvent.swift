/// A hint that something in the store may have changed.
package enum StoreEvent: Hashable, Sendable {
    /// An object or directory at this path appeared, changed or went. Never below `.docfs`.
    case changed(ItemPath)
    /// Changes in the directory at this path are reported from now on: what went from it before,
    /// since somebody could list it, may not have been.
    case watched(ItemPath)
    /// The change log grew.
    case logGrew
    /// Events were lost, or the root itself changed: look at everything.
    case lookAtEverything
    /// From now on not every change is reported, and why, in words; `nil` when each is again, after
    /// which ``lookAtEverything`` follows.
    case unseen(String?)
}
