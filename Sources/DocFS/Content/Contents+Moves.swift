internal import Glibc

/// Handing a content over to the plain directory of `Local/` (S24).
extension Contents {
    /// The filesystem (`st_dev`) that a content lies on.
    package func device(of row: LocalItem) throws(DocFSError) -> UInt64? {
        try files.status(row.ino, row.place)?.device
    }

    /// Whether the content file of a row, where it has one still, may be handed over: what the
    /// store has is looked at, unless it is sealed.
    package func isWhole(_ row: LocalItem) throws(DocFSError) -> Bool {
        guard row.divergence != .written, row.size > 0,
            try files.status(row.ino, row.place) != nil
        else { return true }
        guard let file = try files.openWhole(row.ino, row.place),
            try Posix.status(of: file.number).size == row.size
        else { return false }
        return try isTrue(file, to: row)
    }

    /// Gives the content file of a row whose bytes are all here a name in `directory`, or makes a
    /// copy of it there where that is another filesystem.
    ///
    /// The content stays readable under its row until ``discard(_:)``. Returns the file, open.
    package func hand(over row: LocalItem, into directory: Int32, as name: [UInt8])
        throws(DocFSError) -> Descriptor
    {
        try files.hand(over: row, into: directory, as: name)
    }

    /// The bytes of a row that is gone are in `Local/`.
    package func discard(_ row: LocalItem) {
        // What stays is removed by the next start's sweep.
        try? files.remove(row.ino, row.place)
    }
}

extension ContentFiles {
    fileprivate func hand(over row: LocalItem, into directory: Int32, as name: [UInt8])
        throws(DocFSError) -> Descriptor
    {
        let flags = O_RDWR | O_NOFOLLOW
        let (from, path) = try location(row.ino, row.place)
        // An earlier try may have given it the document's mode, which may refuse us.
        for (directory, name) in [(from, path), (directory, name)] {
            do throws(DocFSError) {
                try Posix.setMode(at: directory, name, 0o600)
            } catch .notFound {}
        }
        guard let source = try open(row.ino, row.place, isReadOnly: true) else {
            if row.size == 0 {
                // An empty document never had a file.
                return try Posix.open(
                    at: directory, name, flags: flags | O_CREAT | O_TRUNC, mode: 0o600)
            }
            return try Posix.open(at: directory, name, flags: flags)
        }
        do throws(DocFSError) {
            try Posix.unlink(at: directory, name)
        } catch .notFound {}
        do throws(DocFSError) {
            do throws(DocFSError) {
                try Posix.link(at: from, path, to: directory, name)
            } catch  where error != .otherFilesystem {
                // A filesystem without links.
                try Posix.rename(at: from, path, to: directory, name)
            }
            return try Posix.open(at: directory, name, flags: flags)
        } catch .otherFilesystem {
            let copy = try Posix.open(
                at: directory, name, flags: flags | O_CREAT | O_TRUNC, mode: 0o600)
            let length = try Posix.status(of: source.number).size
            let copied = try Posix.copy(
                from: source.number, to: copy.number, at: 0, length: length)
            guard copied == length else {
                throw .corrupt("the content file is shorter than its document")
            }
            return copy
        }
    }
}
