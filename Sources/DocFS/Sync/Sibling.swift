/// What a conflict version that is made now is called, and who it is (S16).
struct Sibling: Sendable {
    let item: ItemID
    let device: String
    var mark = SiblingName.Mark.conflict
    /// What its name says of it beside that.
    var remark: String?
    let time: Timestamp

    /// The first name beside `name` that is free.
    func name(for name: Name, unless isTaken: (Name) throws(DocFSError) -> Bool)
        throws(DocFSError) -> Name
    {
        var attempt = 0
        while true {
            let candidate = SiblingName.make(
                for: name, device: device, mark: mark, remark: remark, time: time,
                attempt: attempt)
            if try !isTaken(candidate) { return candidate }
            attempt += 1
        }
    }
}
