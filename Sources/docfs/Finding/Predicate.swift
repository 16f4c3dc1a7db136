internal import Glibc

/// What `docfs find` looks for: everything that was asked for must hold.
struct Predicate {
    /// What `--state` can say.
    enum State: String, CaseIterable {
        case here, partial
        case notHere = "not-here"
        case stored, waiting, uploading, failed, excluded, conflict, outdated, pinned, open
    }

    /// What `--type` can say, beside the document types of the configuration.
    enum Kind: String, CaseIterable { case file, directory, link }

    /// Of the name, as fnmatch(3) reads them: any of them will do.
    var names: [String] = []
    var kind: Kind?
    /// Of documents: whether one of this name is of the wanted type; `nil` where any will do.
    var isOfType: ((String) -> Bool)?
    /// Bytes.
    var larger: UInt64?
    var smaller: UInt64?
    var newer: Moment?
    var older: Moment?
    var states: [State] = []
    /// How many levels of directories are looked through below each that was asked for: 1 for what
    /// lies in it; `nil` for all.
    var depth: Int?

    /// Whether what lies in the directory `path` may be found, looked for below `place`.
    func reaches(into path: String, below place: Place) -> Bool {
        guard let depth else { return true }
        let level = path.utf8.dropFirst(place.path.utf8.count).count { $0 == UInt8(ascii: "/") }
        return level < depth
    }

    /// Whether what lies at `path` may be found, looked for below `place`.
    func reaches(_ path: String, below place: Place) -> Bool {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return path == place.path || reaches(into: String(path[..<slash]), below: place)
    }

    /// Whether more than a listing is needed.
    var needsReport: Bool {
        larger != nil || smaller != nil || newer != nil || older != nil || !states.isEmpty
            || (kind != nil && kind != .directory) || isOfType != nil
    }

    /// - Parameter report: what is known of the item; asked for only where it matters.
    func holds(_ item: Walk.Item, _ report: () throws -> DocumentReport) throws -> Bool {
        let name = String(item.path.split(separator: "/").last ?? "")
        if !names.isEmpty, !names.contains(where: { Self.matches(name, $0) }) { return false }
        if let kind, item.isDirectory != (kind == .directory) { return false }
        if let isOfType, item.isDirectory || !isOfType(name) { return false }
        return try !needsReport || holds(report())
    }

    /// The same of what has to be asked first.
    func holds(_ item: Walk.Item) throws -> Bool {
        try holds(item, item.report)
    }

    private func holds(_ report: DocumentReport) -> Bool {
        if let kind, report.type != kind.rawValue { return false }
        if isOfType != nil, report.type != "file" { return false }
        if larger != nil || smaller != nil {
            guard report.type == "file" else { return false }
            if let larger, report.size <= larger { return false }
            if let smaller, report.size >= smaller { return false }
        }
        if newer != nil || older != nil {
            guard let modified = Moment(utc: report.modified) else { return false }
            if let newer, modified <= newer { return false }
            if let older, modified >= older { return false }
        }
        return states.allSatisfy { Self.holds($0, report) }
    }

    private static func matches(_ name: String, _ pattern: String) -> Bool {
        Files.with(name) { name in Files.with(pattern) { fnmatch($0, name, 0) } } == 0
    }

    /// Documents of this computer are here, and in no other state.
    private static func holds(_ state: State, _ report: DocumentReport) -> Bool {
        let isDirectory = report.type == "directory"
        guard let download = report.download else { return state == .here && !isDirectory }
        switch state {
        case .here: return !isDirectory && download == "current"
        case .partial: return download == "partial"
        case .notHere: return download == "none"
        case .stored: return report.upload == "uploaded"
        case .waiting: return report.upload == "waiting"
        case .uploading: return report.upload == "uploading"
        case .failed: return report.error?.isEmpty == false
        case .excluded: return report.upload == "excluded"
        case .conflict: return (report.conflicts ?? 0) > 0
        case .outdated: return report.state?.contains("outdated") == true
        case .pinned: return report.pin == "pinned"
        case .open: return report.type == "file" && report.state?.contains("closed") == false
        }
    }
}
