internal import Synchronization

/// Programs that have a file of `Local/` open for writing when it moves into a container go on
/// writing into it, past the mount (S2, S24): the file is theirs still. Such a content counts as
/// open for writing until nobody outside has it open any more; its row follows what they write.
extension Contents {
    /// How often such files are looked at, in microseconds.
    private static let interval: UInt32 = 500_000
    /// What stood still for so long may be sent, in nanoseconds.
    private static let quiet: UInt64 = 1_000_000_000
    /// How soon, and at the latest, it is asked again whether there is a writer, in nanoseconds.
    private static let (firstPause, longestPause): (UInt64, UInt64) = (
        2_000_000_000, 60_000_000_000
    )
    /// Where nobody can tell whether there is a writer, there is none after so long without a
    /// change, in nanoseconds.
    private static let patience: UInt64 = 10_000_000_000

    /// Whether a row's content file is there, or the one that it is filled from.
    package func hasFile(_ row: LocalItem) throws(DocFSError) -> Bool {
        if row.isLinked, let item = row.sourceItem, try linked.has(LinkedFiles.name(for: item)) {
            return true
        }
        return try files.status(row.ino, row.place) != nil
    }

    /// Rows of files that have moved in from `Local/`, with all that was written until then: those
    /// that nobody has open for writing any more need their files for nothing from here on; the
    /// others are followed.
    ///
    /// Those that share their files with other names get bytes of their own.
    package func settleImported(_ rows: [Int64]) {
        var (still, shared): ([Int64], [Int64]) = ([], [])
        defer { fillLinked(shared) }
        for ino in rows {
            let known: LocalItem
            do throws(DocFSError) {
                known = try row(ino)
            } catch .stale {
                continue
            } catch {
                followLater(ino, pause: Self.firstPause)
                continue
            }
            guard known.isFile else { continue }
            if known.isLinked { shared.append(ino) }
            guard known.isUnflushed else { continue }
            if claim(ino) {
                if isAsItsRow(known) {
                    still.append(ino)
                    if still.count == Self.batchLimit { noteStill(&still) }
                    continue
                }
                release([ino])
            }
            followOutsideWriter(of: ino)
        }
        noteStill(&still)
    }

    private func isAsItsRow(_ row: LocalItem) -> Bool {
        // Where nobody can tell, it is followed.
        guard let file = try? files.open(row.ino, row.place, isReadOnly: true),
            Posix.hasWriters(file.number) == false, let status = try? Posix.status(of: file.number)
        else { return false }
        return FileMark(status) == FileMark(row)
    }

    /// Ends the claims of rows whose files are as they say.
    private func noteStill(_ rows: inout [Int64]) {
        let still = rows
        rows = []
        defer { release(still) }
        do throws(DocFSError) {
            try catalog.write { (write) throws(DocFSError) in
                for ino in still {
                    guard let old = try write.read.local(ino), old.isUnflushed else { continue }
                    var row = old
                    row.isUnflushed = false
                    try write.update(row, from: old)
                }
            }
        } catch {
            for ino in still { followLater(ino, pause: Self.firstPause) }
        }
    }

    /// Looks whether somebody outside is writing into a file that moved in from `Local/`, and
    /// follows them if so.
    func followOutsideWriter(of ino: Int64) { follow(ino, pause: Self.firstPause) }

    private func follow(_ ino: Int64, pause: UInt64) {
        // While this process has it open, nobody can tell whether others do.
        let isOpenHere = table.withLock { $0.entries[ino] != nil }
        if isOpenHere { return followLater(ino, pause: pause) }
        let hasWriter = hasOutsideWriter(ino)
        let content: OpenContent
        do throws(DocFSError) {
            let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
            guard let row, row.isFile, row.place == .local, row.parent != nil || row.isDeparting,
                hasWriter != false || row.isUnflushed
            else { return }
            content = try openWatched(ino)
        } catch .badHandle {
            // It is not all here, and so nobody's outside.
            return
        } catch .corrupt {
            // Its row says so.
            return
        } catch {
            return followLater(ino, pause: pause)
        }
        let now = clock.now()
        let writer = OutsideWriter(
            content: content, changed: now, nextCheck: now + pause, pause: pause)
        // It ended just now: the row has the last of it.
        if hasWriter == false, letGo(writer) { return }
        table.withLock { $0.outside[ino] = writer }
        lookLater()
    }

