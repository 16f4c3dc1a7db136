/// A moment as the calendar and the clock of UTC have it, in the proleptic Gregorian calendar.
package struct CivilTime: Hashable, Sendable {
    package let year: Int
    /// 1…12.
    package let month: Int
    /// 1…31.
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let nanosecond: Int

    package init(_ time: Timestamp) {
        let seconds = Int(time.seconds)
        let second = (seconds % 86_400 + 86_400) % 86_400
        // Days since 0000-03-01, in eras of 400 years: a year then ends with its leap day.
        let shifted = (seconds - second) / 86_400 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = second / 3600
        minute = second / 60 % 60
        self.second = second % 60
        nanosecond = Int(time.nanoseconds)
    }

    private var date: String {
        "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    }

    private func clock(_ separator: String) -> String {
        [hour, minute, second].map { Self.padded($0, 2) }.joined(separator: separator)
    }

    /// `YYYY-MM-DD HH.MM.SS`, as names of files have it.
    package var nameText: String { "\(date) \(clock("."))" }

    /// ISO 8601 with nanoseconds: `YYYY-MM-DDTHH:MM:SS.NNNNNNNNNZ`.
    package var isoText: String {
        var text: [UInt8] = []
        text.reserveCapacity(30)
        // One after the other: listings say it a million times.
        for (value, width, mark) in [
            (year, 4, "-"), (month, 2, "-"), (day, 2, "T"), (hour, 2, ":"), (minute, 2, ":"),
            (second, 2, "."), (nanosecond, 9, "Z"),
        ] as [(Int, Int, Unicode.Scalar)] {
            let digits = String(value).utf8
            for _ in 0..<max(0, width - digits.count) { text.append(0x30) }
            text += digits
            text.append(UInt8(ascii: mark))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// ISO 8601 in its basic form: `YYYYMMDDTHHMMSSZ`.
    package var basicText: String {
        date.filter { $0 != "-" } + "T" + clock("") + "Z"
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
