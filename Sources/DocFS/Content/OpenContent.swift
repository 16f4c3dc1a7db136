/// The bytes of one row while somebody needs them: an open handle, a download, an upload.
///
/// There is at most one per row, in the table of ``Contents``. Safe to use from any thread; calls
/// that change something block on the disk and the catalog, so they belong on threads of our own.
///
/// Order of locks: ``changes`` (slow: transactions, and whatever must not overlap with one), then
/// ``pouring`` (fetched bytes go into the file), then ``state`` (fast). The table's lock is never
/// taken while one of them is held.
package final class OpenContent: Sendable {
    package let ino: Int64
    let contents: Contents
    let changes = Monitor<Void>(())
    let pouring = Monitor<Void>(())
    let state = Monitor(State())

    init(ino: Int64, contents: Contents) {
        self.ino = ino
        self.contents = contents
    }

    /// Whether a program outside the mount writes into the file, so that its end is not where the
    /// kernel takes it to be.
    package var isWrittenOutside: Bool { contents.table.withLock { $0.outside[ino] != nil } }

    /// Whether all bytes are here.
    package var isComplete: Bool { state.withLock { $0.phase == .complete && !$0.isAhead } }

    /// Bytes.
    package var size: UInt64 { state.withLock(\.size) }

    /// The content file once all bytes are here; it stays this one while the content is open.
    package var wholeFile: Descriptor? {
        state.withLock { $0.phase == .complete && !$0.isAhead ? $0.descriptor : nil }
    }

    /// The size and time of what was written and is not in the row yet; `nil` when the row is
    /// right.
    var unrecorded: (size: UInt64, modified: Timestamp)? {
        state.withLock { state in state.unrecorded.map { (state.size, $0) } }
    }

    /// How much of the source's part is here, in percent.
    var percent: Int {
        state.withLock { state in
            if state.phase == .complete || state.wanted == 0 { return 100 }
            return Int(min(99, Double(state.here.count) / Double(state.wanted) * 100))
        }
    }

    // MARK: Loading

    /// Takes over what the row says, the first time.
    ///
    /// Throws `.corrupt` when what was written here is damaged.
    func load(_ row: LocalItem) throws(DocFSError) {
        if state.withLock({ $0.phase != .unloaded }) { return }
        try changes.withLock { (_) throws(DocFSError) in
            if state.withLock({ $0.phase != .unloaded }) { return }
            switch row.state {
            case .current: try loadCurrent(row)
            case .partial where row.divergence == .written: try loadPartial(row)
            case .none, .partial: loadPlaceholder(row)
            }
        }
    }

    private func loadCurrent(_ row: LocalItem) throws(DocFSError) {
        let descriptor = try contents.files.openWhole(ino, row.place)
        let size = try descriptor.map { (file) throws(DocFSError) in
            try Posix.status(of: file.number).size
        }
        if let descriptor, size == row.size || row.isUnflushed,
            try contents.isTrue(descriptor, to: row)
        {
            return enter(row, .complete, descriptor, size: size ?? 0)
        }
        // The file may hold an edit that the catalog has lost.
        if row.divergence != .written, !row.isDeparting { try contents.putAsideEdit(row) }
        if row.size == 0 {
            // Cut to nothing, and then the file could not be emptied any more.
            return enter(row, .complete, try contents.files.make(ino, row.place), size: 0)
        }
        guard row.divergence != .written, row.sourceRevision != nil else {
            let words = "the file that holds what was written here is damaged"
            contents.record(error: .corrupt(words), of: ino)
            throw .corrupt(words)
        }
        let placeholder = try contents.makePlaceholder(ino)
        loadPlaceholder(placeholder)
    }

    private func loadPartial(_ row: LocalItem) throws(DocFSError) {
        let written = try contents.catalog.read { (read) throws(DocFSError) in
            try read.written(ino)
        }
        let descriptor = try contents.files.openWhole(ino, row.place)
        if descriptor == nil, !written.isEmpty {
            let words = "the file that holds what was written here is gone"
            contents.record(error: .corrupt(words), of: ino)
            throw .corrupt(words)
        }
        if let descriptor { try Posix.truncate(descriptor.number, to: row.size) }
        enter(row, .incomplete, descriptor, size: row.size, written: RangeSet(written))
    }

    private func loadPlaceholder(_ row: LocalItem) {
        enter(row, .incomplete, nil, size: row.size)
    }

    private func enter(
        _ row: LocalItem, _ phase: ContentPhase, _ descriptor: Descriptor?, size: UInt64,
        written: RangeSet = RangeSet()
    ) {
        state.withLock { state in
            state.scope = row.sourceScope ?? row.scope
            state.place = row.place
            state.descriptor = descriptor
            state.size = size
            state.wanted = row.wanted
            state.source = BodySource(row)
            state.written = RangeSet(written.intersection(0..<row.wanted))
            state.here = state.written
            // Nothing was written yet into what moved here as a placeholder from another container.
            state.isDiverged = row.divergence == .written && row.state != .none
            state.isNoted = row.isUnflushed
            state.isUnsynced = row.unsynced != .none
            state.move(to: phase)
        }
    }

    /// A row that was just made, open for its first write: complete, empty, and noted already.
    ///
    /// Whoever finds the row in the catalog may have loaded it before its maker comes here.
    func loadNew(_ row: LocalItem) throws(DocFSError) {
        try changes.withLock { (_) throws(DocFSError) in
            if state.withLock({ $0.phase != .unloaded }) { return }
            enter(row, .complete, try contents.makeFile(ino, row.place), size: 0)
        }
    }

    /// The content file, made when there is none yet.
    ///
    /// Incomplete content has a file of its full size from the start, so that bytes may arrive in
    /// any order.
    func file() throws(DocFSError) -> Descriptor {
        if let descriptor = state.withLock({ $0.descriptor }) { return descriptor }
        return try changes.withLock { (_) throws(DocFSError) in try fileWhileChanging() }
    }

    /// As ``file()``, for who holds ``changes``.
    func fileWhileChanging() throws(DocFSError) -> Descriptor {
        let (descriptor, place, size) = state.withLock { ($0.descriptor, $0.place, $0.size) }
        if let descriptor { return descriptor }
        let made = try contents.makeFile(ino, place)
        try Posix.truncate(made.number, to: size)
        state.withLock { $0.descriptor = made }
        return made
    }

    /// Goes on with an empty file; what is still on its way into the old one is lost with it.
    ///
    /// For who holds ``changes``.
    ///
    /// - Parameter change: what else becomes of the state at that moment: nothing may be fetched
    ///   into the new file before.
    func replaceFile(_ change: (inout State) -> Void = { _ in }) throws(DocFSError) {
        let place = state.withLock { $0.place }
        let made = try contents.files.make(ino, place)
        state.withLock { state in
            if let old = state.descriptor { state.retired.append(old) }
            state.descriptor = made
            state.isEntrySynced = false
            state.epoch += 1
            for id in state.fetches.keys { state.fetches[id]?.isVoid = true }
            change(&state)
        }
        cancelFetches { _ in true }
    }
}
