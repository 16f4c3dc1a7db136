/// The JSON shape of a change's precondition.
///
/// Apart from the model, so that neither binds the other; `value` is `nil` when it makes no sense.
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
