/// One item as the local tree has it, with what planning needs to know of its content.
package struct LocalView: Hashable, Sendable {
    /// How the bytes here relate to ``basis``.
    package enum Bytes: Hashable, Sendable {
        /// They are the basis's: placeholder or not makes no difference.
        case same
        /// They are others, made from the basis. The digest is known once it was needed.
        case changed(digest: Digest?, size: UInt64)
    }

    /// What is to become of the bytes here once the store has newer ones.
    package enum NewerBody: Hashable, Sendable {
        /// They need not be here until somebody reads them: a placeholder shows them at once.
        case unwanted
        /// They are to be here, whole, before they are shown.
        case missing
        /// They are here, whole.
        case here
    }

    package var parent: ItemID
    package var name: Name
    package var metadata: Metadata
    package var kind: ItemKind
    /// Where a symbolic link points.
    package var target: [UInt8]?
    package var bytes: Bytes
    /// The revision that the bytes were made from; `nil` for what the store never had, and for
    /// directories.
    package var basis: Revision?
    package var conflictOf: ConflictMark?
    /// A process has it open for writing.
    package var isHeld: Bool
    /// It was edited, and what is missing of the body that it was made from is lost.
    package var lacksSource = false
    /// The stored body that it was made of is nowhere any more, and nobody wrote into it.
    private(set) var isHollow = false
    package var newer = NewerBody.unwanted
    /// It lives on this device only (S15).
    package var isExcluded: Bool
    /// It is on its way to `Local/` (S24) and has not arrived.
    package var isDeparting: Bool
    /// A directory that holds something here.
    package var hasChildren: Bool
    /// A directory that holds something here which is still to be sent.
    package var holdsNews = false
    /// A directory that holds nothing but what lives on this device only (S15).
    package var holdsOnlyScratch = false
    /// In the store, the directory that it was moved into lies below it: another device moved the
    /// two the other way round, and came first.
    package var wouldHoldItself: Bool

    package init(
        parent: ItemID, name: Name, metadata: Metadata, kind: ItemKind, target: [UInt8]? = nil,
        bytes: Bytes = .same, basis: Revision? = nil, conflictOf: ConflictMark? = nil,
        isHeld: Bool = false, isExcluded: Bool = false, isDeparting: Bool = false,
        hasChildren: Bool = false, wouldHoldItself: Bool = false
    ) {
        self.parent = parent
        self.name = name
        self.metadata = metadata
        self.kind = kind
        self.target = target
        self.bytes = bytes
        self.basis = basis
        self.conflictOf = conflictOf
        self.isHeld = isHeld
        self.isExcluded = isExcluded
        self.isDeparting = isDeparting
        self.hasChildren = hasChildren
        self.wouldHoldItself = wouldHoldItself
    }

    /// Whether an edit is here that the basis does not have.
    var isEdited: Bool { bytes != .same }

    /// Nothing is there of its bytes: what the store has takes their place.
    mutating func becomeHollow() { (isHollow, bytes, basis) = (true, .same, nil) }
}
