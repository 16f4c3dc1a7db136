/// The bytes of a content at one instant, for sending.
extension OpenContent {
    /// The bytes as they are now, in the content file itself.
    ///
    /// From here on the next write tells the row anew.
    func snapshot() throws(DocFSError) -> Snapshot {
        let watched = state.withLock { $0.unseen == nil ? nil : $0.descriptor }
        // A mapping then moves the file's time when it is written next.
        if let watched { try Posix.syncData(watched.number) }
        try flush()
        let row = try contents.row(ino)
        let place = try state.withLock { (state) throws(DocFSError) in
            guard state.isQuiet else { throw .bodyChanged }
            return state.place
        }
        let file = try contentFile(place)
        let size = try Posix.status(of: file.number).size
        try makeTrusted(file, place)
        let digest = try FileDigest.compute(file.number, length: size)
        // A write that began meanwhile has told the row, and the digest says nothing.
        try takeOver()
        guard state.withLock({ $0.isQuiet }), try contents.row(ino).generation == row.generation
        else { throw .bodyChanged }
        return Snapshot(
            source: FileSource(descriptor: file), size: size, digest: digest,
            generation: row.generation, modified: row.modified)
    }

    /// A copy of the bytes as they were at one moment, though programs go on writing (S14).
    ///
    /// It shares the extents of the content file where the filesystem can. Elsewhere what is copied
    /// while programs write, and all that is written past us, is compared with the file once more:
    /// what is the same before and after a moment is taken to have been so at that moment.
    ///
    /// Throws `.bodyChanged` when it is not the same.
    func frozenSnapshot() throws(DocFSError) -> Snapshot {
        let place = state.withLock(\.place)
        let file = try contentFile(place)
        // A mapping then moves the file's time when it is written next, and sharing extents does
        // not have to wait for the disk.
        try Posix.syncData(file.number)
        guard let (copy, moment) = try frozenCopy(of: file, place) else { return try snapshot() }
        try makeTrusted(file, place)
        let digest = try FileDigest.compute(copy.number, length: moment.size)
        let doubt = moment.doubtful
        if doubt > 0 {
            let copied =
                doubt == moment.size
                ? digest : try FileDigest.compute(copy.number, length: doubt)
            let found = try FileDigest.compute(file.number, length: doubt)
            if found != copied { throw .bodyChanged }
        }
        return Snapshot(
            source: FileSource(descriptor: copy), size: moment.size, digest: digest,
            generation: moment.generation, modified: moment.modified, writer: moment.writer)
    }

    private func contentFile(_ place: ContentPlace) throws(DocFSError) -> Descriptor {
        guard let file = try contents.files.open(ino, place, isReadOnly: true) else {
            throw .corrupt("the content file is gone")
        }
        return file
    }

    /// What is sent is sealed here as well, and then trusted: a power cut must not tear it.
    private func makeTrusted(_ file: Descriptor, _ place: ContentPlace) throws(DocFSError) {
        try Posix.syncData(file.number)
        // Nor may it be in Local again.
        if place == .local { try contents.files.syncEntry(ino, place) }
    }

    // MARK: Copies

    /// What a copy shows.
    private struct Moment {
        /// Bytes.
        var size: UInt64
        var generation: Int64
        var modified: Timestamp
        var writer: WriterState
        /// So many bytes from the beginning may have been written while they were copied.
        var doubtful: UInt64

        init(_ row: LocalItem, size: UInt64, isSynced: Bool, doubtful: UInt64 = 0) {
            self.size = size
            self.doubtful = doubtful
            writer = isSynced ? .heldAndSynced : .held(since: 0)
            generation = row.generation
            modified = row.modified
        }
    }

    /// So many bytes are copied at most while programs that write wait.
    private static let copiedAtOnce: UInt64 = 4 << 20
    /// How often it is gone after what grows meanwhile.
    private static let rounds = 8

