import DocFS
import Glibc

/// `Local/`, and moves between it and the cloud scope (S24, S25).
extension Device {
    private var root: FileNumber { daemon.namespace.localRoot }

    private func path(_ name: String) -> String { "\(process.local)/\(name)" }

    /// What a reader of `Local/NAME` sees now; `nil` where no document is.
    private func localText(_ name: String) throws(DocFSError) -> String? {
        let found = try daemon.namespace.lookup(Name(name), in: root).attributes
        guard let number = found?.number else { return nil }
        guard number.isCatalogRow else { return Self.text(ofFile: path(name)) }
        let row = try daemon.catalog.read { (read) throws(DocFSError) in
            try read.local(Int64(number.value))
        }
        return try row.flatMap { (row) throws(DocFSError) in try text(row) }
    }

    private static func text(ofFile path: String) -> String? {
        guard let file = try? Posix.open(path: path, flags: O_RDONLY),
            let status = try? Posix.status(of: file.number), status.isRegularFile
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        let count = pread(file.number, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The bytes of the file that a document of ``LinkedFiles`` is filled from.
    func linkedText(_ row: LocalItem) -> String {
        let name = LinkedFiles.name(for: row.sourceItem ?? row.item)
        let contents = ".docfs/\(daemon.device)/contents/"
        return Self.text(ofFile: path(contents + String(decoding: name, as: UTF8.self))) ?? ""
    }

    /// All documents on the disk of `Local/`, the hidden folder's left out.
    func localTexts() -> [(path: String, text: String)] {
        var found: [(String, String)] = []
        var rest = [""]
        while let prefix = rest.popLast() {
            for (name, isDirectory) in entries(path(prefix)) where name != ".docfs" {
                if isDirectory {
                    rest.append("\(prefix)\(name)/")
                } else if let text = Self.text(ofFile: path(prefix + name)) {
                    found.append(("Local/\(prefix)\(name)", text))
                }
            }
        }
        return found
    }

    // MARK: Steps

    /// Moves a document or directory to `Local/`.
    func moveOut(_ path: String, _ name: String) throws(DocFSError) {
        let (parent, old) = try place(path)
        let text = try row(path).flatMap { (row) throws(DocFSError) in try self.text(row) }
        try move(
            old, in: parent, to: Name(name), in: root, replacing: try localText(name))
        // In one of the two at every instant (R5).
        if isRunning, let text, try localText(name) != text {
            world.fail("R5: \(self.name) moved \(path) to Local/\(name), where it is not")
        }
    }

    /// Moves a document or directory of `Local/` into the cloud scope.
    func moveIn(_ name: String, _ path: String) throws(DocFSError) {
        let (parent, new) = try place(path)
        let text = try localText(name)
        let replaced = try row(path).flatMap { (row) throws(DocFSError) in try self.text(row) }
        try move(Name(name), in: root, to: new, in: parent, replacing: replaced)
        guard isRunning, let text else { return }
        let row = try self.row(path)
        if try row.flatMap({ (row) throws(DocFSError) in try self.text(row) }) != text {
            world.fail("R5: \(self.name) moved Local/\(name) to \(path), where it is not")
        }
    }

    private func move(
        _ name: Name, in parent: FileNumber, to newName: Name, in newParent: FileNumber,
        replacing text: String?
    ) throws(DocFSError) {
        if let text { world.ledger.release(text) }
        try daemon.namespace.rename(
            name, in: parent, to: newName, in: newParent, mode: .replace, caller: Daemon.caller)
    }

    /// Writes a document of `Local/`, as any program may that knows the directory.
    func writeLocal(_ name: String, _ text: String) throws(DocFSError) {
        let found = try daemon.namespace.lookup(Name(name), in: root).attributes
        // What is on its way is not on the disk yet.
        if found?.number.isCatalogRow == true || process.isDiskFull { throw .busy }
        let old = Self.text(ofFile: path(name))
        if found != nil, old == nil { throw .isDirectory }
        world.ledger.announce(text)
        if let old { world.ledger.release(old) }
        let file = try Posix.open(
            path: path(name), flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
        try Posix.setContents(of: file, to: Array(text.utf8))
        world.ledger.require(text, "\(self.name)'s Local")
    }

    func removeLocal(_ name: String) throws(DocFSError) {
        guard let text = try localText(name) else { throw .notFound }
        world.ledger.release(text)
        try daemon.namespace.unlink(Name(name), in: root, caller: Daemon.caller)
    }
}
