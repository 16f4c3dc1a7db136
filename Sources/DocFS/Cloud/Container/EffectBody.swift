/// The JSON shape of an effect in the journal.
///
/// Apart from the model, so that neither binds the other; `value` is `nil` when it makes no sense.
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
        guard let verb = Effect.Verb(rawValue: verb), let change = try? change.checked(),
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
