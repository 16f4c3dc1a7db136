internal import CControl
internal import Glibc

/// A point in time, as stat(2) tells it.
struct Moment: Comparable {
    let seconds: Int64
    let nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Moment(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    static func < (first: Moment, second: Moment) -> Bool {
        (first.seconds, first.nanoseconds) < (second.seconds, second.nanoseconds)
    }

    /// For people: minutes, in this computer's time zone.
    var text: String { written("%Y-%m-%d %H:%M", localtime_r) }

    /// The same to the second, where versions follow each other closely.
    var secondsText: String { written("%Y-%m-%d %H:%M:%S", localtime_r) }

    /// For programs: ISO 8601, in UTC, to the nanosecond.
    var isoText: String {
        let fraction = String(1_000_000_000 + nanoseconds).dropFirst()
        return written("%Y-%m-%dT%H:%M:%S", gmtime_r) + ".\(fraction)Z"
    }

    private func written(
        _ format: String,
        _ divide: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
    ) -> String {
        var parts = tm()
        var time = time_t(seconds)
        _ = divide(&time, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let length = strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Reads `2026-03-01`, `2026-03-01 14:05`, `2026-03-01T14:05:30`, or a length of time before
    /// now: `90s`, `10m`, `2h`, `3d`, `1w`.
    init?(_ text: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()) {
            self.init(seconds: Self.now.seconds - count * unit, nanoseconds: 0)
            return
        }
        for format in ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d"] {
            let seconds = control_parse_time(text, format)
            if seconds < 0 { continue }
            self.init(seconds: seconds, nanoseconds: 0)
            return
        }
        return nil
    }

    /// Reads what ``isoText`` wrote.
    init?(utc text: String) {
        let parts = text.prefix(19).split { "-T:".contains($0) }.compactMap { Int32($0) }
        guard parts.count == 6 else { return nil }
        var time = tm()
        time.tm_year = parts[0] - 1900
        time.tm_mon = parts[1] - 1
        time.tm_mday = parts[2]
        time.tm_hour = parts[3]
        time.tm_min = parts[4]
        time.tm_sec = parts[5]
        let nanoseconds = Int64(text.dropFirst(20).prefix { $0.isNumber })
        self.init(seconds: Int64(timegm(&time)), nanoseconds: nanoseconds ?? 0)
    }

    init(seconds: Int64, nanoseconds: Int64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}
