/// The JSON shape of a change record that is written; ``ReadRecord`` is what is read.
struct RecordBody: Encodable {
    var v: Int
    var device: String
    var name: String
    var time: Int64
    /// SHA-256 of the record before this one, in hexadecimal digits; absent in the first.
    var previous: String?
    var changes: [ChangeBody]
    /// Absent for none.
    var collected: [String]?
}
