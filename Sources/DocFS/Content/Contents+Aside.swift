internal import Synchronization

/// Edits that no row tells of, since the catalog has lost its last entries: their files are never
/// removed, but put aside.
///
/// For ``Salvage`` where the process has died. Where the power went, an edit that the catalog has
/// lost was never acknowledged by fsync(2), and may be torn: it is kept for people, not shown.
extension Contents {
    /// Has `body` told what was put aside up to now and will be, by any thread.
    package func whenPutAside(_ body: @escaping @Sendable (Aside) -> Void) {
        let untold = asides.withLock { asides in
            defer { asides.untold = [] }
            asides.teller = body
            return asides.untold
        }
        for aside in untold { body(aside) }
    }

    func tell(_ aside: Aside) {
        let teller = asides.withLock { asides in
            if asides.teller == nil { asides.untold.append(aside) }
            return asides.teller
        }
        teller?(aside)
    }

    /// Removes a content file that no row tells of, or puts it aside when it holds an edit.
    package func clear(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) {
        if try !putAside(ino, place) { try files.remove(ino, place) }
    }

    /// As ``ContentFiles/make(_:_:)``, but an edit that is in the way is put aside.
    func makeFile(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> Descriptor {
        do {
            return try files.makeNew(ino, place)
        } catch .exists {
            try clear(ino, place)
            return try files.makeNew(ino, place)
        }
    }

    /// Puts the file of a row aside that holds an edit, while the row tells of none.
    func putAsideEdit(_ row: LocalItem) throws(DocFSError) {
        _ = try putAside(row.ino, row.place)
    }

    private func putAside(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> Bool {
        guard let file = try files.openWhole(ino, place), let label = try Self.label(of: file)
        else { return false }
        if isUnswept {
            let document = "\(label.scope)/\(label.path)"
            try putAsideTorn(ino, place, file, of: document)
        } else {
            let path = try files.putAside(ino, place, at: clock.wallTime())
            tell(Aside(path: path, isTorn: false))
        }
        return true
    }

    /// Puts a file aside whose bytes may be torn.
    ///
    /// - Returns: where it lies now.
    @discardableResult
    func putAsideTorn(_ ino: Int64, _ place: ContentPlace, _ file: Descriptor, of document: String)
        throws(DocFSError) -> String
    {
        // Nobody takes it for an edit any more.
        Self.removeLabel(of: file.number)
        let path = try files.putAside(
            ino, place, ContentFiles.tornPrefix, at: clock.wallTime())
        tell(Aside(path: path, document: document, isTorn: true))
        return path
    }
}
