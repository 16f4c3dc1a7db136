/// Decides what becomes of the conflict version that this device made last of a document, when what
/// is saved there now gets into a conflict as well (S14a).
///
/// A program that stays behind, and two devices that save as fast as they can, would otherwise make
/// one after the other. What is replaced in it stays in its earlier versions.
package struct FormerSibling: Hashable, Sendable {
    /// What becomes of it.
    package enum Fate: Hashable, Sendable {
        /// It stays as it is, and there is another one.
        case stays
        /// It is waited for.
        case isAwaited
        /// It gets the bytes that are saved now.
        case isUpdated
    }

    /// So long after it got its bytes, others that were made from another version of the document
    /// go into it too, as long as nobody has opened it: later ones are another piece of work.
    ///
    /// In seconds.
    package static let burst: Int64 = 600
    /// How long it has until it begins to be sent.
    ///
    /// In seconds.
    package static let patience: Int64 = 30

    /// Nobody has changed it, here or elsewhere.
    package var isAsMade: Bool
    /// The store has its bytes, and keeps them when it gets others.
    package var isStored: Bool
    /// Somebody has opened it here, and goes by what was in it then.
    package var isOpened = false
    /// Its bytes are on their way to the store.
    package var isBeingSent = false
    /// Its bytes were made from the same version of the document as those that are saved now.
    package var hasSameBasis = false
    /// Seconds since it got its bytes; negative when the clock was set back meanwhile.
    package var age: Int64 = 0

    package init(isAsMade: Bool, isStored: Bool) {
        self.isAsMade = isAsMade
        self.isStored = isStored
    }

    /// - Parameters:
    ///   - local: the conflict version, as it is here.
    ///   - base: as both sides had it last; `nil` until it is stored.
    ///   - remote: as the store has it.
    ///   - document: whose conflict version it was made as.
    ///   - isUntouched: neither its bytes nor its description were changed here since.
    package init(
        _ local: LocalView, base: ItemState?, remote: ItemState?, of document: ItemID,
        isUntouched: Bool
    ) {
        isAsMade =
            isUntouched && local.conflictOf?.document == document
            && (base == nil || local.name == base?.name && base?.isSame(as: remote) == true)
        isStored = base != nil && local.bytes == .same && local.basis == base?.content.revision
    }

    /// What becomes of it.
    package var fate: Fate {
        let isRecent = (0..<Self.burst).contains(age)
        let isOfBurst = isRecent && !isOpened
        guard isAsMade, hasSameBasis || isOfBurst else { return .stays }
        if isStored { return .isUpdated }
        let isAwaited = isBeingSent && isRecent || (0..<Self.patience).contains(age)
        return isAwaited ? .isAwaited : .stays
    }
}

extension ItemState {
    /// Whether no other device has changed, moved, described or deleted the item.
    ///
    /// A record may know a digest that the one before did not.
    fileprivate func isSame(as other: ItemState?) -> Bool {
        parent == other?.parent && name == other?.name && conflictOf == other?.conflictOf
            && metadata == other?.metadata && content.revision == other?.content.revision
    }
}
