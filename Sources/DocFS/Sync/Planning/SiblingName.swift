/// Names for conflict versions (S16).
package enum SiblingName {
    /// `NAME (conflict from DEVICE, YYYY-MM-DD HH.MM.SS).EXT`, at most 255 bytes; what is special
    /// about it stands after the device.
    ///
    /// - Parameters:
    ///   - time: when the conflict was found, by this device's clock, in UTC; for people only.
    ///   - attempt: 0 first, then 1, 2… while the name is taken.
    package static func make(
        for name: Name, device: String, remark: String? = nil, time: Timestamp, attempt: Int
    ) -> Name {
        let (stem, ending) = name.parts
        let counter = attempt == 0 ? "" : " \(attempt + 1)"
        let safeDevice = device.utf8.map { $0 == 0x2F || $0 == 0 ? 0x2D : $0 }
        var mark = Array(" (conflict from ".utf8)
        mark += Name.cut(safeDevice, to: 64)
        if let remark { mark += Array(", \(remark)".utf8) }
        mark += Array(", \(text(of: time))\(counter))".utf8)
        let room = Name.maximumLength - mark.count - ending.count
        return Name(Name.cut(stem, to: max(1, room)) + mark + ending)
    }

    /// `YYYY-MM-DD HH.MM.SS` in UTC.
    static func text(of time: Timestamp) -> String { CivilTime(time).nameText }
}
