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
        let isNews = state.withLock { state in
            state.isHydrating = true
            return state.wantAll()
        }
        if isNews { contents.tellOfDownload(self) }
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
        if fetchWhole(source) { return }
        // What is being checked has its file made by who checks it.
        guard state.withLock({ $0.phase == .incomplete }) else { return }
        let file: Descriptor
        do {
            file = try self.file()
        } catch {
            return failWaiters(error)
        }
        let (isWhole, begun): (Bool, [Begun]) = state.withLock { state in
            if state.lastProgress == 0 || state.fetches.isEmpty {
                state.lastProgress = contents.clock.now()
            }
            return schedule(&state, file)
        }
        for each in begun {
            fetch(each.id, each.range, of: each.body, source, each.sink, contents.fetching)
        }
        if isWhole { verify() }
    }

    /// A fetch that the state has, and nobody has started.
    private typealias Begun = (
        id: UInt64, range: Range<UInt64>, body: BodySource, sink: HydrationSink
    )

    /// What is to be fetched next; `true` when nothing is missing, and the phase has moved to
    /// verifying.
    private func schedule(_ state: inout State, _ file: Descriptor) -> (Bool, [Begun]) {
        guard state.phase == .incomplete, state.descriptor === file else { return (false, []) }
        if state.missing.isEmpty, state.reserved == nil {
            state.move(to: .verifying)
            state.jobs += 1
            return (true, [])
        }
        guard let body = state.source else { return (false, []) }
        var begun: [Begun] = []
        while let range = state.nextRange(parallelism: Self.parallelism) {
            let id = state.ticket()
            let sink = HydrationSink(
                self, file: file, range: range, epoch: state.epoch, fetch: id, scope: body.scope)
            state.fetches[id] = Fetch(range: range, sink: sink)
            begun.append((id, range, body, sink))
        }
        return (false, begun)
    }

    /// Starts a fetch that the state has, on this thread up to where it has to wait.
    func fetch(
        _ id: UInt64, _ range: Range<UInt64>, of body: BodySource, _ source: any ContentSource,
        _ sink: HydrationSink, _ executor: FetchExecutor
    ) {
        let work: @Sendable () async -> Void = { [self] in
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
            fetchEnded(id, of: body, result)
        }
        // A file of this computer is copied without ever waiting: not on the thread of who asks.
        let task =
            body.scope == LinkedFiles.scope
            ? Task.detached(executorPreference: contents.fetching, operation: work)
            : Task.immediateDetached(executorPreference: executor, operation: work)
        let isVoid = state.withLock { state in
            state.fetches[id]?.task = task
            return state.fetches[id]?.isVoid ?? false
        }
        if isVoid { task.cancel() }
    }

    private func fetchEnded(_ id: UInt64, of body: BodySource, _ result: Result<Void, DocFSError>) {
        let (isVoid, held): (Bool, [UInt8]?) = state.withLock { state in
            // Who reads the last byte may close at once: the file stays until it is decided what
            // becomes of it.
            state.jobs += 1
            guard let fetch = state.fetches.removeValue(forKey: id), !fetch.isVoid else {
                return (true, nil)
            }
            let held = fetch.sink.held
            if case .success = result {
                if held == nil { state.arrived(fetch.range) }
                state.successions = 0
            }
            return (false, held)
        }
        if case .success = result { contents.noteArrival(of: ino, scope: body.scope) }
        if case .failure(let error) = result, !isVoid {
            contents.workers.submit { [self] in fetchFailed(error) }
        } else if let held {
            arrived(held, of: body)
        } else if isVoid {
            // The thread that brings the bytes may be here.
            contents.arriving.leave { [self] in
                answerWaiters()
                endJob { goOn() }
            }
        } else {
            answerWaiters()
            endJob { goOn() }
        }
    }

    /// Ends what waits for bytes that cannot be had.
    ///
    /// The next read tries again.
    private func fetchFailed(_ error: DocFSError) {
        guard error == .revisionGone else { return endJob { giveUp(error) } }
        do throws(DocFSError) {
            guard try followSource() else { return lookForSuccessor() }
        } catch {
            // That it is gone everywhere is more than anybody knows.
            return endJob { giveUp(error) }
        }
        endJob { bring() }
    }

    func giveUp(_ error: DocFSError) {
        stopHydrating()
        switch error {
        case .interrupted: failWaiters(error)
        case .offline, .deadline, .credentialsRefused:
            // No fault of the document's: it is over once the container answers.
            let isNews = contents.addRefusal(of: self, error)
            failWaiters(error)
            contents.noLongerComing(ino)
            if isNews { contents.tellRefusal(of: ino, error) }
            if !contents.catalog.bulletin.isWatched { contents.catalog.bulletin.tell() }
        default:
            failWaiters(error)
            contents.record(error: error, of: ino)
        }
    }

    /// Looks whether the same bytes are kept under another revision by now.
    private func followSource() throws(DocFSError) -> Bool {
        let row = try contents.catalog.read { (read) throws(DocFSError) in try read.local(ino) }
        guard let row, let source = BodySource(row) else { return false }
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
        state.withLock { $0.wantNothing() }
        cancelFetches { _ in true }
    }

    /// Lets go of fetches; their ranges may be fetched anew at once.
    func cancelFetches(_ selects: (Fetch) -> Bool) {
        let tasks = state.withLock { state in
            var tasks: [Task<Void, Never>] = []
            for (id, fetch) in state.fetches where selects(fetch) {
                state.fetches[id]?.isVoid = true
                if let task = fetch.task { tasks.append(task) }
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
