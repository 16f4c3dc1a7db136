/// The JSON shape of an effect in the journal.
///
/// Apart from the model, so that neither binds the other.
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
                after: effect.after, isMovedOut: effect.isMovedOut))
        kind = effect.kind.rawValue
        path = ContainerCoding.text(effect.path)
        destination = effect.destination.map(ContainerCoding.text)
        keep = effect.keep.map(ContainerCoding.text)
        sourceRevision = effect.source?.revision.token
        sourcePlaces = effect.source?.places.map(ContainerCoding.text)
    }

    /// The effect, when it makes sense: one without its path or its places would do something else.
    func checked() throws(RuleBreach) -> Effect {
        guard let verb = Effect.Verb(rawValue: verb), let kind = ItemKind(rawValue: kind) else {
            throw RuleBreach("an effect is of no known kind")
        }
        let change = try change.checked()
        let source = sourceRevision.map {
            StoredBody(
                revision: Revision($0),
                places: (sourcePlaces ?? []).compactMap(ContainerCoding.path))
        }
        return Effect(
            verb: verb, operation: change.operation, item: change.item, before: change.before,
            after: change.after, kind: kind, path: try Self.place(path),
            destination: try destination.map(Self.place), keep: try keep.map(Self.place),
            source: source, isMovedOut: change.isMovedOut)
    }

    private static func place(_ text: String) throws(RuleBreach) -> ItemPath {
        guard let path = ContainerCoding.path(text) else {
            throw RuleBreach("an effect has a path that is none")
        }
        return path
    }
}
