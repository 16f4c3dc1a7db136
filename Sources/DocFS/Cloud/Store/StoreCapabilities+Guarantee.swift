extension StoreCapabilities {
    /// What must not be counted on, in words; `nil` for a store that refuses whatever would undo
    /// a change that its author had not seen.
    package var guarantee: String? {
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
