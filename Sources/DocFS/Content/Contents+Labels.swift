internal import Synchronization

/// What content files say of themselves, for the day when the catalog is lost or a file is not what
/// it was.
extension Contents {
    /// Has the file of an edit tell which document it belongs to.
    func label(_ ino: Int64) { label([ino]) }

    /// As ``label(_:)`` for many.
    ///
    /// Best effort: it is only needed when the catalog is lost.
    func label(_ inos: Set<Int64>) {
        let found: [(LocalItem, EditLabel)]
        do throws(DocFSError) {
            found = try catalog.readConsistently { (read) throws(DocFSError) in
                try Self.labels(of: inos, in: read)
            }
        } catch {
            return labelAgain(inos)
        }
        if found.isEmpty { return }
        var files: [Int64: Descriptor] = [:]
        for (row, label) in found {
            // What cannot be opened, or has no room for it, bears none until it is edited or
            // renamed again.
            guard
                let file = openContent(row.ino)?.state.withLock(\.descriptor)
                    ?? (try? self.files.open(row.ino, row.place)) ?? nil
            else { continue }
            try? Posix.setAttribute(EditLabel.attribute, label.bytes, of: file.number)
            files[row.ino] = file
        }
        // The store may have got some of them meanwhile, or `Local/`. A label that stays is found
        // to be of what the store has by whoever makes anything of it.
        try? catalog.readConsistently { (read) throws(DocFSError) in
            for (ino, file) in files {
                let row = try read.local(ino)
                if row.map(Self.isToBeLabelled) != true { Self.removeLabel(of: file.number) }
            }
        }
    }

    /// Whether the file of a row is to bear a label: of a document that is not all here the bytes
    /// alone say nothing.
    private static func isToBeLabelled(_ row: LocalItem) -> Bool {
        row.isFile && row.divergence == .written && row.state == .current && !row.isExcluded
            && row.parent != nil
    }

    private static func labels(of inos: Set<Int64>, in read: CatalogReader) throws(DocFSError)
        -> [(LocalItem, EditLabel)]
    {
        let scopes = try read.scopes()
        var directories: [Int64: ItemPath] = [:]
        var found: [(LocalItem, EditLabel)] = []
        for ino in inos {
            guard let row = try read.local(ino), isToBeLabelled(row), let parent = row.parent,
                let scope = scopes.first(where: { $0.id == row.scope })
            else { continue }
            if directories[parent] == nil {
                directories[parent] = try read.path(of: parent, root: scope.root)
            }
            guard let directory = directories[parent] else { continue }
            found.append(
                (
                    row,
                    EditLabel(
                        scope: scope.name, item: row.item, basis: row.basis,
                        path: directory.appending(row.name))
                ))
        }
        return found
    }

    /// As ``label(_:)-(Int64)`` for a row and everything below it.
    package func labelTree(_ ino: Int64) {
        label(ino)
        // Best effort, too.
        let below = try? catalog.read { (read) throws(DocFSError) in try read.children(of: ino) }
        for child in below ?? [] { labelTree(child.ino) }
    }

    /// A document was renamed.
    package func renamed(_ row: LocalItem) {
        if row.isFile && row.divergence == .written { labelSoon(row.ino) }
    }

    /// The store has the bytes of a row.
    func settle(_ ino: Int64) {
        // Whoever begins to write now waits for the claim, and labels and breaks the seal after it.
        let isMine = table.withLock { table in
            if table.entries[ino]?.isBeingWritten == true { return false }
            return table.claimed.insert(ino).inserted
        }
        guard isMine else { return }
        defer { release([ino]) }
        // The file of one that goes to `Local/` may be there already, with the document's own time.
        // What fails here, who opens the document next does: it compares what bears no seal.
        guard let row = try? row(ino), row.isFile, row.divergence == .none, row.state == .current,
            !row.isDeparting, let file = (try? files.open(ino, row.place)) ?? nil
        else { return }
        if suspects.withLock({ $0.removeValue(forKey: ino) }) != nil,
            (try? isTrue(file, to: row)) != true
        {
            try? dropTorn(row, file)
            return
        }
        // What was sent from here bears a label instead of a seal: its bytes were read just now.
        let wasSent = (try? Self.isLabelled(file)) == true
        Self.removeLabel(of: file.number)
        if wasSent || (try? isTrue(file, to: row)) == true { seal(file) }
    }

    /// The file holds no edit of a cloud scope any more.
    package static func removeLabel(of file: Int32) {
        // Mostly there is none. One that stays costs, when the catalog is lost as well, a version
        // beside the document that nobody has missed.
        try? Posix.removeAttribute(EditLabel.attribute, of: file)
    }

    /// Whether a file says that it holds an edit.
    static func isLabelled(_ file: Descriptor) throws(DocFSError) -> Bool {
        try label(of: file) != nil
    }

    static func label(of file: Descriptor) throws(DocFSError) -> EditLabel? {
        do throws(DocFSError) {
            return try Posix.attribute(EditLabel.attribute, of: file.number)
                .flatMap { EditLabel(bytes: $0) }
        } catch  where Posix.isUnsupported(error) {
            // A filesystem without attributes has no labels.
            return nil
        }
    }

    // MARK: Seals

    /// The modification time of a content file that holds just what the store has: any write, by
    /// whomever, breaks this seal.
    ///
    /// A loss of power may keep the seal and lose the write, or a part of it: it breaks all seals
    /// at once. Whole seconds, which every filesystem keeps.
    var sealed: Timestamp {
        Timestamp(seconds: 1_146_045_254 + losses.count, nanoseconds: 0)
    }

    func seal(_ file: Descriptor) {
        // The bytes of a file without a seal are compared when it is opened next.
        try? mustSeal(file)
    }

    /// As ``seal(_:)``, for who relies on it.
    func mustSeal(_ file: Descriptor) throws(DocFSError) {
        try Posix.setTimes(of: file.number, accessed: .keep, modified: .set(sealed))
    }

    /// Whether a file holds the bytes that the store has: its seal is whole, or its digest right.
    func isTrue(_ file: Descriptor, to row: LocalItem) throws(DocFSError) -> Bool {
        guard row.divergence != .written, row.size > 0,
            try Posix.status(of: file.number).modified != sealed
        else { return true }
        // Without a digest nobody can tell what a loss of power has left of it.
        guard let digest = row.sourceDigest else { return losses.count == 0 }
        guard try FileDigest.compute(file.number, length: row.size) == digest else { return false }
        if !row.isDeparting { seal(file) }
        return true
    }
}
