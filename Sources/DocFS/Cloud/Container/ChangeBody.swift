/// The JSON shape of one change of a record.
///
/// Apart from the model, so that neither binds the other.
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
    /// Absent for false.
    var movedOut: Bool?

    init(_ change: Change) {
        op = change.operation.description
        item = change.item.description
        before = change.before.map(PlaceBody.init)
        after = change.after.map(StateBody.init)
        kept = change.kept.map(ContainerCoding.text)
        object = change.object.map(ContainerCoding.text)
        sameBody = change.keepsBody ? true : nil
        removed = change.removed.map(StateBody.init)
        movedOut = change.isMovedOut ? true : nil
    }

    /// The change, when it keeps the rules that one change alone can break.
    func checked() throws(RuleBreach) -> Change {
        let item = try ContainerRules.item(item)
        var change = Change(
            operation: try ContainerRules.operation(op), item: item, before: nil, after: nil,
            keepsBody: sameBody ?? false, isMovedOut: after == nil && movedOut ?? false)
        if let before { change.before = try before.checked() }
        if let after { change.after = try after.checked(of: item) }
        if let kept { change.kept = try ContainerRules.kept(kept) }
        if let object { change.object = try ContainerRules.object(object) }
        if let removed { change.removed = try removed.checked(of: item) }
        return change
    }
}
