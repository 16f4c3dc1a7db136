internal import Synchronization

/// Edits that no row tells of, since the catalog has lost its last entries: their files are never
/// removed, but put aside for ``Salvage``.
extension Contents {
    /// Has `body` told where an edit was put aside, by any thread.
    package func whenPutAside(_ body: @escaping @Sendable (_ folder: String) -> Void) {
        salvager.withLock { $0 = body }
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
        guard let file = try files.openWhole(ino, place), Self.isLabelled(file) else {
            return false
        }
        let folder = try files.putAside(ino, place, at: clock.wallTime())
        salvager.withLock { $0 }?(folder)
        return true
    }
}
