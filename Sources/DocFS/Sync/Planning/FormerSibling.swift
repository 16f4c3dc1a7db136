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
    /// Somebody has opened it here, and goes by what was in it then.
    package var isOpened: Bool
    /// The store has its bytes, and keeps them when it gets others.
    package var isStored: Bool
    /// Its bytes are on their way to the store.
    package var isBeingSent: Bool
    /// Its bytes were made from the same version of the document as those that are saved now.
    package var hasSameBasis: Bool
    /// Seconds since it got its bytes; negative when the clock was set back meanwhile.
    package var age: Int64

    /// All that is known of it.
    package init(
        isAsMade: Bool, isOpened: Bool, isStored: Bool, isBeingSent: Bool, hasSameBasis: Bool,
        age: Int64
    ) {
        self.isAsMade = isAsMade
        self.isOpened = isOpened
        self.isStored = isStored
        self.isBeingSent = isBeingSent
        self.hasSameBasis = hasSameBasis
        self.age = age
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
