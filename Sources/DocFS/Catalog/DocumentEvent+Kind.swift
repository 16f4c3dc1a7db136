extension DocumentEvent {
    /// Everything that is told, in the order of the page Events, which a test compares with this.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case made
        case edited
        case closed
        case moved
        case left
        case deleted
        case arrived
        case changed
        case outdated
        case conflict
        case resolved
        case uploaded
        case savingError = "saving-error"
        case downloading
        case downloaded
        case downloadError = "download-error"
        case evicted
        case pinned
        case offline
        case online
    }
}

extension DocumentEvent.Kind {
    /// Which rooms' code posts it, for `Local/` another than for containers: a test looks for that.
    package var rooms: Set<String> {
        switch self {
        case .closed, .downloading, .downloaded, .downloadError, .evicted, .pinned: ["Content"]
        case .made, .edited, .moved, .left, .deleted, .arrived: ["Scopes", "Sync"]
        default: ["Sync"]
        }
    }

    /// The member of its line that tells more, beside those that all lines have.
    package var member: String? {
        switch self {
        case .moved: "from"
        case .conflict: "sibling"
        case .outdated: "saved"
        case .pinned: "pin"
        default: nil
        }
    }

    /// What has happened, in words.
    package var meaning: String {
        switch self {
        case .made: "was made or copied here"
        case .edited: "has other bytes, another mode or other attributes, by a program here"
        case .closed: "is open for writing no more, and has something to be sent"
        case .moved: "has another name or lies in another directory"
        case .left: "was moved elsewhere: to a container, or to a `Local/`"
        case .deleted: "is gone"
        case .arrived: "came from another device or program; to `Local/`, from a container"
        case .changed: "has a newer version or description, by another device or program"
        case .outdated: "has a newer version that waits until programs here close it"
        case .conflict: "has a conflict version beside it from now on"
        case .resolved: "has no conflict version any more"
        case .uploaded: "is in the container with the bytes it has here"
        case .savingError: "cannot be sent, or something else about it cannot be done there"
        case .downloading: "is being fetched as a whole, and not here after 0.3 s"
        case .downloaded: "is here as a whole"
        case .downloadError: "cannot be fetched"
        case .evicted: "is a placeholder again"
        case .pinned: "is always to be here from now on, or no longer"
        case .offline: "the container is out of reach"
        case .online: "the container is in reach"
        }
    }
}
