@testable import DocFS

/// What is so in a situation, said without the planner's own words.
extension Situation {
    var isEdited: Bool { local.map { $0.bytes != .same } ?? false }

    /// Whether the bytes here were made from the store's revision.
    var isCurrent: Bool {
        guard let local, let remote else { return false }
        return local.basis == remote.content.revision
    }

    /// Whether the bytes here are known to be the store's.
    var holdsEqualBytes: Bool {
        guard let local, let remote, local.kind == remote.kind else { return false }
        switch (remote.content, local.bytes) {
        case (.directory, _): return true
        case (_, .same): return isCurrent
        case (.symlink(let target, _), .changed): return local.target == target
        case (.file(let body), .changed(let digest, let size)):
            return digest != nil && digest == body.digest && size == body.size
        }
    }

    /// Whether the store's body is the base's, perhaps under another revision.
    var isUnchangedThere: Bool {
        guard let base, let remote else { return false }
        switch (base.content, remote.content) {
        case (.file(let old), .file(let new)):
            return old.revision == new.revision
                || old.digest != nil && (old.digest, old.size) == (new.digest, new.size)
        case (.symlink(let old, _), .symlink(let new, _)): return old == new
        case (.directory, .directory): return true
        default: return false
        }
    }

    var isInPlace: Bool {
        guard let local, let remote else { return false }
        return local.parent == remote.parent && local.name == remote.name
    }

    var wasMovedThere: Bool {
        guard let base, let remote else { return false }
        return base.parent != remote.parent || base.name != remote.name
    }

    var isDescribedAlike: Bool {
        guard let local, let remote else { return false }
        return local.metadata == remote.metadata && local.conflictOf == remote.conflictOf
    }

    /// Whether nothing was set on it here since the base.
    var isDescribedAsBase: Bool {
        local?.metadata == base?.metadata && local?.conflictOf == base?.conflictOf
    }

    /// Whether its place is decided already: its bytes agree, or are fetched before they are shown.
    var mayMove: Bool {
        let awaits = local?.newer == .missing && local?.kind == remote?.kind && isDescribedAsBase
        return holdsEqualBytes || awaits && !isEdited && !isCurrent
    }

    /// Local and remote are the same in every facet.
    var isAgreed: Bool { holdsEqualBytes && isInPlace && isDescribedAlike }

    /// Whether two bodies of one size cannot be told apart without a digest.
    var lacksDigest: Bool {
        guard case .changed(let digest, let size) = local?.bytes,
            case .file(let body) = remote?.content
        else { return false }
        if size == body.size, digest == nil || body.digest == nil { return true }
        return digest == nil && size == origin?.size && origin?.digest != nil
    }

    /// Whether what was saved here is what it was made from.
    var isSavedAsItWas: Bool {
        guard case .changed(let digest, let size) = local?.bytes, let origin, digest != nil else {
            return false
        }
        return (digest, size) == (origin.digest, origin.size)
    }

    /// The base's body, when the one here was made from it.
    private var origin: Body? {
        guard local?.kind == .file, case .file(let body) = base?.content,
            local?.basis == body.revision
        else { return nil }
        return body
    }

    /// Whether a description here or there was not changed by both.
    var describesOnlyHere: Bool {
        guard let local, let base, let remote else { return false }
        let isMarkMine =
            base.conflictOf == remote.conflictOf || remote.conflictOf == local.conflictOf
        let (old, new, mine) = (base.metadata, remote.metadata, local.metadata)
        return isMarkMine && (old.mode == new.mode || new.mode == mine.mode)
            && (old.modified == new.modified || new.modified == mine.modified)
            && (old.attributes == new.attributes || new.attributes == mine.attributes)
    }
}
