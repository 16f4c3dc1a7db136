internal import Glibc

/// How far a verb is: how much of how much, how fast, how long still.
///
/// On a terminal only, once it takes over a second.
struct Progress {
    private let verb: String
    private let unit: Unit
    private let began = Progress.now()
    private var drawn: Double = 0

    /// What is counted.
    enum Unit { case bytes, documents }

    /// - Parameter verb: as `downloading`.
    init(_ verb: String, _ unit: Unit) {
        self.verb = verb
        self.unit = unit
    }

    /// Seconds on a clock that only goes forward.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Draws the line anew, at most ten times a second.
    mutating func show(_ done: UInt64, of total: UInt64) {
        let now = Progress.now()
        guard Output.showsProgress, now - began > 1, now - drawn > 0.1 else { return }
        drawn = now
        var text = "\(verb) \(amount(done)) of \(amount(total))"
        let rate = Double(done) / (now - began)
        if done > 0 {
            text += unit == .bytes ? ", \(Size.text(UInt64(rate)))/s" : ""
            text += ", \(Self.time(Double(total - min(done, total)) / rate)) left"
        }
        Output.sayPart("\r\u{1B}[K\(text.prefix(Output.columns - 1))")
    }

    /// Takes the line away.
    func clear() {
        if drawn > 0 { Output.sayPart("\r\u{1B}[K") }
    }

    private func amount(_ count: UInt64) -> String {
        unit == .bytes ? Size.text(count) : "\(count)"
    }

    /// `45 s`, `3 min`, `2 h 10 min`.
    static func time(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 1e8).rounded(.up))
        if seconds < 100 { return "\(seconds) s" }
        if seconds < 6000 { return "\((seconds + 30) / 60) min" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
}
