/// Decisions about what programs are in the middle of: when something is sent, and what is told.
extension Planner {
    /// Whether another device has saved a version that is shown once programs here have closed the
    /// document, or meets what they write into it (S9).
    ///
    /// - Parameters:
    ///   - step: what is to be done about it.
    ///   - isOldBasis: the bytes here were made from an earlier version of the document, as a
    ///     record told. Of others it is not known yet whether they are not the newer ones.
    package static func isOutdated(
        _ step: Step, local: LocalView?, base: ItemState?, remote: ItemState?, isOldBasis: Bool
    ) -> Bool {
        guard let local, local.kind == .file, local.isHeld, !local.isExcluded, !local.isDeparting,
            case .file(let body)? = remote?.content, let basis = local.basis,
            basis != body.revision, basis == base?.content.revision || isOldBasis
        else { return false }
        return step == .wait(.writer) || step == .sendAside
    }

    /// The place of a document that was renamed to what editors call a backup, as the container has
    /// it; `nil` of all others.
    ///
    /// Where nothing has that name yet, the new version may be about to be made there (S14).
    package static func placeBeforeBackup(
        local: LocalView?, base: ItemState?, scratch: Scratch
    ) -> (parent: ItemID, name: Name)? {
        guard let local, local.kind == .file, let base, scratch.matches(local.name),
            !scratch.matches(base.name)
        else { return nil }
        return (base.parent, base.name)
    }
}
