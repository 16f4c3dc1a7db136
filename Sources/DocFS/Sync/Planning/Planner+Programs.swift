/// What programs are in the middle of, which decides when something is sent and what is told of it.
extension Planner {
    /// Whether another device has saved a version that is shown once programs here have closed the
    /// document, or meets what they write into it (S9).
    ///
    /// - Parameters:
    ///   - step: what is to be done about it.
    ///   - isRecorded: a record told of the version that the bytes here were made from, so that it
    ///     is an earlier one. Of others it is not known yet whether they are not the newer ones.
    package static func isOutdated(
        _ step: Step, local: LocalView?, remote: ItemState?, isRecorded: Bool
    ) -> Bool {
        guard let local, local.kind == .file, local.isHeld, !local.isExcluded, !local.isDeparting,
            case .file(let body)? = remote?.content, let basis = local.basis,
            basis != body.revision, isRecorded
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
