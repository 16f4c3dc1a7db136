/// Changes of size, and the calls on ranges that are neither read nor write.
extension OpenContent {
    /// truncate(2).
    ///
    /// Cutting to nothing never downloads (S8).
    package func setSize(_ size: UInt64) throws(DocFSError) {
        guard size <= UInt64(Int64.max) else { throw .tooLarge }
        let isEmptied = try changes.withLock { (_) throws(DocFSError) in
            let isUnseen = state.withLock { state in
                state.phase != .complete || state.isAhead && !state.isSeen
            }
            guard size == 0, isUnseen else { return false }
            try empty()
            return true
        }
        if !isEmptied {
            try beginWrite()
            defer { endWrite() }
            if let file = wholeFile {
                try Posix.truncate(file.number, to: size)
                let now = contents.clock.wallTime()
                state.withLock { state in
                    state.size = size
                    state.unrecorded = now
                }
            } else {
                try changes.withLock { (_) throws(DocFSError) in try resizeIncomplete(size) }
            }
        }
        answerWaiters()
        goOn()
    }

    /// Incomplete content, or what nobody has seen, becomes complete by having nothing left.
    ///
    /// For who holds ``changes``.
    private func empty() throws(DocFSError) {
        let now = contents.clock.wallTime()
        // What another program has there now, and nobody has read, is not what is written over.
        let base = state.withLock { state in
            state.base ?? (state.isSeen ? state.source?.revision : nil)
        }
        try contents.change(ino) { (row, transaction) throws(DocFSError) in
            row.state = .current
            row.basis = base ?? row.basis
            row.size = 0
            row.wanted = 0
            row.unsynced.write(over: row.divergence)
            row.divergence = .written
            row.isUnflushed = false
            row.generation += 1
            row.modified = now
            row.changed = now
            try transaction.setWritten([], ino: row.ino)
            try transaction.markEdited(row)
        }
        // Dying here leaves a longer file under a row of no bytes: it is emptied when opened.
        try replaceFile { state in
            state.base = nil
            state.size = 0
            state.wanted = 0
            state.here = RangeSet()
            state.written = RangeSet()
            state.isDiverged = true
            state.isAhead = false
            state.served = RangeSet()
            state.unrecorded = nil
            state.isNoted = state.writesUnderWay > 0
            state.isSynced = false
            state.isUnsynced = true
            state.writesBegun += 1
            // The last bytes may have been accepted just now.
            if state.phase != .complete { state.move(to: .complete) }
        }
        contents.syncSoon()
        // A write that has begun relies on its intent.
        if state.withLock({ $0.isNoted }) {
            try contents.change(ino) { (row, _) throws(DocFSError) in row.isUnflushed = true }
        }
    }

    /// For who holds ``changes``, after ``beginWrite()``.
    private func resizeIncomplete(_ size: UInt64) throws(DocFSError) {
        let file = try fileWhileChanging()
        let cut = size..<max(size, state.withLock { $0.wanted })
        state.withLock { $0.isDiverged = true }
        if !cut.isEmpty {
            cancelFetches { $0.isDirect && $0.range.overlaps(cut) }
            try awaitDirectFetches(in: cut)
        }
        let now = contents.clock.wallTime()
        try pouring.withLock { (_) throws(DocFSError) in
            state.withLock { state in
                state.wanted = min(state.wanted, size)
                state.here.remove(cut)
                state.written.remove(cut)
                state.size = size
                state.unrecorded = nil
            }
            try Posix.truncate(file.number, to: size)
        }
        let (wanted, written) = state.withLock { ($0.wanted, $0.written) }
        try contents.change(ino) { (row, transaction) throws(DocFSError) in
            row.size = size
            row.wanted = wanted
            row.modified = now
            row.changed = now
            if row.state == .partial { try transaction.setWritten(written.ranges, ino: row.ino) }
        }
    }

    /// fallocate(2).
    ///
    /// It moves the modification time whatever it did, as on ext4.
    package func allocate(mode: Int32, offset: UInt64, length: UInt64) throws(DocFSError) {
        let known = Posix.keepSize | Posix.punchHole | Posix.zeroRange
        guard mode & ~known == 0 else { throw .notOffered }
        guard length > 0, offset <= UInt64(Int64.max) - length else { throw .invalidArgument }
        let range = offset..<offset + length
        try beginWrite()
        defer { endWrite() }
        if let file = wholeFile {
            try Posix.allocate(file.number, mode: mode, offset: offset, length: length)
            return wrote(mode & Posix.keepSize != 0 ? 0..<0 : range)
        }
        defer {
            answerWaiters()
            hydrate()
        }
        try changes.withLock { (_) throws(DocFSError) in
            try allocateIncomplete(mode: mode, range)
        }
    }

    /// Zeros in what is not here yet are bytes that were written here; what is reserved below the
    /// size is reserved already.
    ///
    /// For who holds ``changes``, after ``beginWrite()``.
    private func allocateIncomplete(mode: Int32, _ range: Range<UInt64>) throws(DocFSError) {
        let size = state.withLock(\.size)
        let newSize = mode & Posix.keepSize != 0 ? size : max(size, range.upperBound)
        let zeros = range.clamped(to: 0..<newSize)
        guard mode & (Posix.punchHole | Posix.zeroRange) != 0, !zeros.isEmpty else {
            return try resizeIncomplete(newSize)
        }
        let length = UInt64(zeros.count)
        _ = try writeIncomplete(zeros) { (file) throws(DocFSError) in
            try Posix.allocate(file, mode: mode, offset: zeros.lowerBound, length: length)
            return zeros.count
        }
    }

    /// lseek(2) with SEEK_DATA or SEEK_HOLE.
    ///
    /// What is not here counts as data.
    package func seek(offset: UInt64, whence: Int32) throws(DocFSError) -> UInt64 {
        let (phase, size, file) = state.withLock { ($0.phase, $0.size, $0.descriptor) }
        if phase == .complete, let file {
            return try Posix.seek(file, offset: offset, whence: whence)
        }
        guard offset < size else { throw .noMoreData }
        return whence == Posix.seekData ? offset : size
    }

    /// copy_file_range(2) between two contents that are both here; `.notOffered` otherwise: the
    /// kernel then reads and writes.
    ///
    /// Returns the bytes copied.
    package func copyRange(
        at offset: UInt64, to other: OpenContent, at newOffset: UInt64, length: UInt64
    ) throws(DocFSError) -> UInt64 {
        guard let from = wholeFile,
            other.isComplete
        else { throw .notOffered }
        var copied: UInt64 = 0
        _ = try other.write(at: newOffset, length: Int(length)) { (file) throws(DocFSError) in
            copied = try Posix.copyRange(
                from: from.number, at: offset, to: file, at: newOffset, length: length)
            return Int(copied)
        }
        return copied
    }
}
