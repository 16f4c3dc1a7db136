internal import FoundationEssentials

// The JSON shapes of ``ContainerCoding``. They are apart from the model so that neither binds the
// other; every `value` is `nil` when the text does not make sense.

struct MarkerBody: Codable {
    var layout: Int
    var id: String
}

struct RecordBody: Codable {
    var v: Int
    var device: String
    var name: String
    var time: Int64
    var changes: [ChangeBody]
}

struct PlaceBody: Codable {
    var parent: String
    var name: String
    var rev: String?

    init(_ place: Place) {
        parent = place.parent.description
        name = ContainerCoding.text(place.name)
        rev = place.revision?.token
    }

    var value: Place? {
        guard let parent = ItemID(text: parent), let name = ContainerCoding.name(name) else {
            return nil
        }
        return Place(parent: parent, name: name, revision: rev.map(Revision.init))
    }
}

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

struct ChangeBody: Codable {
    var op: String
    var item: String
    var before: PlaceBody?
    var after: StateBody?
    var kept: String?

    init(_ change: Change) {
        op = change.operation.description
        item = change.item.description
        before = change.before.map(PlaceBody.init)
        after = change.after.map(StateBody.init)
        kept = change.kept.map(ContainerCoding.text)
    }

    var value: Change? {
        guard let operation = OperationID(text: op), let item = ItemID(text: item) else {
            return nil
        }
        let place = before?.value
        let state = after?.value
        guard (place == nil) == (before == nil), (state == nil) == (after == nil) else {
            return nil
        }
        return Change(
            operation: operation, item: item, before: place, after: state,
            kept: kept.flatMap(ContainerCoding.path))
    }
}

struct EffectBody: Codable {
    var verb: String
    var change: ChangeBody
    var kind: UInt8
    var path: String
    var destination: String?
    var keep: String?
    var sourceRevision: String?
    var sourcePlaces: [String]?

    init(_ effect: Effect) {
        verb = effect.verb.rawValue
        change = ChangeBody(
            Change(
                operation: effect.operation, item: effect.item, before: effect.before,
                after: effect.after))
        kind = effect.kind.rawValue
        path = ContainerCoding.text(effect.path)
        destination = effect.destination.map(ContainerCoding.text)
        keep = effect.keep.map(ContainerCoding.text)
        sourceRevision = effect.source?.revision.token
        sourcePlaces = effect.source?.places.map(ContainerCoding.text)
    }

    var value: Effect? {
        guard let verb = Effect.Verb(rawValue: verb), let change = change.value,
            let kind = ItemKind(rawValue: kind), let path = ContainerCoding.path(path)
        else { return nil }
        let source = sourceRevision.map {
            StoredBody(
                revision: Revision($0),
                places: (sourcePlaces ?? []).compactMap(ContainerCoding.path))
        }
        return Effect(
            verb: verb, operation: change.operation, item: change.item, before: change.before,
            after: change.after, kind: kind, path: path,
            destination: destination.flatMap(ContainerCoding.path),
            keep: keep.flatMap(ContainerCoding.path), source: source)
    }
}
