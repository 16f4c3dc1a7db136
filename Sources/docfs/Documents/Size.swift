internal import Glibc

/// Bytes, as people read and write them.
enum Size {
    /// So many bytes and so many more: at most what a number holds, since sizes are what a
    /// container says.
    static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, isMore) = one.addingReportingOverflow(other)
        return isMore ? .max : sum
    }

    /// `512 B`, `12.3 KiB`, `1.0 GiB`.
    static func text(_ bytes: UInt64) -> String {
        if bytes < 1024 { return "\(bytes) B" }
        var value = Double(bytes) / 1024
        var units = ["KiB", "MiB", "GiB", "TiB"][...]
        while value >= 1023.95, units.count > 1 {
            value /= 1024
            units = units.dropFirst()
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units.first ?? "")"
    }

    /// `512`, `12K`, `1.5M`, `2G`, `1T`: powers of 1024.
    static func bytes(_ text: String) -> UInt64? {
        let units: [Character: Double] = ["K": 10, "M": 20, "G": 30, "T": 40]
        let last = text.uppercased().last
        let exponent = last.flatMap { units[$0] }
        guard let number = Double(exponent == nil ? text : String(text.dropLast())), number >= 0,
            number.isFinite
        else { return nil }
        return UInt64(exactly: (number * exp2(exponent ?? 0)).rounded())
    }
}
