internal import Synchronization

/// Taking over what an earlier process left (S13): no repair by hand, and quick.
extension Contents {
    /// Drops what nobody can reach any more, and reads size and time of contents that were being
    /// written from their files.
    func recover() throws(DocFSError) {
        let (orphans, unflushed) = try catalog.read { (read) throws(DocFSError) in
            (try read.orphans(), try read.unflushed())
        }
        if !orphans.isEmpty {
            try catalog.write { (write) throws(DocFSError) in
                for row in orphans { try write.removeNamelessBody(row.ino) }
            }
            remove(orphans.map(\.ino))
        }
        let gone = Set(orphans.map(\.ino))
        if losses.isNew { try recoverFromPowerLoss(but: gone) }
        for row in unflushed where !gone.contains(row.ino) && !losses.isNew { try recover(row) }
        // Programs outside go on, whatever became of the daemon.
        cutShort.withLock { rows in
            rows = unflushed.filter { $0.place == .local && !gone.contains($0.ino) }.map(\.ino)
        }
        try losses.note(in: catalog)
        let isSynced = try catalog.read { (read) throws(DocFSError) in try read.unsynced() }.isEmpty
        if !isSynced { syncSoon() }
    }

    private func recover(_ row: LocalItem) throws(DocFSError) {
        let status = row.state == .current ? try files.status(row.ino, row.place) : nil
        try change(row.ino) { (row, transaction) throws(DocFSError) in
            row.isUnflushed = false
            if let status {
                row.size = status.size
                // Else nothing was written yet when the process died.
                if status.modified != sealed {
                    row.modified = status.modified
                    // Written past us, which tells the row only later.
                    if row.divergence == .none {
                        row.unsynced = .edit
                        row.divergence = .written
                        row.generation += 1
                    }
                }
            } else if row.state == .current, row.size > 0 {
                row.error = "the file that holds what was written here is gone"
            }
            try transaction.markEdited(row)
        }
    }

    /// Looks through all contents in the background, once after the start: files without a row go,
    /// rows without their file become placeholders again.
    package func sweep() {
        OwnThread.start(name: "sweep") { [self] in
            for ino in cutShort.withLock({ $0 }) { followOutsideWriter(of: ino) }
            do throws(DocFSError) {
                try sweepLinked()
                try sweepFiles()
                try sweepRows()
                try setSwept()
            } catch {
                // The next start goes on, and what is opened until then is looked at by itself.
                catalog.bulletin.note(
                    "not all contents on this device could be checked: \(error.sentence)")
            }
        }
    }

    func sweepFiles() throws(DocFSError) {
        for index in 0..<256 {
            for ino in try files.numbers(inDirectory: index) { try sweepFile(ino, .state) }
        }
        for ino in try files.localNumbers() { try sweepFile(ino, .local) }
    }

    private func sweepFile(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) {
        if try isNeeded(ino, place) { return }
        try whileClosed(ino) { () throws(DocFSError) in
            // It may have been filled since.
            if try isNeeded(ino, place) { return }
            if try isDeleted(ino) { try files.remove(ino, place) } else { try clear(ino, place) }
        }
    }

    /// Whether a row tells of a content file.
    ///
    /// The row is always there before the file.
    private func isNeeded(_ ino: Int64, _ place: ContentPlace) throws(DocFSError) -> Bool {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
        return row.map { $0.state != .none && $0.place == place } ?? false
    }

    /// Whether there was a row of that number.
    ///
    /// A number that was never given belongs to a row that the catalog has lost.
    private func isDeleted(_ ino: Int64) throws(DocFSError) -> Bool {
        try catalog.readConsistently { (read) throws(DocFSError) in
            guard try read.local(ino) == nil else { return false }
            return try ino <= read.lastNumber()
        }
    }

    func sweepRows() throws(DocFSError) {
        var last: Int64 = 0
        while true {
            let after = last
            let rows = try catalog.read { (read) throws(DocFSError) in
                try read.resident(after: after, limit: 128)
            }
            guard let end = rows.last else { return }
            for row in rows where try isDoubtful(row) { try repair(row.ino) }
            last = end.ino
        }
    }

    /// Whether a file is not of its row's size, or holds an edit that its row does not tell of.
    private func isDoubtful(_ row: LocalItem) throws(DocFSError) -> Bool {
        guard row.state == .current, !row.isUnflushed else { return false }
        let status = try files.status(row.ino, row.place)
        if row.size > 0, status?.size != row.size { return true }
        guard row.divergence != .written, !row.isDeparting, let status, status.size > 0,
            status.modified != sealed
        else { return false }
        guard let file = try files.openWhole(row.ino, row.place) else { return false }
        return try Self.isLabelled(file)
    }

    private func repair(_ ino: Int64) throws(DocFSError) {
        try whileClosed(ino) { () throws(DocFSError) in
            let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
            // It may have been deleted meanwhile.
            guard let row, try isDoubtful(row) else { return }
            if row.divergence == .written || row.sourceRevision == nil {
                return record(
                    error: .corrupt("the file that holds what was written here"), of: ino)
            }
            if row.sourceDigest != nil, let file = try files.openWhole(ino, row.place),
                try Posix.status(of: file.number).size == row.size, try isTrue(file, to: row)
            {
                // The process died when the store had just taken it.
                return Self.removeLabel(of: file.number)
            }
            if row.size > 0 { _ = try makePlaceholder(ino) }
            try clear(ino, row.place)
        }
    }

    /// Runs `body` while nobody can open a content, unless somebody has it open.
    private func whileClosed(_ ino: Int64, _ body: () throws(DocFSError) -> Void)
        throws(DocFSError)
    {
        let isClosed = table.withLock { table in
            table.entries[ino] == nil && table.closing.insert(ino).inserted
        }
        guard isClosed else { return }
        defer { table.withLock { _ = $0.closing.remove(ino) } }
        try body()
    }
}
