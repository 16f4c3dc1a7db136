/// Writing: the row knows of it before the first byte changes (S13), so that a crash never leaves
/// an edit unnoticed.
extension OpenContent {
    /// Has `body` write up to `length` bytes at `offset` into the descriptor that it is given, and
    /// answers what it answers: how many.
    ///
    /// Never waits for a store.
    package func write(
        at offset: UInt64, length: Int, _ body: (Int32) throws(DocFSError) -> Int
    ) throws(DocFSError) -> Int {
        let (end, overflow) = offset.addingReportingOverflow(UInt64(length))
        guard !overflow, end <= UInt64(Int64.max) else { throw .tooLarge }
        try beginWrite()
        defer { endWrite() }
        if let file = wholeFile {
            let count = try body(file.number)
            wrote(offset..<offset + UInt64(count))
            return count
        }
        defer {
            answerWaiters()
            hydrate()
        }
        return try changes.withLock { (_) throws(DocFSError) in
            try writeIncomplete(offset..<end, body)
        }
    }

    /// Where bytes are to go that are appended, and that the kernel has for `offset`: it may know
    /// the size of another body than what is read here, and written into (S8).
    package func end(insteadOf offset: UInt64) throws(DocFSError) -> UInt64 {
        // From the first write on no other body comes.
        try beginWrite()
        defer { endWrite() }
        guard state.withLock(\.isUntold) else { return offset }
        try takeOver()
        return state.withLock { $0.size }
    }

    // MARK: The intent

    /// What is written from now on was made from `revision`, not from what is here (S14a).
    package func rebase(on revision: Revision) {
        state.withLock { state in
            state.base = revision
            // The next write tells the row.
            state.isNoted = false
        }
    }

    /// Counts a write that begins, after the row was told.
    func beginWrite() throws(DocFSError) {
        while !state.withLock({ $0.beginNotedWrite() }) {
            try changes.withLock { (_) throws(DocFSError) in
                if state.withLock({ $0.isNoted }) { return }
                try note()
                state.withLock { $0.isNoted = true }
            }
        }
    }

    func endWrite() {
        state.withLock { state in
            state.writesUnderWay -= 1
            state.isSynced = false
        }
    }

    /// Writes the intent into the row.
    ///
    /// For who holds ``changes``.
    private func note() throws(DocFSError) {
        let (isComplete, source, base, isAhead, wanted) = state.withLock { state in
            (state.phase == .complete, state.source, state.base, state.isAhead, state.wanted)
        }
        let now = contents.clock.wallTime()
        try contents.change(ino) { (row, transaction) throws(DocFSError) in
            if isAhead, let source { row.follow(source, size: wanted) }
            // The document has got another body since, and a new number with it.
            if row.state != .current, !row.wants(source) { throw .stale }
            row.unsynced.write(over: row.divergence)
            row.divergence = .written
            row.basis = base ?? row.basis
            row.generation += 1
            row.isUnflushed = true
            row.changed = now
            if isComplete, row.state != .current {
                row.state = .current
                row.error = nil
                try transaction.setWritten([], ino: row.ino)
            } else if !isComplete {
                row.state = .partial
            }
            try transaction.markEdited(row)
        }
        state.withLock { state in
            state.base = nil
            state.isUnsynced = true
            state.isUntold = state.isUntold || isAhead
            state.isAhead = false
        }
        // A partial row without its file would be damage: the file is there from now on.
        if !isComplete { _ = try fileWhileChanging() }
        contents.labelSoon(ino)
        contents.syncSoon()
    }

    func wrote(_ range: Range<UInt64>) {
        let now = contents.clock.wallTime()
        state.withLock { state in
            state.size = max(state.size, range.upperBound)
            state.unrecorded = now
        }
    }

    // MARK: Incomplete content

