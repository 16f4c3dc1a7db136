internal import Glibc

/// An earlier version of a document, as `.docfs/versions` shows it.
struct KeptVersion: Encodable {
    /// 1 is the newest.
    let number: Int
    /// `YYYY-MM-DD HH.MM.SS DEVICE.EXT`: when it was saved, in UTC, and on which device.
    let name: String
    /// The one that saved it; the one that replaced it where nobody knows.
    let device: String
    /// ISO 8601, UTC.
    let saved: String
    /// ISO 8601, UTC.
    let replaced: String
    let modified: String
    /// Bytes.
    let size: UInt64
    /// Where it can be read.
    let path: String

    /// All versions of a document, the newest first.
    static func all(of place: Place) throws -> [KeptVersion] {
        let directory = try place.inCloud().control("versions")
        if try Files.isDirectory(place.path) {
            throw Failure("\(place.name): is a directory: only documents have versions")
        }
        let found = try Files.entries(of: directory).map { entry in
            (name: entry.name, status: try Files.status(of: directory + "/" + entry.name))
        }
        return found.sorted { Self.isNewer($0, than: $1) }.enumerated().map { index, version in
            let (name, status) = version
            let path = directory + "/" + name
            return KeptVersion(
                number: index + 1, name: name, device: Self.device(name, of: place.last),
                saved: Self.moment(name), replaced: status.changed.isoText,
                modified: status.modified.isoText,
                size: status.size, path: path)
        }
    }

    /// Whether one was replaced after the other, which tells their order whatever the clocks of
    /// those who saved them say; within a second their names do, and the counters in those.
    private static func isNewer(
        _ one: (name: String, status: stat), than other: (name: String, status: stat)
    ) -> Bool {
        func order(_ version: (name: String, status: stat)) -> (Moment, Substring, Int, String) {
            let name = version.name
            return (version.status.changed, name.prefix(stampLength), name.utf8.count, name)
        }
        return order(other) < order(one)
    }

    /// The one that `--version` means: its number, or the beginning of its name.
    ///
    /// Digits alone are always a number.
    static func chosen(_ text: String, of place: Place) throws -> KeptVersion {
        try chosen(text, among: try all(of: place), of: place)
    }

    /// The same, of versions that were listed before.
    static func chosen(_ text: String, among versions: [KeptVersion], of place: Place) throws
        -> KeptVersion
    {
        let number = Int(text)
        let found = versions.filter {
            number == nil ? $0.name.hasPrefix(text) : $0.number == number
        }
        if found.count == 1 || found.first?.name == text { return found[0] }
        throw Failure(
            "\(place.name): has \(found.isEmpty ? "no version" : "more than one version") "
                + "'\(text)'; docfs versions names them")
    }

    private static let stampLength = 19

    private static func device(_ name: String, of document: String) -> String {
        let rest = name.dropFirst(stampLength + 1)
        // The longest ending that both have, as ".tar.gz".
        let endings = document.indices.filter { document[$0] == "." }.map { document[$0...] }
        let ending = endings.first { rest.hasSuffix($0) } ?? ""
        return String(rest.dropLast(ending.count))
    }

    /// As ISO 8601.
    private static func moment(_ name: String) -> String {
        let parts = name.prefix(stampLength).split(separator: " ")
        guard parts.count == 2 else { return "" }
        return "\(parts[0])T\(String(parts[1]).split(separator: ".").joined(separator: ":"))Z"
    }

    /// For people, in this computer's time zone.
    var replacedText: String { Moment(utc: replaced)?.secondsText ?? replaced }
}
