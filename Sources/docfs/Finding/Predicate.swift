internal import Glibc

/// What `docfs find` looks for: everything that was asked for must hold.
struct Predicate {
    /// What `--state` can say.
    enum State: String, CaseIterable {
        case here, partial
        case notHere = "not-here"
        case stored, waiting, uploading, failed, excluded, conflict, pinned, open
    }

    /// What `--type` can say.
    enum Kind: String, CaseIterable { case file, directory, link }

    /// Of the name, as fnmatch(3) reads them: any of them will do.
    var names: [String] = []
    var kind: Kind?
    /// Bytes.
    var larger: UInt64?
    var smaller: UInt64?
    var newer: Moment?
    var older: Moment?
    var states: [State] = []

    /// Whether the listing alone answers: no item has to be asked.
    private var needsStatus: Bool {
        larger != nil || smaller != nil || newer != nil || older != nil
            || (kind != nil && kind != .directory)
    }

    func holds(_ item: Walk.Item) throws -> Bool {
        let name = String(item.path.split(separator: "/").last ?? "")
        if !names.isEmpty, !names.contains(where: { Self.matches(name, $0) }) { return false }
        if kind == .directory, !item.isDirectory { return false }
        if needsStatus {
            if kind == .file || kind == .link, item.isDirectory { return false }
            if try !holds(Files.status(of: item.path)) { return false }
        }
        if states.isEmpty { return true }
        let document = Document(path: item.path)
        return try states.allSatisfy { try Self.holds($0, document, item) }
    }

    private func holds(_ status: stat) -> Bool {
        if kind == .file, !status.isFile { return false }
        if kind == .link, status.st_mode & S_IFMT != S_IFLNK { return false }
        if larger != nil || smaller != nil {
            guard status.isFile else { return false }
            if let larger, status.size <= larger { return false }
            if let smaller, status.size >= smaller { return false }
        }
        if let newer, status.modified <= newer { return false }
        if let older, status.modified >= older { return false }
        return true
    }

    private static func matches(_ name: String, _ pattern: String) -> Bool {
        Files.with(name) { name in Files.with(pattern) { fnmatch($0, name, 0) } } == 0
    }

    /// Documents of this computer are here, and in no other state.
    private static func holds(_ state: State, _ document: Document, _ item: Walk.Item) throws
        -> Bool
    {
        let scope = try Files.attribute("user.docfs.scope", of: item.path)
        if scope == nil || scope == "Local" { return state == .here && !item.isDirectory }
        switch state {
        case .here: return try !item.isDirectory && document.download() == .current
        case .partial: return try document.download() == .partial
        case .notHere: return try document.download() == .none
        case .stored: return try document.upload() == .uploaded
        case .waiting: return try document.upload() == .waiting
        case .uploading: return try document.upload() == .uploading
        case .failed: return try !document.error().isEmpty
        case .excluded: return try document.upload() == .excluded
        case .conflict: return try document.conflicts() > 0
        case .pinned: return try document.pin() == "pinned"
        case .open: return try !item.isDirectory && !document.states().contains("closed")
        }
    }
}
