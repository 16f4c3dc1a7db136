extension StoreCapabilities {
    /// What must not be counted on, in words; `nil` for a store that refuses whatever would undo
    /// a change that its author had not seen, and keeps what it has.
    package var guarantee: String? {
        let sentences = [refusing, expires ? Self.expiring : nil].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    private static let expiring =
        "a lifecycle rule of the bucket removes or archives old records of the change log: except "
        + ".docfs/ from it, or devices that come later cannot use the container"

    private var refusing: String? {
        let lacking = [
            (conditionalCreate, "create"), (conditionalReplace, "replace"),
            (conditionalRemove, "remove"),
        ].filter { !$0.0 }.map(\.1)
        if lacking.isEmpty { return nil }
        return
            "the store does not refuse to \(lacking.joined(separator: " or ")) what another device "
            + "changes at the same moment: one of the two changes may be lost"
    }
}
