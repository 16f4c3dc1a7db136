/// One intended change of a container with everything that carrying it out needs.
///
/// It is journalled before the first step and can be settled after a crash.
package struct Effect: Hashable, Sendable {
    /// What is to be done to the item.
    package enum Verb: String, Hashable, Sendable {
        /// Write it under a free name.
        case create
        /// Replace its body.
        case replace
        /// Move it to another place.
        case move
        /// Bring its object to its own path, on stores that cannot move one.
        case bringHome
        /// Change its metadata alone.
        case describe
        /// Move it to the trash.
        case remove
    }

    package var verb: Verb
    package var operation: OperationID
    package var item: ItemID
    /// What the item must be; `nil` for ``Verb/create``.
    package var before: Place?
    /// What it will be; its revision is not known yet where a body is written.
    ///
    /// `nil` for ``Verb/remove``.
    package var after: ItemState?
    /// The kind of item.
    package var kind: ItemKind
    /// Where its object is, or will be written: its path, or where it lodges.
    package var path: ItemPath
    /// Where it is moved to: the new path, or the place in the trash; `nil` for a move that is
    /// only recorded, on stores that cannot move an object.
    package var destination: ItemPath?
    /// Where a body that is replaced is kept.
    package var keep: ItemPath?
    /// The stored body to be copied instead of sending bytes, with the places where it may be.
    package var source: StoredBody?
    /// It removes what was moved out of the container.
    package var isMovedOut: Bool

    package init(
        verb: Verb, operation: OperationID, item: ItemID, before: Place?, after: ItemState?,
        kind: ItemKind, path: ItemPath, destination: ItemPath? = nil, keep: ItemPath? = nil,
        source: StoredBody? = nil, isMovedOut: Bool = false
    ) {
        self.verb = verb
        self.operation = operation
        self.item = item
        self.before = before
        self.after = after
        self.kind = kind
        self.path = path
        self.destination = destination
        self.keep = keep
        self.source = source
        self.isMovedOut = isMovedOut
    }

    /// Whether there is a directory at its place afterwards, that may have been there before.
    package var makesDirectory: Bool {
        kind == .directory && (verb == .create || verb == .bringHome)
    }

    /// Where the item's object is once this took place; `nil` for ``Verb/remove``.
    var placeAfter: ItemPath? { after == nil ? nil : destination ?? path }
}
