/// One change of a container as the log records it: the whole new state of one item, and what
/// must hold for it.
///
/// A change whose precondition fails at its place in the log is void for everyone, and its author
/// plans again. So all devices that have read the same records have the same tree.
package struct Change: Hashable, Sendable {
    package var operation: OperationID
    package var item: ItemID
    /// What the item must be; `nil` when it must not be there.
    package var before: Place?
    /// What the item is from now on; `nil` when it goes.
    package var after: ItemState?
    /// Where the container keeps the body that was replaced or removed.
    package var kept: ItemPath?
    /// Where the item's object was put, on stores that cannot move one; `nil`: it is where it was,
    /// whatever the item's path is now.
    package var object: ItemPath?
    /// The body is the one that the item had, whatever its revision is now: only its description or
    /// its place changed.
    package var keepsBody: Bool
    /// What the item was, in a removal that is void, since others have recorded first that it is
    /// gone or something else: the body went to the trash all the same, to ``kept``.
    ///
    /// Or another program took it away, and a device put it there (``isPutBack``).
    package var removed: ItemState?
    /// The item goes since it was moved out of the container, to some `Local/` or to another
    /// container, and not since it was deleted.
    package var isMovedOut: Bool

    package init(
        operation: OperationID, item: ItemID, before: Place?, after: ItemState?,
        kept: ItemPath? = nil, object: ItemPath? = nil, keepsBody: Bool = false,
        removed: ItemState? = nil, isMovedOut: Bool = false
    ) {
        self.operation = operation
        self.item = item
        self.before = before
        self.after = after
        self.kept = kept
        self.object = object
        self.keepsBody = keepsBody
        self.removed = removed
        self.isMovedOut = isMovedOut
    }

    /// Tells where a device has put a body that another program took out of the container.
    ///
    /// No document is ever without a revision, so that this removal is void for everyone.
    package static func putBack(
        _ state: ItemState, of item: ItemID, to place: ItemPath, by operation: OperationID
    ) -> Change {
        Change(
            operation: operation, item: item,
            before: Place(parent: state.parent, name: state.name, revision: nil), after: nil,
            kept: place, removed: state)
    }

    package var isPutBack: Bool {
        removed?.kind == .file && after == nil && before != nil && before?.revision == nil
    }
}
