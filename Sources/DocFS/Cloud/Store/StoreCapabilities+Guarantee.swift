extension StoreCapabilities {
    /// What must not be counted on, in words; `nil` for a store that refuses whatever would undo
    /// a change that its author had not seen, keeps what it has, and lets this device do all.
    package var guarantee: String? {
        let sentences = [
            rights, writesRefused == nil ? refusing : nil, expires ? Self.expiring : nil,
        ].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// What this device may not do there, and what follows.
    private var rights: String? {
        if let writesRefused {
            let rest =
                logIsPrivate
                ? "there is no container, so that this device alone keeps what it knows of it"
                : "what other programs put there is shown once a device that may write has "
                    + "recorded it"
            return "read-only, because this device may not write there (\(writesRefused)): \(rest)"
        }
        if logIsPrivate { return "read-only, until this device has made a container of it" }
        return deletesRefused.map {
            "the credentials may not delete (\($0)): deletes and renames fail or leave objects "
                + "behind, and this device removes no old versions, trash and records"
        }
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
            + "changes at the same moment: one of the two changes may be lost, so let one device "
            + "at a time change it, or move to another store"
    }
}
