/// The JSON shape of a change record that was read.
struct ReadRecord: Decodable {
    var v: Int
    var device: String
    var name: String
    var time: Int64
    var previous: String?
    var changes: [ReadChange]
    var collected: [String]?
}
