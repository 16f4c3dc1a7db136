import DocFS
import Glibc

/// What a device shows and what it has still to do: how a run is judged.
extension Device {
    var isAtRest: Bool {
        let scope = daemon.record.id
        let counts: ScopeCounts? = try? daemon.catalog.read { (read) throws(DocFSError) in
            guard try read.allIncoming().isEmpty, try read.imports().isEmpty,
                try read.lodgers(scope: scope).isEmpty, try read.leftovers(scope: scope).isEmpty
            else { throw .busy }
            return try read.counts(scope: scope)
        }
        guard let counts else { return false }
        return counts.pending == 0 && counts.journal == 0 && counts.leavingVersions == 0
    }

    /// Whether nothing is left to do but what lacks a body that another program destroyed, and of
    /// which its user was told.
    var isAtRestOrBereft: Bool {
        let record = daemon.record
        let rows: [LocalItem?]? = try? daemon.catalog.read { (read) throws(DocFSError) in
            guard try read.journal(scope: record.id).isEmpty else { throw .busy }
            return try read.pending(scope: record.id).map { (item) throws(DocFSError) in
                try read.local(item: item, scope: record.id)
            }
        }
        return rows?.allSatisfy { row in
            guard let row, row.error == DocFSError.revisionGone.sentence else { return false }
            return world.ledger.isDestroyed(sourceText(row))
        } ?? false
    }

    /// What is still to be done, in the words of the trees.
    var unrest: [String] {
        let record = daemon.record
        let lines: [String]? = try? daemon.catalog.read { (read) throws(DocFSError) in
            var lines: [String] = []
            for item in try read.pending(scope: record.id) {
                lines.append("\(name)  pending \(item)")
                if let row = try read.local(item: item, scope: record.id) {
                    lines.append("    row \(row)")
                }
                for tree in [Tree.base, .remote] {
                    let state = try read.state(tree, of: item, scope: record.id)
                    lines.append("    \(tree) \(state.map { "\($0)" } ?? "none")")
                }
            }
            for (item, place) in try read.lodgers(scope: record.id) {
                lines.append("\(name)  \(item) lodges at \(place)")
            }
            for leftover in try read.leftovers(scope: record.id) {
                lines.append("\(name)  left behind: \(leftover)")
            }
            for place in try read.unwantedVersions(scope: record.id).sorted() {
                lines.append("\(name)  removed, and not gone: \(place)")
            }
            for entry in try read.journal(scope: record.id) {
                lines.append("\(name)  journal \(String(decoding: entry.effect, as: UTF8.self))")
            }
            return lines
        }
        return lines ?? []
    }

    /// All that the catalog has of a row, for who reads the story.
    func description(of ino: Int64) -> String {
        let row: LocalItem?? = try? daemon.catalog.read { (read) throws(DocFSError) in
            try read.local(ino)
        }
        return "    row \((row ?? nil).map { "\($0)" } ?? "none")"
    }

    /// Documents whose bytes are not here, unless another program destroyed them.
    var placeholders: [Int64] { wanting(isBereft: false) }

    /// How many documents are not here because another program destroyed their bytes.
    var bereft: Int { wanting(isBereft: true).count }

    private func wanting(isBereft: Bool) -> [Int64] {
        let root = daemon.record.root
        let found: [LocalItem]? = try? daemon.catalog.read { (read) throws(DocFSError) in
            try rows(below: root, read)
        }
        let wanting = (found ?? []).filter { row in
            row.isFile && row.state != .current
                && world.ledger.isDestroyed(sourceText(row)) == isBereft
        }
        return wanting.map { $0.ino }.sorted()
    }

    /// All of the body that the bytes come from which are not here.
    func sourceText(_ row: LocalItem) -> String {
        row.isLinked
            ? linkedText(row) : world.ledger.text(of: row.sourceDigest, row.sourceRevision)
    }

    /// The names of documents that are to be here and are not, unless nobody has their bytes.
    func missingPinned() throws(DocFSError) -> [String] {
        let missing = Set(placeholders)
        return try daemon.catalog.readConsistently { (read) throws(DocFSError) in
            var names: [String] = []
            for row in try rows(below: daemon.record.root, read) where missing.contains(row.ino) {
                if try read.isPinned(row) { names.append(row.name.description) }
            }
            return names
        }
    }

    private func rows(below directory: Int64, _ read: CatalogReader) throws(DocFSError)
        -> [LocalItem]
    {
        var found: [LocalItem] = []
        var rest = [directory]
        while let next = rest.popLast() {
            for row in try read.children(of: next) {
                found.append(row)
                if row.isDirectory { rest.append(row.ino) }
            }
        }
        return found
    }

    /// What this device shows: every path with its kind, bytes and description.
    func tree() throws -> [String: String] {
        var found: [String: String] = [:]
        var rest = [(daemon.record.root, "")]
        while let (directory, prefix) = rest.popLast() {
            let rows = try daemon.catalog.read { (read) throws(DocFSError) in
                try read.children(of: directory)
            }
            for row in rows where try !row.isExcluded && !isKeptForScratch(row) {
                let path = prefix + row.name.description
                var words = "\(String(row.mode, radix: 8))"
                for attribute in row.attributes {
                    words +=
                        " \(attribute.name)=\(String(decoding: attribute.value, as: UTF8.self))"
                }
                if row.isDirectory { rest.append((row.ino, path + "/")) }
                if let text = try text(row) { words += " “\(text)”" }
                found[path] = words
            }
        }
        return found
    }

    /// Whether a directory was deleted elsewhere, and stays for what this device alone has (S15).
    private func isKeptForScratch(_ directory: LocalItem) throws -> Bool {
        guard directory.isDirectory else { return false }
        let scope = daemon.record.id
        return try daemon.catalog.read { (read) throws(DocFSError) in
            let isGone = try read.state(.remote, of: directory.item, scope: scope) == nil
            let children = try read.children(of: directory.ino)
            return isGone && children.contains(where: \.isExcluded)
        }
    }

    /// The documents' bytes.
    func texts() throws -> [(path: String, text: String)] {
        var found: [(String, String)] = []
        var rest = [(daemon.record.root, "")]
        while let (directory, prefix) = rest.popLast() {
            let rows = try daemon.catalog.read { (read) throws(DocFSError) in
                try read.children(of: directory)
            }
            for row in rows {
                let path = prefix + row.name.description
                if row.isDirectory { rest.append((row.ino, path + "/")) }
                if let text = try text(row) { found.append((path, text)) }
            }
        }
        return found
    }

    /// All conflict versions.
    func siblings() throws -> [LocalItem] {
        try daemon.catalog.readConsistently { (read) throws(DocFSError) in
            try rows(below: daemon.record.root, read).filter { $0.isFile && $0.conflictOf != nil }
        }
    }

    /// The conflict versions of a document at the top, and documents of their own that had to give
    /// its name away: those that were edited here, deleted elsewhere and made anew there.
    func setAside(from document: String) throws -> [LocalItem] {
        let root = daemon.record.root
        return try daemon.catalog.readConsistently { (read) throws(DocFSError) in
            try read.children(of: root)
        }.filter { $0.isFile && $0.name.description.hasPrefix("\(document) (") }
    }

    /// The conflict versions of a document at the top.
    func siblings(of document: String) throws -> [LocalItem] {
        try setAside(from: document).filter { $0.conflictOf != nil }
    }
}