    /// For who holds ``changes``: one write at a time, so that no range is recorded before its
    /// bytes are there.
    func writeIncomplete(
        _ range: Range<UInt64>, _ body: (Int32) throws(DocFSError) -> Int
    ) throws(DocFSError) -> Int {
        let file = try fileWhileChanging()
        let before = try reserve(range)
        let count: Int
        do {
            count = try body(file.number)
        } catch {
            settle(range, wrote: 0, before)
            throw error
        }
        settle(range, wrote: UInt64(count), before)
        wrote(range.lowerBound..<range.lowerBound + UInt64(count))
        try recordWritten()
        return count
    }

    /// Sees to it that no fetch writes into `range` any more; returns what was written before.
    private func reserve(_ range: Range<UInt64>) throws(DocFSError) -> RangeSet {
        state.withLock { $0.isDiverged = true }
        cancelFetches { $0.isDirect && $0.range.overlaps(range) }
        try awaitDirectFetches(in: range)
        // Whoever is pouring fetched bytes at this moment has looked at the ranges before.
        return pouring.withLock { _ in
            state.withLock { state in
                let reserved = range.clamped(to: 0..<state.wanted)
                defer {
                    state.reserved = reserved
                    state.written.insert(reserved)
                }
                return state.written
            }
        }
    }

    /// Ends the reservation of `range`, of which only the first `count` bytes were written.
    ///
    /// Fetches that went around the others do not count.
    private func settle(_ range: Range<UInt64>, wrote count: UInt64, _ before: RangeSet) {
        let done = range.lowerBound..<range.lowerBound + count
        let undone = done.upperBound..<range.upperBound
        state.withLock { state in
            state.reserved = nil
            state.here.insert(done.clamped(to: 0..<state.wanted))
            state.written.remove(undone)
            for part in before.intersection(undone) { state.written.insert(part) }
        }
        cancelFetches { $0.range.overlaps(undone) }
    }

    /// Waits until no store copies into `range` of the file by itself: local copies of a few
    /// megabytes that were told to stop.
    func awaitDirectFetches(in range: Range<UInt64>) throws(DocFSError) {
        let ended: Void? = state.wait(nanoseconds: contents.deadline) { state in
            state.fetches.values.contains { $0.isDirect && $0.range.overlaps(range) } ? nil : ()
        }
        if ended == nil { throw .deadline }
    }

    private func recordWritten() throws(DocFSError) {
        let now = contents.clock.wallTime()
        let (written, size, modified) = state.withLock { state in
            (state.written, state.size, state.unrecorded)
        }
        try contents.change(ino) { (row, transaction) throws(DocFSError) in
            row.size = size
            row.modified = modified ?? row.modified
            row.changed = now
            if row.state == .partial { try transaction.setWritten(written.ranges, ino: row.ino) }
        }
        state.withLock { $0.unrecorded = nil }
    }

    // MARK: Recording

    /// Writes size and times into the row, unless it has them or is gone.
    package func flush() throws(DocFSError) {
        guard state.withLock({ $0.isLagging || $0.unseen != nil }) else { return }
        do throws(DocFSError) { try change { _, _ in } } catch .stale {}
    }

    /// As ``flush()``, after the disk has got what was written before `moment`: unless more was
    /// written since, the row says so.
    ///
    /// - Parameter generation: the row's at that moment, where it is known.
    func flush(syncedAt moment: WritingMoment, generation: Int64? = nil) throws(DocFSError) {
        guard state.withLock({ $0.isUnsynced }) else { return try flush() }
        do throws(DocFSError) {
            try change { (row, _) throws(DocFSError) in
                guard generation == nil || generation == row.generation,
                    state.withLock({ $0.takeUnsynced(upTo: moment) })
                else { return }
                row.unsynced = .none
            }
        } catch .stale {
        } catch {
            state.withLock { $0.isUnsynced = true }
            throw error
        }
    }

    /// How much was written up to now.
    var writingMoment: WritingMoment {
        state.withLock { WritingMoment(begun: $0.writesBegun, isQuiet: $0.writesUnderWay == 0) }
    }

