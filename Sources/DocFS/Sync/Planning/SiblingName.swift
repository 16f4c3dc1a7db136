/// Names for conflict versions (S16).
package enum SiblingName {
    /// Extensions that belong together with the one before them.
    private static let compounds: Set<String> = ["gz", "bz2", "xz", "zst", "lz", "lzma", "Z", "br"]

    /// `NAME (conflict from DEVICE, YYYY-MM-DD HH.MM.SS).EXT`, at most 255 bytes.
    ///
    /// - Parameters:
    ///   - time: when the conflict was found, by this device's clock, in UTC; for people only.
    ///   - attempt: 0 first, then 1, 2… while the name is taken.
    package static func make(
        for name: Name, device: String, time: Timestamp, attempt: Int
    ) -> Name {
        let (stem, ending) = split(name.bytes)
        let counter = attempt == 0 ? "" : " \(attempt + 1)"
        let safeDevice = device.utf8.map { $0 == 0x2F || $0 == 0 ? 0x2D : $0 }
        var mark = Array(" (conflict from ".utf8)
        mark += cut(safeDevice, to: 64)
        mark += Array(", \(text(of: time))\(counter))".utf8)
        let room = Name.maximumLength - mark.count - ending.count
        return Name(cut(stem, to: max(1, room)) + mark + ending)
    }

    /// Splits off the extension with its dot. A leading dot begins a hidden name, no extension;
    /// an extension of more than 32 bytes is none; `.tar.gz` and its like stay whole.
    static func split(_ name: [UInt8]) -> (stem: [UInt8], ending: [UInt8]) {
        guard let dot = extensionDot(in: name[...]) else { return (name, []) }
        let last = String(decoding: name[(dot + 1)...], as: UTF8.self)
        if compounds.contains(last), let inner = extensionDot(in: name[..<dot]),
            dot - inner <= 5
        {
            return (Array(name[..<inner]), Array(name[inner...]))
        }
        return (Array(name[..<dot]), Array(name[dot...]))
    }

    private static func extensionDot(in name: ArraySlice<UInt8>) -> Int? {
        guard let dot = name.lastIndex(of: 0x2E), dot > 0, name.endIndex - dot <= 33,
            dot + 1 < name.endIndex
        else { return nil }
        return dot
    }

    /// At most `limit` bytes of `bytes`, without cutting a UTF-8 sequence in two.
    private static func cut(_ bytes: [UInt8], to limit: Int) -> [UInt8] {
        guard bytes.count > limit else { return bytes }
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(bytes[..<(end == 0 ? limit : end)])
    }

    /// Civil date and time in UTC, by the algorithm of the proleptic Gregorian calendar.
    static func text(of time: Timestamp) -> String {
        let days = Int((Double(time.seconds) / 86_400).rounded(.down))
        let second = Int(time.seconds) - days * 86_400
        // Days since 0000-03-01, in eras of 400 years: a year then ends with its leap day.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2)) "
            + clock.joined(separator: ".")
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
