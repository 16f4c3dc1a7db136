/// Decides which bodies are put back that another program overwrote or deleted in the container
/// (S19).
enum PutBack {
    /// Whether a device that has the body is to put it back, as an earlier version or into the
    /// trash.
    ///
    /// Versions are kept of what was saved on a device, whose digest the log has: other programs
    /// may overwrite their own bodies as often as they like. A body with a digest was written by
    /// another device, which has kept the former one itself. A document is deleted only once,
    /// whoever wrote it.
    ///
    /// - Parameters:
    ///   - after: what the document holds then; `nil` where it goes.
    ///   - isKept: the record says where the container keeps the former body.
    ///   - keepsBody: the body is the same, whatever its revision is.
    static func isNeeded(
        _ body: ItemContent, after: ItemContent?, isKept: Bool, keepsBody: Bool, isMovedOut: Bool
    ) -> Bool {
        guard case .file(let former) = body, former.size > 0, !isKept, !keepsBody, !isMovedOut
        else { return false }
        guard let after else { return true }
        guard former.digest != nil, case .file(let next) = after else { return false }
        return next.digest == nil && next.revision != former.revision
    }

    /// Whether a body that loses its name here is the one of its document that is put back from
    /// then on.
    ///
    /// There is only one: the latest that can be, instead of any before it. What is not whole here,
    /// or was edited, is not what the container had.
    ///
    /// - Parameters:
    ///   - state: how much of it is here.
    ///   - isReadOnly: this device may write nothing into the container.
    static func takesOver(_ state: ContentState, isEdited: Bool, isReadOnly: Bool) -> Bool {
        state == .current && !isEdited && !isReadOnly
    }

    /// Whether the container has a body all the same: as the document, as a version of it, or in
    /// the trash.
    ///
    /// - Parameters:
    ///   - current: the document's digest now; `nil` where it is gone, or nobody has read it.
    ///   - versions: those of its earlier versions.
    ///   - trash: those of what was deleted of it.
    static func isKept(
        _ digest: Digest, current: Digest?, versions: [Digest?], trash: [Digest?]
    ) -> Bool {
        current == digest || versions.contains(digest) || trash.contains(digest)
    }
}
