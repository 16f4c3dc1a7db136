/// One of the versions between which a conflict is.
struct ConflictVersion: Encodable {
    /// 1 is the current one.
    let number: Int
    /// Which device made it; `nil` for the current version, which is no device's any more.
    let device: String?
    /// Where it lies.
    let path: String
    /// Bytes.
    let size: UInt64
    /// ISO 8601, UTC.
    let modified: String

    var item: Walk.Item { Walk.Item(path: path, name: title, isDirectory: false) }

    /// `current`, or the device.
    var title: String { device ?? "current" }

    init(number: Int, device: String?, path: String) throws {
        let status = try Files.status(of: path)
        self.number = number
        self.device = device
        self.path = path
        size = status.size
        modified = status.modified.isoText
    }

    /// What a sibling's name says: `NAME (conflict from DEVICE, YYYY-MM-DD HH.MM.SS).EXT`.
    static func device(ofSibling name: String) -> String {
        guard let begin = name.range(of: " (conflict from ", last: true),
            let comma = name[begin.upperBound...].lastIndex(of: ",")
        else { return "another device" }
        return String(name[begin.upperBound..<comma])
    }

    /// A name of its own for a sibling: `NAME (DEVICE).EXT`, then `NAME (DEVICE 2).EXT` and so on.
    static func ownName(of sibling: String, attempt: Int) -> String {
        guard let begin = sibling.range(of: " (conflict from ", last: true),
            let end = sibling[begin.upperBound...].firstIndex(of: ")")
        else { return attempt == 0 ? sibling : "\(sibling) \(attempt + 1)" }
        let counter = attempt == 0 ? "" : " \(attempt + 1)"
        return sibling[..<begin.lowerBound] + " (\(device(ofSibling: sibling))\(counter)"
            + sibling[end...]
    }

    var modifiedText: String { Moment(utc: modified)?.secondsText ?? modified }
}
