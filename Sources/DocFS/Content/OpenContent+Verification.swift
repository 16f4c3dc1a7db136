/// Fetched bytes count once their digest is the one that the container announced (S6).
///
/// The digest covers the container's whole body. If a program wrote into the document before all of
/// it was here, verification fetches the overwritten and truncated parts again, into memory, unless
/// they are larger than the rest; then the rest is accepted unverified.
extension OpenContent {
    /// The result of one verification.
    private enum Verdict {
        case right
        /// - Parameter found: the digest of the bytes that arrived.
        case wrong(found: Digest)
        /// The content file cannot be read, or is too short.
        case unusable(DocFSError)
        /// A program wrote or truncated during verification, which has to be repeated.
        case outdated
        /// The overwritten parts could not be fetched, or what they belong to not be looked up.
        case failed(DocFSError)
    }

    /// A body of the container of which some parts are in the content file, and others were
    /// overwritten or truncated there.
    private struct Original {
        let body: BodySource
        let digest: Digest
        /// Bytes of the body.
        let size: UInt64
        let file: Descriptor
    }

    /// The most bytes that are hashed, or fetched for the digest, at once.
    fileprivate static let hashedAtOnce: UInt64 = 1 << 20

    /// Checks what has arrived, on a thread that may be busy with it, and lets it count.
    ///
    /// Ends the job that its caller has begun.
    func verify() {
        contents.workers.submit { [self] in
            CrashPoint.reached(.hydrationFetched)
            guard let original = original() else { return endJob { conclude(checkAll()) } }
            Task.detached(executorPreference: contents.fetching) { [self] in
                let verdict = await check(original)
                contents.workers.submit { [self] in endJob { conclude(verdict) } }
            }
        }
    }

    private func conclude(_ verdict: Verdict) {
        switch verdict {
        case .right: accept()
        case .wrong(let found):
            if state.withLock(\.isDiverged) { contents.noteDamage(of: ino, found) }
            dropBytes(.corrupt("the bytes that arrived are not those that were announced"))
        case .unusable(let error): dropBytes(error)
        case .outdated:
            leaveVerifying()
            goOn()
        case .failed(let error):
            leaveVerifying()
            giveUp(error)
        }
    }

    func leaveVerifying() {
        state.withLock { state in
            state.memory = nil
            if state.phase == .verifying { state.move(to: .incomplete) }
        }
    }

    // MARK: Documents that nobody wrote into

    private func checkAll() -> Verdict {
        let (file, length, expected) = state.withLock { state in
            (state.descriptor, state.wanted, state.isDiverged ? nil : state.source?.digest)
        }
        guard let file else { return .unusable(.corrupt("the content file is gone")) }
        guard let expected else { return .right }
        let result = Result { () throws(DocFSError) in
            try FileDigest.compute(file.number, length: length)
        }
        if state.withLock({ $0.isDiverged || $0.wanted != length }) { return .outdated }
        switch result {
        case .success(expected): return .right
        case .success(let found): return .wrong(found: found)
        case .failure(let error): return .unusable(error)
        }
    }

    // MARK: Documents that were written into

    /// `nil` if no fetched byte is left, there is no digest, or more would have to be fetched again
    /// than there is to verify.
    private func original() -> Original? {
        let (file, body, fetched) = state.withLock { state in
            (state.descriptor, state.isDiverged ? state.source : nil, state.fetched)
        }
        guard let file, let body, let digest = body.digest, !fetched.isEmpty,
            let size = body.size
        else { return nil }
        // Truncating a large document must not download all of it.
        let count = RangeSet(fetched.intersection(0..<size)).count
        guard count > 0, size - count <= count else { return nil }
        return Original(body: body, digest: digest, size: size, file: file)
    }

    /// Hashes the body piece by piece: fetched parts from the content file, and parts that a
    /// program has overwritten, perhaps a moment ago, from the store.
    private func check(_ original: Original) async -> Verdict {
        var hash = SHA256()
        var checked = RangeSet()
        var next: UInt64 = 0
        do throws(DocFSError) {
            while next < original.size {
                let (piece, isFetched) = state.withLock { $0.piece(at: next, of: original.size) }
                if isFetched, let bytes = try await read(piece, of: original.file) {
                    bytes.withUnsafeBytes { hash.update($0) }
                    checked.insert(piece)
                } else {
                    let bytes = try await fetch(piece, of: original.body)
                    bytes.withUnsafeBytes { hash.update($0) }
                }
                next = piece.upperBound
            }
        } catch .revisionGone {
            // The body is gone from the container: there is nothing left to verify against.
            return .right
        } catch .corrupt {
            return .wrong(found: hash.digest())
        } catch .bodyChanged {
            return .unusable(.bodyChanged)
        } catch {
            return .failed(error)
        }
        let found = hash.digest()
        guard found == original.digest else { return .wrong(found: found) }
        // A write that failed has left fetched bytes that were taken for overwritten.
        let isAll = state.withLock { state in state.fetched.ranges.allSatisfy(checked.contains) }
        return isAll ? .right : .outdated
    }

