internal import FoundationEssentials

/// The JSON shape of an item's state.
///
/// Apart from the model, so that neither binds the other; `value` is `nil` when it makes no sense.
struct StateBody: Codable {
    var parent: String
    var name: String
    var kind: String
    var mode: UInt16
    /// Seconds and nanoseconds.
    var mtime: [Int64]
    /// Values in base64.
    var xattrs: [String: Data]?
    var size: UInt64?
    var sha256: String?
    var rev: String?
    var target: Data?
    var conflictOf: String?

    init(_ state: ItemState) {
        parent = state.parent.description
        name = ContainerCoding.text(state.name)
        mode = state.metadata.mode
        mtime = [state.metadata.modified.seconds, Int64(state.metadata.modified.nanoseconds)]
        if !state.metadata.attributes.isEmpty {
            xattrs = Dictionary(
                state.metadata.attributes.map { ($0.name, Data($0.value)) },
                uniquingKeysWith: { $1 })
        }
        conflictOf = state.conflictOf?.description
        switch state.content {
        case .file(let body):
            kind = "file"
            size = body.size
            sha256 = body.digest?.description
            rev = body.revision.token
        case .directory: kind = "directory"
        case .symlink(let bytes, let revision):
            kind = "symlink"
            target = Data(bytes)
            rev = revision.token
        }
    }

    var value: ItemState? {
        guard let parent = ItemID(text: parent), let name = ContainerCoding.name(name),
            mtime.count == 2, (0..<1_000_000_000).contains(mtime[1]), let content
        else { return nil }
        let attributes = (xattrs ?? [:])
            .map { ExtendedAttribute(name: $0.key, value: Array($0.value)) }
            .filter { $0.name.hasPrefix("user.") && !$0.name.hasPrefix("user.docfs.") }
        return ItemState(
            parent: parent, name: name,
            metadata: Metadata(
                mode: mode,
                modified: Timestamp(seconds: mtime[0], nanoseconds: UInt32(mtime[1])),
                attributes: attributes),
            content: content, conflictOf: conflictOf.flatMap { ItemID(text: $0) })
    }

    private var content: ItemContent? {
        switch kind {
        case "directory": return .directory
        case "file":
            guard let size, let rev else { return nil }
            return .file(
                Body(
                    size: size, digest: sha256.flatMap { Digest(text: $0) },
                    revision: Revision(rev)))
        case "symlink":
            guard let target, let rev else { return nil }
            return .symlink(target: Array(target), revision: Revision(rev))
        default: return nil
        }
    }
}
