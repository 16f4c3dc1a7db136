/// Times as stores write them.
enum S3Time {
    /// Seconds since 1970 of `2026-11-22T10:00:00.000Z`; `nil` when it is no such text.
    static func seconds(iso text: String) -> Int64? {
        let numbers = text.utf8.split(whereSeparator: separators.contains)
            .compactMap { Int64(Substring($0)) }
        guard numbers.count >= 6 else { return nil }
        return seconds(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
    }

    private static let separators = Array("-T:.Z".utf8)

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970 of `Sun, 22 Nov 2026 10:00:00 GMT` (RFC 9110, 5.6.7); `nil` when it is
    /// no such text.
    static func seconds(http text: String) -> Int64? {
        let parts = text.split { $0 == " " || $0 == ":" }
        guard parts.count == 8, let day = Int64(parts[1]),
            let month = months.firstIndex(of: String(parts[2])), let year = Int64(parts[3]),
            let hour = Int64(parts[4]), let minute = Int64(parts[5]), let second = Int64(parts[6])
        else { return nil }
        return seconds(year, Int64(month + 1), day, hour, minute, second)
    }

    private static func seconds(
        _ year: Int64, _ month: Int64, _ day: Int64, _ hour: Int64, _ minute: Int64,
        _ second: Int64
    ) -> Int64? {
        guard (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second), (1...9999).contains(year)
        else { return nil }
        // Days since 0000-03-01: a year then ends with its leap day.
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Seconds since 1970 with a fraction and without zeros at its end, as rclone writes times
    /// beside objects: `1600000000.5`, `-0.25`.
    static func decimal(_ time: Timestamp) -> String {
        var (seconds, nanoseconds) = (time.seconds, Int64(time.nanoseconds))
        let isNegative = seconds < 0
        if isNegative {
            // Nanoseconds count forwards, digits away from 1970.
            seconds = nanoseconds == 0 ? -seconds : -(seconds + 1)
            nanoseconds = nanoseconds == 0 ? 0 : 1_000_000_000 - nanoseconds
        }
        var text = (isNegative ? "-" : "") + String(seconds)
        guard nanoseconds > 0 else { return text }
        var fraction = String(nanoseconds)
        fraction = String(repeating: "0", count: 9 - fraction.count) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        text += "." + fraction
        return text
    }

    /// Reads ``decimal(_:)``; `nil` when `text` is none.
    ///
    /// Digits beyond nanoseconds are dropped.
    static func timestamp(decimal text: String) -> Timestamp? {
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative ? 1 : 0)
            .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let seconds = Int64(first)
        else { return nil }
        let digits = parts.count == 2 ? parts[1].prefix(9) : ""
        guard
            let nanoseconds = UInt32(
                digits + String(repeating: "0", count: 9 - digits.count))
        else { return nil }
        if !isNegative { return Timestamp(seconds: seconds, nanoseconds: nanoseconds) }
        return nanoseconds == 0
            ? Timestamp(seconds: -seconds)
            : Timestamp(seconds: -seconds - 1, nanoseconds: 1_000_000_000 - nanoseconds)
    }
}
