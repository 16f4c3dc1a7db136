/// The JSON shape of a container's marker.
struct MarkerBody: Codable {
    var layout: Int
    var id: String
}