    /// - Returns: `nil` where there is no room for a copy.
    private func frozenCopy(of file: Descriptor, _ place: ContentPlace) throws(DocFSError)
        -> (Descriptor, Moment)?
    {
        do throws(DocFSError) {
            let copy = try contents.files.makeNameless(ino, place)
            if let moment = try clone(file, to: copy) { return (copy, moment) }
            // Half of the room is left to others.
            guard try Posix.space(of: copy.number).free / 2 > size else { return nil }
            return (copy, try freeze(file, in: copy))
        } catch  where Posix.isFull(error) {
            return nil
        }
    }

    /// - Returns: `nil` where the filesystem cannot share extents.
    private func clone(_ file: Descriptor, to copy: Descriptor) throws(DocFSError) -> Moment? {
        try withoutWrites { (row) throws(DocFSError) in
            do throws(DocFSError) {
                try Posix.clone(from: file.number, to: copy.number)
            } catch {
                // Whatever keeps it from sharing extents, copying shows.
                return nil
            }
            let isSynced = state.withLock(\.isSynced)
            // What was written past us since counts as written later.
            try takeOverWhileChanging()
            let size = try Posix.status(of: copy.number).size
            return Moment(row, size: size, isSynced: isSynced)
        }
    }

    private func freeze(_ file: Descriptor, in copy: Descriptor) throws(DocFSError) -> Moment {
        var done: UInt64 = 0
        for _ in 0..<Self.rounds {
            let size = try Posix.status(of: file.number).size
            guard size > done, size - done > Self.copiedAtOnce else { break }
            done += try Posix.copy(
                from: file.number, to: copy.number, at: done, length: size - done)
        }
        let early = done
        return try withoutWrites { (first) throws(DocFSError) in
            var (row, done) = (first, early)
            for _ in 0..<Self.rounds {
                if row.size > done {
                    guard row.size - early <= Self.copiedAtOnce else { break }
                    done += try Posix.copy(
                        from: file.number, to: copy.number, at: done, length: row.size - done)
                }
                if try Posix.status(of: file.number).size == row.size {
                    try Posix.truncate(copy.number, to: row.size)
                    let (isUnseen, isSynced) = state.withLock { ($0.unseen != nil, $0.isSynced) }
                    return Moment(
                        row, size: row.size, isSynced: isSynced,
                        doubtful: isUnseen ? row.size : min(early, row.size))
                }
                // It has grown past us.
                try takeOverWhileChanging()
                row = try contents.row(ino)
            }
            throw .bodyChanged
        }
    }

    /// Runs `body` with the row while nothing is written through the mount: who wants to waits.
    private func withoutWrites<Value>(
        _ body: (LocalItem) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        try changes.withLock { (_) throws(DocFSError) in
            try takeOverWhileChanging()
            try record(try awaitWrites())
            return try body(try contents.row(ino))
        }
    }

    /// How long it is waited for writes that are under way, in nanoseconds.
    private static let patience: UInt64 = 100_000_000

    /// Waits until no write is under way; from then on each tells the row first, and so waits for
    /// who holds ``changes``.
    ///
    /// - Returns: what the row does not have yet.
    private func awaitWrites() throws(DocFSError) -> State.Unrecorded? {
        let wasNoted = state.withLock { (state) in
            defer { state.isNoted = false }
            return state.isNoted
        }
        let end = { @Sendable (state: inout State) in
            // Somebody may have found out on what else the next write is based.
            state.isNoted = wasNoted && state.base == nil
        }
        let taken = state.wait(nanoseconds: Self.patience) { (state) -> State.Unrecorded?? in
            guard state.writesUnderWay == 0 else { return nil }
            end(&state)
            return .some(state.takeUnrecorded())
        }
        guard let taken else {
            state.withLock(end)
            throw .bodyChanged
        }
        return taken
    }
}

extension OpenContent.State {
    /// Nothing is being written, and whoever begins to will tell the row first.
    fileprivate var isQuiet: Bool { writesUnderWay == 0 && !isNoted }
}
