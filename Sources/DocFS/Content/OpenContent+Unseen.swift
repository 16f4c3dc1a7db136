/// Content that the kernel writes by itself (passthrough): the content file alone tells of it.
///
/// From ``watch(since:counts:)`` to ``unwatch()`` the row says that it is being written, so that a
/// start after a crash reads size and time from the file (S13), and ``takeOver()`` brings the row
/// up to date whenever somebody looks: at getattr, flush, fsync, release and before bytes are sent.
extension OpenContent {
    /// The row knows from now on that its file may be written without a request to us.
    ///
    /// `mark` is what the row is known to show; otherwise the row is right. `counts` says that one
    /// more ``unwatch()`` will follow.
    func watch(since mark: FileMark?, counts: Bool) throws(DocFSError) {
        try changes.withLock { (_) throws(DocFSError) in
            if state.withLock({ $0.unseen == nil }) { try beginWatching(since: mark) }
            try takeOverWhileChanging()
            // Not before: no ``unwatch()`` follows what has failed.
            if counts { state.withLock { $0.watchers += 1 } }
        }
    }

    private func beginWatching(since mark: FileMark?) throws(DocFSError) {
        guard let file = wholeFile else { throw .badHandle }
        let row = try contents.row(ino)
        // What has the store's bytes shows by its seal whether it was written.
        if row.divergence == .none, !row.isDeparting, mark == nil { try contents.mustSeal(file) }
        let found = FileMark(try Posix.status(of: file.number))
        try contents.change(ino) { (row, _) throws(DocFSError) in row.isUnflushed = true }
        state.withLock { $0.unseen = mark ?? found }
    }

    /// Brings the row up to date with what was written unseen.
    ///
    /// - Returns: whether anything was.
    @discardableResult
    func takeOver() throws(DocFSError) -> Bool {
        if state.withLock({ $0.unseen == nil }) { return false }
        return try changes.withLock { (_) throws(DocFSError) in try takeOverWhileChanging() }
    }

    /// As ``takeOver()``, for who holds ``changes``.
    @discardableResult
    func takeOverWhileChanging() throws(DocFSError) -> Bool {
        let (mark, file, base, size) = state.withLock {
            ($0.unseen, $0.descriptor, $0.base, $0.size)
        }
        guard let mark, let file else { return false }
        let found = FileMark(try Posix.status(of: file.number))
        if found == mark { return false }
        let now = contents.clock.wallTime()
        try contents.change(ino) { (row, transaction) throws(DocFSError) in
            row.unsynced.write(over: row.divergence)
            row.divergence = .written
            row.basis = base ?? row.basis
            row.generation += 1
            row.isUnflushed = true
            row.size = found.size
            row.modified = found.modified
            row.changed = now
            try transaction.markEdited(row)
        }
        state.withLock { state in
            state.unseen = found
            state.base = nil
            // Others may have written through us since the file was looked at.
            state.size = state.size == size ? found.size : max(state.size, found.size)
            state.isSynced = false
            state.isUnsynced = true
            state.writesBegun += 1
        }
        contents.labelSoon(ino)
        contents.syncSoon()
        return true
    }

    /// Ends one ``watch(since:counts:)``; after the last nobody writes unseen any more.
    func unwatch() throws(DocFSError) {
        try changes.withLock { (_) throws(DocFSError) in
            try takeOverWhileChanging()
            let (isOver, isLagging) = state.withLock { ($0.watchers == 1, $0.isLagging) }
            if isOver {
                try contents.change(ino) { (row, transaction) throws(DocFSError) in
                    row.isUnflushed = isLagging
                    if row.divergence != .none { try transaction.markEdited(row) }
                }
            }
            // Not before: who has failed so far may try again.
            state.withLock { state in
                state.watchers -= 1
                if isOver { state.unseen = nil }
            }
        }
    }
}
