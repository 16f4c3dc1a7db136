/// Bringing the missing bytes (S5, S6, S10).
///
/// Ranges that somebody waits for go first, each at once; where the whole is wanted the rest
/// follows in order, four pieces at a time. Bytes count as here when their fetch has ended well.
extension OpenContent {
    /// Fetches that run ahead of what somebody waits for.
    private static let parallelism = 4

    /// Starts the download, unless all is here.
    ///
    /// It goes on until all is, or until it fails.
    package func hydrate() {
        state.withLock { state in
            state.isHydrating = true
            state.wantsAll = true
        }
        goOn()
    }

    /// Starts to bring what somebody waits for.
    func bring() {
        state.withLock { $0.isHydrating = true }
        goOn()
    }

    /// Lets the download go on, if it is wanted.
    func goOn() {
        guard state.withLock({ $0.isHydrating }) else { return }
        guard let source = contents.source(of: self), source.offlineReason == nil else { return }
        let file: Descriptor
        do {
            file = try self.file()
        } catch {
            return failWaiters(error)
        }
        let isWhole = state.withLock { state in
            if state.lastProgress == 0 || state.fetches.isEmpty {
                state.lastProgress = contents.clock.now()
            }
            return schedule(&state, file, source)
        }
        if isWhole { verify() }
    }

    /// Starts what is to be fetched next; `true` when nothing is missing, and the phase has moved
    /// to verifying.
    private func schedule(
        _ state: inout State, _ file: Descriptor, _ source: any ContentSource
    ) -> Bool {
        guard state.phase == .incomplete, state.descriptor === file else { return false }
        if state.missing.isEmpty, state.reserved == nil {
            state.move(to: .verifying)
            state.jobs += 1
            return true
        }
        guard let body = state.source else { return false }
        while let range = state.nextRange(parallelism: Self.parallelism) {
            start(range, of: body, &state, file, source)
        }
        return false
    }

    private func start(
        _ range: Range<UInt64>, of body: BodySource, _ state: inout State, _ file: Descriptor,
        _ source: any ContentSource
    ) {
        let id = state.ticket()
        let sink = HydrationSink(
            self, file: file, range: range, epoch: state.epoch, fetch: id, scope: body.scope)
        let task = Task.detached(executorPreference: contents.fetching) { [self] in
            let result: Result<Void, DocFSError>
            do throws(DocFSError) {
                try await source.fetch(
                    body.item, revision: body.revision, range: range, into: sink)
                result =
                    sink.isWhole
                    ? .success(()) : .failure(.corrupt("the store sent fewer bytes"))
            } catch {
                result = .failure(error)
            }
            fetchEnded(id, result)
        }
        state.fetches[id] = Fetch(range: range, task: task, sink: sink)
    }

    private func fetchEnded(_ id: UInt64, _ result: Result<Void, DocFSError>) {
        let isVoid = state.withLock { state in
            // Who reads the last byte may close at once: the file stays until it is decided what
            // becomes of it.
            state.jobs += 1
            guard let fetch = state.fetches.removeValue(forKey: id) else { return true }
            if case .success = result, !fetch.isVoid { state.arrived(fetch.range) }
            return fetch.isVoid
        }
        if case .failure(let error) = result, !isVoid {
            contents.workers.submit { [self] in fetchFailed(error) }
            return
        }
        answerWaiters()
        goOn()
        state.withLock { $0.jobs -= 1 }
        contents.releaseIfIdle(self)
    }

    /// Ends what waits for bytes that cannot be had.
    ///
    /// The next read tries again.
    private func fetchFailed(_ error: DocFSError) {
        defer {
            state.withLock { $0.jobs -= 1 }
            contents.releaseIfIdle(self)
        }
        if error == .revisionGone, followSource() {
            return bring()
        }
        stopHydrating()
        failWaiters(error)
        if error != .interrupted { contents.record(error: error, of: ino) }
    }

    /// Looks whether the same bytes are kept under another revision by now.
    private func followSource() -> Bool {
        guard let row = try? contents.row(ino), let source = BodySource(row) else { return false }
        return state.withLock { state in
            // Pieces of two bodies never go together.
            let isSame = source.digest != nil && source.digest == state.source?.digest
            guard isSame, source != state.source else { return false }
            state.source = source
            return true
        }
    }

    /// Ends the download until somebody asks for it again.
    func stopHydrating() {
        state.withLock { state in
            state.isHydrating = false
            state.wantsAll = false
        }
        cancelFetches { _ in true }
    }

    /// Lets go of fetches; their ranges may be fetched anew at once.
    func cancelFetches(_ selects: (Fetch) -> Bool) {
        let tasks = state.withLock { state in
            var tasks: [Task<Void, Never>] = []
            for (id, fetch) in state.fetches where selects(fetch) {
                state.fetches[id]?.isVoid = true
                tasks.append(fetch.task)
            }
            return tasks
        }
        for task in tasks { task.cancel() }
    }

