/// The JSON shape of one change of a record.
///
/// Apart from the model, so that neither binds the other; `value` is `nil` when it makes no sense.
struct ChangeBody: Codable {
    var op: String
    var item: String
    var before: PlaceBody?
    var after: StateBody?
    var kept: String?
    var object: String?
    /// Absent for false.
    var sameBody: Bool?
    var removed: StateBody?

    init(_ change: Change) {
        op = change.operation.description
        item = change.item.description
        before = change.before.map(PlaceBody.init)
        after = change.after.map(StateBody.init)
        kept = change.kept.map(ContainerCoding.text)
        object = change.object.map(ContainerCoding.text)
        sameBody = change.keepsBody ? true : nil
        removed = change.removed.map(StateBody.init)
    }

    var value: Change? {
        guard let operation = OperationID(text: op), let item = ItemID(text: item) else {
            return nil
        }
        let place = before?.value
        let state = after?.value
        let former = removed?.value
        guard (place == nil) == (before == nil), (state == nil) == (after == nil),
            (former == nil) == (removed == nil)
        else { return nil }
        return Change(
            operation: operation, item: item, before: place, after: state,
            kept: kept.flatMap(ContainerCoding.path),
            object: object.flatMap(ContainerCoding.path), keepsBody: sameBody ?? false,
            removed: former)
    }
}
