/// Names for conflict versions (S16), and for what has to leave its name to a document.
package enum SiblingName {
    /// What such a name says first.
    package enum Mark: String, Sendable {
        case conflict = "conflict from"
        /// It lives on one device only and is nobody's conflict (S15).
        case onlyHere = "only on"
    }

    /// The bytes that every conflict version has in its name, until somebody renames it.
    package static let conflictWords = Array(" (\(Mark.conflict.rawValue) ".utf8)

    /// `NAME (conflict from DEVICE, YYYY-MM-DD HH.MM.SS).EXT`, at most 255 bytes; what is special
    /// about it stands after the device.
    ///
    /// - Parameters:
    ///   - time: when the conflict was found, by this device's clock, in UTC; for people only.
    ///   - attempt: 0 first, then 1, 2… while the name is taken.
    package static func make(
        for name: Name, device: String, mark: Mark = .conflict, remark: String? = nil,
        time: Timestamp, attempt: Int
    ) -> Name {
        let (stem, ending) = name.parts
        let counter = attempt == 0 ? "" : " \(attempt + 1)"
        let safeDevice = device.utf8.map { $0 == 0x2F || $0 == 0 ? 0x2D : $0 }
        var words = Array(" (\(mark.rawValue) ".utf8)
        words += Name.cut(safeDevice, to: 64)
        if let remark { words += Array(", \(remark)".utf8) }
        words += Array(", \(text(of: time))\(counter))".utf8)
        let room = Name.maximumLength - words.count - ending.count
        return Name(Name.cut(stem, to: max(1, room)) + words + ending)
    }

    /// `YYYY-MM-DD HH.MM.SS` in UTC.
    static func text(of time: Timestamp) -> String { CivilTime(time).nameText }
}
