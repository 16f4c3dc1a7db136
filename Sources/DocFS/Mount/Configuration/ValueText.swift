internal import Logging

/// How the values of options are written.
///
/// Everything unreadable is refused with what was expected.
package enum ValueText {
    /// A path; `~/` is the home directory.
    ///
    /// Relative ones are resolved by ``MountConfiguration``.
    static func path(_ text: String, _ key: String) throws(ConfigurationError) -> String {
        if text.isEmpty { throw ConfigurationError("\(key): a path is missing") }
        return text
    }

    /// A device's name stands in file names (S16).
    static func device(_ text: String) throws(ConfigurationError) -> String {
        let isUsable =
            !text.isEmpty && text.utf8.count <= 64
            && !text.unicodeScalars.contains { $0 == "/" || $0.value < 0x20 || $0.value == 0x7F }
        guard isUsable else {
            throw ConfigurationError(
                "device: '\(text)' is not a name of 1 to 64 bytes without '/' and control "
                    + "characters")
        }
        return text
    }

    /// Seconds with decimals: `0.5`, `30`.
    package static func seconds(_ text: String, _ key: String) throws(ConfigurationError)
        -> Duration
    {
        guard isDecimal(text), let value = Double(text), value <= 1_000_000 else {
            throw ConfigurationError("\(key): '\(text)' is not a number of seconds, such as 0.5")
        }
        return .milliseconds(Int64((value * 1000).rounded()))
    }

    /// Days with decimals, more than none: `30`, `0.5`.
    static func days(_ text: String, _ key: String) throws(ConfigurationError) -> Duration {
        guard isDecimal(text), let value = Double(text), value >= 0.0001, value <= 100_000 else {
            throw ConfigurationError("\(key): '\(text)' is not a number of days, such as 30")
        }
        return .seconds(value * 86_400)
    }

    static func count(_ text: String, _ key: String) throws(ConfigurationError) -> Int {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text) else {
            throw ConfigurationError("\(key): '\(text)' is not a number, such as 10")
        }
        return value
    }

    /// Bytes, with K, M, G or T for the powers of 1,024: `10G`, `1.5M`, `4096`.
    package static func size(_ text: String, _ key: String) throws(ConfigurationError) -> UInt64 {
        let units: [(Character, Double)] = [
            ("K", 0x1p10), ("M", 0x1p20), ("G", 0x1p30), ("T", 0x1p40),
        ]
        let unit = units.first { text.uppercased().hasSuffix(String($0.0)) }
        let digits = unit == nil ? text : String(text.dropLast())
        guard isDecimal(digits), let value = Double(digits),
            value * (unit?.1 ?? 1) < 0x1p62
        else { throw ConfigurationError("\(key): '\(text)' is not a size, such as 10G") }
        return UInt64(value * (unit?.1 ?? 1))
    }

    /// A part of a file's name.
    static func fileName(_ text: String, _ key: String) throws(ConfigurationError) -> String {
        let isUsable =
            text.utf8.count <= 64
            && !text.unicodeScalars.contains { $0 == "/" || $0.value < 0x20 || $0.value == 0x7F }
        guard isUsable else {
            throw ConfigurationError("\(key): '\(text)' cannot stand in a file's name")
        }
        return text
    }

    /// A media type as RFC 6838 has it, without parameters: `text/markdown`.
    static func mediaType(_ text: String, _ key: String) throws(ConfigurationError) -> String {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isUsable =
            parts.count == 2
            && parts.allSatisfy { part in
                (1...127).contains(part.count)
                    && part.allSatisfy { Self.mediaTypeBytes.contains($0) }
            }
        guard isUsable else {
            throw ConfigurationError("\(key): '\(text)' is no media type, such as text/markdown")
        }
        return text.lowercased()
    }

    private static let mediaTypeBytes = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$&-^_.+".utf8)

    /// A pattern of names, perhaps with `!` before it.
    static func namePattern(_ text: String, _ key: String) throws(ConfigurationError) -> String {
        let pattern = text.hasPrefix("!") ? text.dropFirst() : Substring(text)
        guard !pattern.isEmpty, !pattern.contains("/") else {
            throw ConfigurationError("\(key): '\(text)' is not a pattern of names, such as *.bak")
        }
        return text
    }

    static func naming(_ text: String, _ key: String) throws(ConfigurationError)
        -> DocumentType.Naming
    {
        guard let naming = DocumentType.Naming(rawValue: text) else {
            throw ConfigurationError(
                "\(key): '\(text)' is none of sequential, timestamp, uuid")
        }
        return naming
    }

    static func strategy(_ text: String, _ key: String) throws(ConfigurationError)
        -> DocumentType.Strategy
    {
        guard let strategy = DocumentType.Strategy(rawValue: text) else {
            throw ConfigurationError("\(key): '\(text)' is none of ask, newest, merge")
        }
        return strategy
    }

    static func truth(_ text: String, _ key: String) throws(ConfigurationError) -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw ConfigurationError("\(key): '\(text)' is neither true nor false")
        }
    }

    static func passthrough(_ text: String) throws(ConfigurationError) -> Bool {
        switch text {
        case "auto": return true
        case "off": return false
        default: throw ConfigurationError("passthrough: '\(text)' is neither auto nor off")
        }
    }

    static func fetchFirst(_ text: String) throws(ConfigurationError) -> FetchFirst {
        guard let choice = FetchFirst(rawValue: text) else {
            let choices = FetchFirst.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationError("refresh: '\(text)' is none of \(choices)")
        }
        return choice
    }

    static func level(_ text: String) throws(ConfigurationError) -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationError("log-level: '\(text)' is none of \(levels)")
        }
        return level
    }

    /// Digits with at most one point: what `Double` reads beside that (`nan`, `0x1p4`, `-1`) is
    /// meant by nobody.
    private static func isDecimal(_ text: String) -> Bool {
        let points = text.utf8.count { $0 == UInt8(ascii: ".") }
        let digits = text.utf8.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return points <= 1 && digits >= 1 && points + digits == text.utf8.count
    }
}
