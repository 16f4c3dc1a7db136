/// The JSON shape of a change's precondition.
///
/// Apart from the model, so that neither binds the other.
struct PlaceBody: Codable {
    var parent: String
    var name: String
    var rev: String?

    init(_ place: Place) {
        parent = place.parent.description
        name = ContainerCoding.text(place.name)
        rev = place.revision?.token
    }

    func checked() throws(RuleBreach) -> Place {
        Place(
            parent: try ContainerRules.parent(parent), name: try ContainerRules.name(name),
            revision: try rev.map(ContainerRules.revision))
    }
}
