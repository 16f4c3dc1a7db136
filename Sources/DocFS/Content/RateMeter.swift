/// How fast bytes have gone during the last seconds.
struct RateMeter: Sendable {
    /// Nanoseconds that are looked back.
    private static let window: UInt64 = 5_000_000_000
    /// Nanoseconds that are told apart.
    private static let grain: UInt64 = 250_000_000
    private static let second: UInt64 = 1_000_000_000

    private var marks: [(time: UInt64, bytes: UInt64)] = []

    /// - Parameter now: by a clock that never goes back, in nanoseconds.
    mutating func add(_ bytes: UInt64, at now: UInt64) {
        if let last = marks.last, now < last.time + Self.grain {
            marks[marks.count - 1].bytes += bytes
        } else {
            marks.removeAll { $0.time + Self.window < now }
            marks.append((now, bytes))
        }
    }

    /// Bytes per second; what has just begun counts as if it had gone on for a second.
    func rate(at now: UInt64) -> UInt64 {
        let recent = marks.drop { $0.time + Self.window < now }
        guard let first = recent.first else { return 0 }
        let bytes = recent.reduce(0) { $0 + $1.bytes }
        let time = max(Self.second, now - min(now, first.time))
        return UInt64(Double(bytes) * Double(Self.second) / Double(time))
    }
}
