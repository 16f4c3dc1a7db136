/// The JSON shape of a change record.
struct RecordBody: Codable {
    var v: Int
    var device: String
    var name: String
    var time: Int64
    var changes: [ChangeBody]
    /// Absent for none.
    var collected: [String]?
}
