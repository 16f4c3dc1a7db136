/// What a save under a name is made from, asked before the transaction that makes it (S14a).
struct SaveOrigin {
    /// What the saving program knows, where that is not what was shown.
    let outdated: Revision?
    /// What had the name when that was asked.
    let shown: LocalItem?

    /// What is written over `other` is made from, which has the name now.
    func basis(over other: LocalItem) -> Revision? {
        guard let shown, shown.item == other.item else { return other.basis }
        if let outdated { return outdated }
        // What has arrived since, the program does not know.
        return shown.ino == other.ino ? other.basis : shown.basis ?? other.basis
    }
}