    /// A fetched piece of the content file; `nil` if a program has overwritten it meanwhile.
    private func read(_ piece: Range<UInt64>, of file: Descriptor) async throws(DocFSError)
        -> [UInt8]?
    {
        let result: Result<[UInt8], DocFSError>
        do throws(DocFSError) {
            let bytes = try await contents.hashers.run { () throws(DocFSError) in
                try file.bytes(in: piece)
            }
            result = .success(bytes)
        } catch {
            result = .failure(error)
        }
        if state.withLock({ $0.haveChanged(piece, file) }) { return nil }
        return try result.get()
    }

    private func fetch(_ piece: Range<UInt64>, of body: BodySource) async throws(DocFSError)
        -> [UInt8]
    {
        guard let source = contents.source(of: self) else { throw .revisionGone }
        let sink = HydrationSink(self, holding: piece, scope: body.scope)
        try await source.fetch(body.item, revision: body.revision, range: piece, into: sink)
        guard sink.isWhole, let bytes = sink.held else {
            throw .corrupt("the store sent fewer bytes")
        }
        return bytes
    }

    // MARK: The outcome

    /// All bytes are here: says so in the row, and lets reads go on.
    private func accept() {
        let isComplete = state.withLock { state in
            guard state.phase == .verifying else { return false }
            if state.missing.isEmpty {
                state.move(to: .complete)
            } else {
                state.move(to: .incomplete)
            }
            return state.phase == .complete
        }
        guard isComplete else { return goOn() }
        answerWaiters()
        writeDown(isAgain: false)
    }

    /// Has the disk and the row have what arrived: later, where they cannot now.
    private func writeDown(isAgain: Bool) {
        changes.withLock { _ in
            let (file, source, isDiverged, place) = state.withLock { state in
                (state.descriptor, state.source, state.isDiverged, state.place)
            }
            guard let file else { return }
            do throws(DocFSError) {
                // Zeros that a loss of power leaves are told by the digest, where there is one, and
                // fetched anew.
                if isDiverged || source?.digest == nil { try Posix.syncData(file.number) }
                if source?.scope == LinkedFiles.scope { try contents.files.syncEntry(ino, place) }
            } catch {
                // The row does not rely on what the disk may not have. Nor is the content let go:
                // no row tells which parts of it are written from now on.
                if !isAgain { contents.record(error: error, of: ino) }
                state.withLock { $0.jobs += 1 }
                return contents.tryAgain { [self] in endJob { writeDown(isAgain: true) } }
            }
            // Later on somebody may have written into it.
            if !isDiverged, !isAgain { contents.seal(file) }
            CrashPoint.reached(.hydrationVerified)
            record(from: source)
            CrashPoint.reached(.hydrationRecorded)
        }
    }

    /// Has the row say that all bytes are here: later, where it cannot now.
    private func record(from source: BodySource?) {
        do throws(DocFSError) {
            try contents.recordCurrent([(ino, source)])
        } catch {
            state.withLock { $0.jobs += 1 }
            contents.recordSoon(arrived: self, from: source)
        }
    }

    /// Nothing that arrived can be trusted: it is fetched anew when somebody asks.
    func dropBytes(_ error: DocFSError) {
        let ended: [Ended]? = changes.withLock { _ in
            let (isMine, isUseless) = state.withLock { state in
                (state.phase == .verifying, !state.isDiverged && state.descriptor != nil)
            }
            guard isMine else { return nil }
            var ended: [Ended] = []
            // Who asks from now on asks for other bytes, in the new file.
            func begin(_ state: inout State) {
                state.here = state.written
                state.wantNothing()
                state.move(to: .incomplete)
                ended = state.waiters.values.map(\.ended)
                state.waiters = [:]
            }
            // Without a new file the old one is filled anew.
            if !isUseless || (try? replaceFile(begin)) == nil { state.withLock { begin(&$0) } }
            contents.record(error: error, of: ino)
            return ended
        }
        guard let ended else { return failWaiters(error) }
        for each in ended { each(.failure(error)) }
    }
}

extension OpenContent.State {
    /// Parts of `0..<wanted` that no program has overwritten.
    fileprivate var fetched: RangeSet { RangeSet(written.gaps(in: 0..<wanted)) }

    /// The piece of a body of `size` bytes at `offset` that is hashed next, and whether the content
    /// file has it.
    fileprivate func piece(at offset: UInt64, of size: UInt64) -> (Range<UInt64>, Bool) {
        let whole = offset..<min(size, offset + OpenContent.hashedAtOnce)
        guard let first = written.gaps(in: whole.clamped(to: 0..<wanted)).first else {
            return (whole, false)
        }
        if first.lowerBound == offset { return (first, true) }
        return (offset..<first.lowerBound, false)
    }

    /// Whether `range` of the file may have other bytes than were fetched into it.
    fileprivate func haveChanged(_ range: Range<UInt64>, _ file: Descriptor) -> Bool {
        descriptor !== file || range.upperBound > wanted || written.overlaps(range)
    }
}

extension Descriptor {
    /// Throws `.bodyChanged` when the file ends before.
    func bytes(in range: Range<UInt64>) throws(DocFSError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        let result = bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(DocFSError) in
                try Posix.read(number, into: bytes, at: range.lowerBound)
            }
        }
        guard try result.get() == bytes.count else { throw .bodyChanged }
        return bytes
    }
}