    /// Changes the row, after size and times of what was written before, in one transaction.
    func change(
        _ body: (inout LocalItem, CatalogWriter) throws(DocFSError) -> Void
    ) throws(DocFSError) {
        try changes.withLock { (_) throws(DocFSError) in
            try takeOverWhileChanging()
            try record(state.withLock { $0.takeUnrecorded() }, body)
        }
    }

    /// For who holds ``changes``.
    func record(
        _ taken: State.Unrecorded?,
        _ body: (inout LocalItem, CatalogWriter) throws(DocFSError) -> Void = { _, _ in }
    ) throws(DocFSError) {
        var isRecorded = true
        defer { if let taken { state.withLock { $0.end(taken, isRecorded: isRecorded) } } }
        do throws(DocFSError) {
            try contents.change(ino) { (row, transaction) throws(DocFSError) in
                if let taken { try contents.record(taken, in: &row, transaction) }
                try body(&row, transaction)
            }
        } catch {
            isRecorded = error == .stale
            throw error
        }
    }

    /// What was written is on stable storage when this returns (S13).
    package func sync() throws(DocFSError) {
        let moment = try bringToDisk()
        try contents.makeDurable()
        state.withLock { state in
            if moment.isQuiet && state.writesUnderWay == 0 { state.isSynced = true }
        }
    }

    /// The bytes that were written are on stable storage when this returns; what the catalog tells
    /// of them is not.
    ///
    /// - Returns: the moment up to which that holds.
    @discardableResult
    func bringToDisk() throws(DocFSError) -> WritingMoment {
        // What was written unseen up to now counts as well, and what is from now on does not.
        do throws(DocFSError) { try takeOver() } catch .stale {}
        let moment = writingMoment
        let (file, place, isEntrySynced) = state.withLock { state in
            (state.descriptor, state.place, state.isEntrySynced)
        }
        if let file {
            try Posix.syncData(file.number)
            if !isEntrySynced { try contents.files.syncEntry(ino, place) }
            state.withLock { if $0.descriptor === file { $0.isEntrySynced = true } }
        }
        try flush(syncedAt: moment)
        return moment
    }

    /// How much of a content was written at some moment.
    struct WritingMoment {
        fileprivate let begun: Int
        /// Nothing was being written.
        let isQuiet: Bool

        fileprivate init(begun: Int, isQuiet: Bool) {
            self.begun = begun
            self.isQuiet = isQuiet
        }
    }
}

extension OpenContent.State {
    /// What the row is to take over.
    struct Unrecorded {
        var size: UInt64
        var modified: Timestamp?
        var isStillNoted: Bool
        var isWatched: Bool
    }

    fileprivate mutating func beginNotedWrite() -> Bool {
        if isNoted {
            writesUnderWay += 1
            writesBegun += 1
        }
        return isNoted
    }

    /// - Returns: whether nothing was written since `moment`.
    fileprivate mutating func takeUnsynced(upTo moment: OpenContent.WritingMoment) -> Bool {
        guard moment.isQuiet, moment.begun == writesBegun, writesUnderWay == 0 else { return false }
        isUnsynced = false
        return true
    }

    /// What the row does not have; from here on the next write tells the row anew, unless one is
    /// under way that has told it already.
    ///
    /// It shows until the row has it: ``end(_:isRecorded:)``.
    mutating func takeUnrecorded() -> Unrecorded? {
        guard isLagging else { return nil }
        let isStillNoted = writesUnderWay > 0
        isNoted = isStillNoted
        isRecording = true
        return Unrecorded(
            size: size, modified: unrecorded, isStillNoted: isStillNoted, isWatched: unseen != nil)
    }

    mutating func end(_ taken: Unrecorded, isRecorded: Bool) {
        isRecording = false
        if !isRecorded {
            isNoted = true
        } else if unrecorded == taken.modified, size == taken.size {
            unrecorded = nil
        }
    }
}
