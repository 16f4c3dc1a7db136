internal import Glibc

/// The containers that the user wants to be made anew where the known ones are gone for good: a
/// file of the state directory for each, `new-container.NAME` (S23).
///
/// The catalog is given up, like a lost one, and all bytes that are here of such a container count
/// as edits: they come back beside what lies in the container's place, and what is the same is one.
struct NewContainers {
    private let state: StateDirectory
    /// The files, by the scopes' names.
    private let asked: [String: [UInt8]]

    private static let prefix = Array("new-container.".utf8)

    init(in state: StateDirectory) throws(DocFSError) {
        self.state = state
        let files = try DirectoryStream.names(at: state.directory.number).map(\.bytes)
            .filter { $0.starts(with: Self.prefix) }
        asked = Dictionary(
            files.map { (String(decoding: $0.dropFirst(Self.prefix.count), as: UTF8.self), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Whether the catalog knows one of them, and is to be given up.
    ///
    /// Then all files with bytes of theirs say which documents they are.
    func giveUp(_ catalog: Catalog, _ files: ContentFiles) throws(DocFSError) -> Bool {
        let names = asked
        let scopes = try catalog.read { (read) throws(DocFSError) in
            try read.scopes().filter { names[$0.name] != nil && $0.container != nil }
        }
        if scopes.isEmpty { return false }
        var last: Int64 = 0
        while true {
            let after = last
            let rows = try catalog.read { (read) throws(DocFSError) in
                var found: [(LocalItem, EditLabel)] = []
                let rows = try read.resident(after: after, limit: 128)
                for row in rows where row.parent != nil && row.size > 0 {
                    guard let scope = scopes.first(where: { $0.id == row.scope }),
                        let path = try read.path(of: row.ino, root: scope.root)
                    else { continue }
                    let label = EditLabel(
                        scope: scope.name, item: row.item, basis: row.basis, path: path)
                    found.append((row, label))
                }
                return (last: rows.last?.ino, found: found)
            }
            for (row, label) in rows.found {
                guard let file = try files.open(row.ino, row.place) else { continue }
                try Posix.setAttribute(EditLabel.attribute, label.bytes, of: file.number)
                // Not the mark of what the container has.
                try Posix.setTimes(
                    of: file.number, accessed: .set(row.modified), modified: .set(row.modified))
            }
            guard let end = rows.last else { return true }
            last = end
        }
    }

    /// Notes in the new catalog what is asked, and takes the files away.
    func note(in catalog: Catalog) throws(DocFSError) {
        for (name, file) in asked {
            try catalog.write { (write) throws(DocFSError) in
                try write.setFact(Self.fact(name), [])
            }
            try catalog.makeDurable()
            try Posix.unlink(at: state.directory.number, file)
        }
    }

    /// Whether a container may be made for a scope though the catalog was lost.
    static func isAsked(of name: String, _ catalog: Catalog) throws(DocFSError) -> Bool {
        try catalog.read { (read) throws(DocFSError) in try read.fact(fact(name)) != nil }
    }

    private static func fact(_ name: String) -> String { "new-container-\(name)" }
}