    /// Opens a content for writing; from then on its row follows what is written into its file.
    private func openWatched(_ ino: Int64) throws(DocFSError) -> OpenContent {
        let (content, row) = try open(ino, forWriting: true)
        do throws(DocFSError) {
            try content.watch(since: isSealed(row) ? nil : FileMark(row), counts: true)
            return content
        } catch {
            close(content, forWriting: true)
            throw error
        }
    }

    /// Has it looked at anew in a while.
    private func followLater(_ ino: Int64, pause: UInt64) {
        table.withLock { $0.unfollowed[ino] = pause }
        lookLater()
    }

    /// Has them looked at in a while, unless they are to be anyhow.
    private func lookLater() {
        let isFirst = table.withLock { table in
            defer { table.looksOutside = true }
            return !table.looksOutside
        }
        if isFirst { outsideLooks.submit(after: Self.interval) { [self] in lookOutside() } }
    }

    /// Whether the file is the store's, and nobody has written into it since it was.
    private func isSealed(_ row: LocalItem) throws(DocFSError) -> Bool {
        guard row.divergence == .none, let status = try files.status(row.ino, row.place) else {
            return false
        }
        return status.size == row.size && status.modified == sealed
    }

    /// - Returns: whether it is; otherwise its row does not have the last of what was written.
    private func letGo(_ writer: OutsideWriter) -> Bool {
        do throws(DocFSError) {
            try writer.content.unwatch()
        } catch .stale {
            // The row is gone.
        } catch {
            return false
        }
        close(writer.content, forWriting: true)
        return true
    }

    /// `nil` when nobody can tell.
    private func hasOutsideWriter(_ ino: Int64) -> Bool? {
        do throws(DocFSError) {
            guard let file = try files.open(ino, .local, isReadOnly: true) else { return false }
            defer { withExtendedLifetime(file) {} }
            return Posix.hasWriters(file.number)
        } catch {
            return nil
        }
    }

    /// Brings the rows up to date, and lets go of the files that have no writer any more.
    private func lookOutside() {
        let now = clock.now()
        for (ino, known) in table.withLock({ $0.outside }) {
            // What the row cannot take over now it does at the next look, in half a second.
            let isChanged = (try? known.content.takeOver()) == true
            let (writer, isDue) = table.withLock { table -> (OutsideWriter?, Bool) in
                guard var writer = table.outside[ino] else { return (nil, false) }
                var isDue = false
                if isChanged {
                    writer.changed = now
                    writer.nextCheck = now + Self.firstPause
                    writer.isTold = false
                } else if !writer.isTold, now >= writer.changed + Self.quiet {
                    writer.isTold = true
                    isDue = true
                }
                table.outside[ino] = writer
                return (writer, isDue)
            }
            guard let writer else { continue }
            if isDue, !letSend(writer.content) {
                table.withLock { $0.outside[ino]?.isTold = false }
            }
            if now >= writer.nextCheck { check(ino, writer, at: now) }
        }
        let unfollowed = table.withLock { table in
            defer { table.unfollowed = [:] }
            return table.unfollowed
        }
        table.withLock { $0.looksOutside = false }
        for (ino, pause) in unfollowed { follow(ino, pause: pause) }
        if table.withLock({ !$0.outside.isEmpty }) { lookLater() }
    }

    /// As after fsync: what was written may be sent while the file stays open (S14).
    ///
    /// - Returns: whether that was told.
    private func letSend(_ content: OpenContent) -> Bool {
        content.state.withLock { $0.isSynced = true }
        do throws(DocFSError) {
            let row = try row(content.ino)
            catalog.announce(row.item, scope: row.scope)
            return true
        } catch {
            return error == .stale
        }
    }

    /// Whether there is a writer still, our own file aside, which is closed for that.
    private func check(_ ino: Int64, _ writer: OutsideWriter, at now: UInt64) {
        let answers = hasOutsideWriter(ino) != nil
        if !answers, now < writer.changed + Self.patience { return }
        table.withLock { _ = $0.outside.removeValue(forKey: ino) }
        guard letGo(writer) else { return table.withLock { $0.outside[ino] = writer } }
        // Asked again once our own file is closed.
        guard answers else { return }
        table.withLock { $0.unfollowed[ino] = min(writer.pause * 2, Self.longestPause) }
    }
}
