internal import Synchronization

/// What a loss of power leaves: pages of content files are old, new or torn, each by itself, and
/// the catalog has lost its last entries.
///
/// What fsync(2) has acknowledged is in both. Edits that were on their way to the disk still fall
/// back to what the store has, and their bytes are put aside: nothing torn is shown or sent.
extension Contents {
    /// - Parameter gone: rows that are no more.
    func recoverFromPowerLoss(but gone: Set<Int64>) throws(DocFSError) {
        let (edited, unflushed) = try catalog.read { (read) throws(DocFSError) in
            (try read.edited(), try read.unflushed())
        }
        for row in edited where row.isFile && !gone.contains(row.ino) {
            if row.unsynced == .edit { try fallBack(row) } else { try keep(row) }
        }
        // Their bytes are the store's, or their digest tells when somebody opens them.
        for row in unflushed where row.divergence != .written && !gone.contains(row.ino) {
            try change(row.ino) { (row, _) throws(DocFSError) in row.isUnflushed = false }
        }
        // What was put aside stays there when the power goes again.
        try files.sync(inLocal: true)
    }

    /// An edit that was on the disk once is kept as it is there, like any file that is written
    /// without fsync(2).
    private func keep(_ row: LocalItem) throws(DocFSError) {
        let status = row.state == .current ? try files.status(row.ino, row.place) : nil
        if status == nil, row.state == .current, row.size > 0, row.place == .local {
            // It moved in from Local, and is there again.
            return try undo(row)
        }
        let wasSending = try catalog.read { (read) throws(DocFSError) in
            try read.isJournalled(row.item, scope: row.scope)
        }
        // What fsync(2) has acknowledged since the sending began is an edit, whatever was sent.
        if wasSending, row.unsynced != .none || status?.size != row.size {
            suspects.withLock { $0[row.ino] = row.generation }
        }
        try change(row.ino) { (row, transaction) throws(DocFSError) in
            row.unsynced = .none
            row.isUnflushed = false
            if let status, status.size != row.size {
                row.size = status.size
                row.modified = status.modified
                try transaction.markEdited(row)
            }
        }
    }

    /// The store has a row's bytes, and its file does not.
    func dropTorn(_ row: LocalItem, _ file: Descriptor) throws(DocFSError) {
        try change(row.ino) { (row, _) throws(DocFSError) in
            row.state = .none
            row.size = row.wanted
        }
        _ = try putAside(row, file, Posix.status(of: file.number).size)
    }

    private func fallBack(_ row: LocalItem) throws(DocFSError) {
        let file = row.state == .none ? nil : try files.openWhole(row.ino, row.place)
        let stored = try catalog.read { (read) throws(DocFSError) in try Self.stored(row, read) }
        let size = try file.map { (file) throws(DocFSError) in
            try Posix.status(of: file.number).size
        }
        if let stored {
            if row.state == .current, let file, try Self.holds(file, stored) {
                return try become(row, stored, isHere: true)
            }
            let aside = try putAside(row, file, size)
            return try become(row, stored, isHere: false, aside)
        }
        // Empty as it was made, or bound for Local, which promises what the disk does.
        if row.isDeparting || row.size == 0 && (size ?? 0) == 0 { return try keep(row) }
        _ = try putAside(row, file, size)
        try undo(row)
    }

    /// Leaves to the original what a copy of its state has no bytes of: edits whose files stayed
    /// behind in Local's directory (S34).
    ///
    /// They come from there.
    package func leaveToOriginal() throws(DocFSError) {
        let edited = try catalog.read { (read) throws(DocFSError) in try read.edited() }
        for row in edited
        where row.isFile && row.place == .local && row.state == .current && row.size > 0 {
            if try files.status(row.ino, row.place) == nil { try undo(row) }
        }
    }

    /// The row shows what the store has, if it has the document, or goes.
    private func undo(_ row: LocalItem) throws(DocFSError) {
        let stored = try catalog.read { (read) throws(DocFSError) in try Self.stored(row, read) }
        if let stored { return try become(row, stored, isHere: false) }
        let now = clock.wallTime()
        try catalog.write { (write) throws(DocFSError) in
            try write.delete(row.ino)
            if let parent = row.parent { try write.touchDirectory(parent, now: now) }
        }
    }

    /// What the store has of a row's document.
    private static func stored(_ row: LocalItem, _ read: CatalogReader) throws(DocFSError)
        -> ItemState?
    {
        let state = try read.state(.base, of: row.item, scope: row.scope)
        return state?.kind == .file ? state : nil
    }

    private static func holds(_ file: Descriptor, _ state: ItemState) throws(DocFSError) -> Bool {
        guard case .file(let body) = state.content, let digest = body.digest,
            try Posix.status(of: file.number).size == body.size
        else { return false }
        return try FileDigest.compute(file.number, length: body.size) == digest
    }

    /// - Returns: where the bytes are now; `nil` when there were none.
    private func putAside(_ row: LocalItem, _ file: Descriptor?, _ size: UInt64?)
        throws(DocFSError) -> String?
    {
        guard let file else { return nil }
        if size == 0 {
            try files.remove(row.ino, row.place)
            return nil
        }
        let document = try catalog.read { (read) throws(DocFSError) -> String in
            guard let scope = try read.scope(row.scope),
                let path = try read.path(of: row.ino, root: scope.root)
            else { return row.name.description }
            return "\(scope.name)/\(path)"
        }
        return try putAsideTorn(row.ino, row.place, file, of: document)
    }

    /// The row shows what the store has.
    private func become(
        _ row: LocalItem, _ state: ItemState, isHere: Bool, _ aside: String? = nil
    ) throws(DocFSError) {
        try change(row.ino) { (row, transaction) throws(DocFSError) in
            row.isUnflushed = false
            row.fill(from: state)
            row.modified = state.metadata.modified
            if isHere { row.state = .current } else { row.place = .state }
            row.generation += 1
            row.error = aside.map {
                "the last edit was not on the disk when the power went: what is left is \($0)"
            }
            try transaction.setWritten([], ino: row.ino)
            try transaction.markEdited(row)
        }
    }
}
