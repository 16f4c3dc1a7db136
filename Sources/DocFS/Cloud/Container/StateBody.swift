internal import FoundationEssentials

/// The JSON shape of an item's state.
///
/// Apart from the model, so that neither binds the other.
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
    var conflictBase: String?

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
        conflictOf = state.conflictOf?.document.description
        conflictBase = state.conflictOf?.base?.token
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

    /// The state, when it keeps the rules that one item alone can break.
    ///
    /// - Parameter item: whose state it is.
    func checked(of item: ItemID) throws(RuleBreach) -> ItemState {
        let parent = try ContainerRules.parent(parent)
        let name = try ContainerRules.name(name)
        try ContainerRules.place(name, in: parent, of: item)
        let document = try conflictOf.map(ContainerRules.item)
        if document == item { throw RuleBreach("an item is a conflict version of itself") }
        let base = try conflictBase.map(ContainerRules.revision)
        return ItemState(
            parent: parent, name: name, metadata: try checkedMetadata(),
            content: try checkedContent(),
            conflictOf: document.map { ConflictMark(of: $0, madeFrom: base) })
    }

    /// The same of an item that is nowhere any more: its parent counts for nothing.
    func checkedDescription() throws(RuleBreach) -> (Metadata, ItemContent) {
        (try checkedMetadata(), try checkedContent())
    }

    private func checkedMetadata() throws(RuleBreach) -> Metadata {
        let attributes = (xattrs ?? [:])
            .map { ExtendedAttribute(name: $0.key, value: Array($0.value)) }
            .filter { ContainerRules.isKept($0.name) }
        return Metadata(
            mode: mode, modified: try ContainerRules.time(mtime),
            attributes: try ContainerRules.attributes(attributes))
    }

    private func checkedContent() throws(RuleBreach) -> ItemContent {
        switch kind {
        case "directory": return .directory
        case "file":
            guard let size, let rev else { throw RuleBreach("a document has no body") }
            return .file(
                Body(
                    size: try ContainerRules.size(size),
                    digest: try ContainerRules.digest(sha256),
                    revision: try ContainerRules.revision(rev)))
        case "symlink":
            guard let target, let rev else { throw RuleBreach("a symbolic link has no target") }
            return .symlink(
                target: try ContainerRules.target(Array(target)),
                revision: try ContainerRules.revision(rev))
        default: throw RuleBreach("an item is of no known kind")
        }
    }
}
