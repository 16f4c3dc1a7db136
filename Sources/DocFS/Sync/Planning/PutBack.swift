/// Bodies that the container had and keeps nowhere, because another program overwrote or deleted
/// them.
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
}