    // MARK: What the sink asks

    /// The parts of `range` that fetched bytes may go to.
    ///
    /// For who holds ``pouring``.
    func open(_ range: Range<UInt64>, epoch: Int, fetch: UInt64) throws(DocFSError)
        -> [Range<UInt64>]
    {
        try state.withLock { (state) throws(DocFSError) in
            // Who is not waited for any more may be bringing another revision by now.
            guard state.epoch == epoch, state.fetches[fetch]?.isVoid == false else {
                throw .interrupted
            }
            let wanted = range.clamped(to: 0..<state.wanted)
            return state.written.gaps(in: wanted)
        }
    }

    /// Whether a fetch may write into the file by itself: nothing was written here that it could
    /// run over.
    func allowsDirectFetch(_ fetch: UInt64, epoch: Int) -> Bool {
        state.withLock { state in
            guard state.epoch == epoch, state.written.isEmpty, !state.isDiverged,
                state.fetches[fetch]?.isVoid == false
            else { return false }
            state.fetches[fetch]?.isDirect = true
            return true
        }
    }

    func noteProgress() {
        let now = contents.clock.now()
        state.withLock { $0.lastProgress = now }
    }

    // MARK: Verification

    /// Checks what has arrived, on a thread that may be busy with it, and lets it count.
    func verify() {
        contents.workers.submit { [self] in
            CrashPoint.reached(.hydrationFetched)
            let failure = checkDigest()
            if let failure { dropBytes(failure) } else { accept() }
            state.withLock { $0.jobs -= 1 }
            contents.releaseIfIdle(self)
        }
    }

    private func checkDigest() -> DocFSError? {
        let (file, length, expected) = state.withLock { state in
            (state.descriptor, state.wanted, state.isDiverged ? nil : state.source?.digest)
        }
        guard let file else { return .corrupt("the content file is gone") }
        guard let expected else { return nil }
        do {
            let found = try FileDigest.compute(file.number, length: length)
            let isDiverged = state.withLock { $0.isDiverged || $0.wanted != length }
            // Written meanwhile: the digest says nothing any more.
            if isDiverged || found == expected { return nil }
            return .corrupt("the bytes that arrived are not those that were announced")
        } catch {
            return error
        }
    }

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
        changes.withLock { _ in
            let (file, source) = state.withLock { ($0.descriptor, $0.source) }
            guard let file else { return }
            // Without this, a power failure could leave zeros under a row that says `current`.
            try? Posix.syncData(file.number)
            if !state.withLock(\.isDiverged) { contents.seal(file) }
            CrashPoint.reached(.hydrationVerified)
            contents.recordCurrent(ino, from: source)
            CrashPoint.reached(.hydrationRecorded)
        }
    }

    /// Nothing that arrived can be trusted: it is fetched anew when somebody asks.
    private func dropBytes(_ error: DocFSError) {
        changes.withLock { _ in
            let isMine = state.withLock { state in
                guard state.phase == .verifying else { return false }
                state.here = state.written
                state.isHydrating = false
                state.wantsAll = false
                state.move(to: .incomplete)
                return true
            }
            guard isMine else { return }
            if state.withLock({ $0.written.isEmpty }) { try? replaceFile() }
            contents.record(error: error, of: ino)
        }
        failWaiters(error)
    }
}

extension OpenContent.State {
    /// The bytes of a fetch are in the file, but for those that are just being written.
    fileprivate mutating func arrived(_ range: Range<UInt64>) {
        var new = RangeSet([range.clamped(to: 0..<wanted)])
        if let reserved { new.remove(reserved) }
        for part in new.ranges { here.insert(part) }
    }

    /// The range to be fetched next; `nil` when enough is under way.
    fileprivate func nextRange(parallelism: Int) -> Range<UInt64>? {
        var taken = here
        if let reserved { taken.insert(reserved) }
        var running = 0
        // One that may still be writing by itself keeps its range for itself.
        for fetch in fetches.values where !fetch.isVoid || fetch.isDirect {
            taken.insert(fetch.range)
            running += 1
        }
        let all = 0..<wanted
        for waiter in waiters.values {
            guard let gap = taken.gaps(in: waiter.range.clamped(to: all)).first else { continue }
            let wide = widened(gap).clamped(to: all)
            return taken.gaps(in: wide).first { $0.overlaps(gap) }
        }
        guard wantsAll, running < parallelism else { return nil }
        // Onwards from what was asked for last, then from the beginning.
        let next = fetches.values.map(\.range.upperBound).max() ?? here.ranges.last?.upperBound ?? 0
        let ahead = min(next, wanted)..<wanted
        guard let gap = taken.gaps(in: ahead).first ?? taken.gaps(in: all).first else {
            return nil
        }
        return gap.lowerBound..<min(gap.upperBound, gap.lowerBound + OpenContent.pieceSize)
    }
}
