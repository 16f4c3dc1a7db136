/// Reading on where the body that the row tells of is nowhere any more: another program has
/// replaced it, or goes on writing it, and no record tells of that yet (S8).
///
/// Who reads then gets what is there, and nothing of two bodies: unless no byte was read yet, what
/// is here has to be in the new body as it is. The row is not told: it is the engine that finds out
/// what became of the document, and the file goes with the last close.
///
/// A document that was written into can go on in no other body: its own is looked for where no
/// record tells of it.
extension OpenContent {
    /// So often the body may change before a piece of it could be fetched.
    private static let patience = 1000
    /// The pause before it is looked at again, in nanoseconds.
    private static let pause: UInt64 = 2_000_000

    /// Finds out what is there instead.
    ///
    /// Ends the job that its caller has begun.
    func lookForSuccessor() {
        guard let source = contents.source(of: self), let body = state.withLock(\.source) else {
            return endJob { giveUp(.revisionGone) }
        }
        switch takeSearch(for: body) {
        // Who searches goes on, or gives up, for all who miss it.
        case .underWay: return endJob {}
        case .over: return lookForSuccessor(of: body, source, isCertain: true)
        case .none: break
        }
        Task.detached(executorPreference: contents.fetching) { [self] in
            do throws(DocFSError) {
                let isFound = try await source.find(body.item, at: body.revision, body.digest)
                state.withLock { $0.search = isFound == nil ? .none : .over(body) }
                contents.workers.submit { [self] in
                    if isFound != true {
                        return lookForSuccessor(of: body, source, isCertain: isFound == false)
                    }
                    contents.forgetLoss(of: ino)
                    endJob { bring() }
                }
            } catch {
                state.withLock { $0.search = .none }
                contents.workers.submit { [self] in endJob { giveUp(error) } }
            }
        }
    }

    /// - Parameter isCertain: the body itself is nowhere, or nothing was written that needs it.
    private func lookForSuccessor(
        of body: BodySource, _ source: any ContentSource, isCertain: Bool
    ) {
        Task.detached(executorPreference: contents.fetching) { [self] in
            var found = Successor.unknown
            var follows: Bool?
            for _ in 0..<Self.patience where follows == nil {
                found = await source.successor(of: body.item, at: body.revision)
                guard case .replaced(let next) = found else { break }
                follows = await mayGoOn(in: next, instead: body, source)
                if follows == nil { await contents.clock.sleep(nanoseconds: Self.pause) }
            }
            contents.workers.submit { [self, found, follows] in
                // It was written into meanwhile.
                if isCertain, isToSearch(for: body) { return lookForSuccessor() }
                endJob {
                    take(found, instead: body, follows: follows == true, isCertain: isCertain)
                }
            }
        }
    }

    /// Begins the search for the body behind what was written, unless it was begun already.
    ///
    /// - Returns: how far it was; ``SourceSearch/over(_:)`` also where nothing was written.
    private func takeSearch(for body: BodySource) -> SourceSearch {
        state.withLock { state in
            guard state.isDiverged, state.search != .over(body) else { return .over(body) }
            if state.search == .underWay(body) { return state.search }
            state.search = .underWay(body)
            return .none
        }
    }

    private func isToSearch(for body: BodySource) -> Bool {
        state.withLock { $0.isDiverged && $0.source == body && $0.search != .over(body) }
    }

    /// Whether all that was read so far is in another body too; `nil` when that has gone as well
    /// before it could be told.
    private func mayGoOn(in next: Body, instead body: BodySource, _ source: any ContentSource)
        async -> Bool?
    {
        let (file, isServed, here) = state.withLock { state in
            let isServed = !state.served.isEmpty
            return (state.descriptor, isServed, isServed ? state.here.ranges : [])
        }
        // What was read and is not here any more cannot be compared.
        guard let file, !isServed || !here.isEmpty else { return !isServed }
        do throws(DocFSError) {
            for range in here {
                guard range.upperBound <= next.size else { return false }
                try await source.fetch(
                    body.item, revision: next.revision, range: range,
                    into: ComparingSink(with: file))
            }
            return true
        } catch {
            return error == .revisionGone ? nil : false
        }
    }

    private func take(
        _ found: Successor, instead body: BodySource, follows: Bool, isCertain: Bool
    ) {
        let (isAnother, isDiverged, successions) = state.withLock { state in
            if state.source == body { state.successions += 1 }
            return (state.source != body, state.isDiverged, state.successions)
        }
        // Another piece was quicker.
        if isAnother { return bring() }
        if isDiverged {
            var isReplaced = false
            if case .replaced = found { isReplaced = true }
            contents.noteLostSource(of: ino, isCertain: isReplaced && isCertain)
        } else if case .replaced(let next) = found, follows, successions <= Self.patience {
            do throws(DocFSError) {
                if try goOn(in: next, instead: body) {
                    contents.noteReplacedSource(of: ino)
                    answerWaiters()
                    return bring()
                }
            } catch {
                return giveUp(error)
            }
        } else {
            contents.noteLostSource(of: ino, isCertain: false)
        }
        giveUp(.revisionGone)
    }

    /// - Returns: whether the content is that of the other body from now on.
    private func goOn(in next: Body, instead body: BodySource) throws(DocFSError) -> Bool {
        try changes.withLock { (_) throws(DocFSError) in
            let (mayChange, keepsBytes, file) = state.withLock { state in
                (
                    state.phase == .incomplete && state.source == body && !state.isDiverged
                        && !state.isNoted && state.writesUnderWay == 0,
                    !state.served.isEmpty, state.descriptor
                )
            }
            guard mayChange else { return false }
            let change: (inout State) -> Void = { state in
                state.source?.revision = next.revision
                state.source?.digest = next.digest
                state.source?.size = next.size
                (state.size, state.wanted) = (next.size, next.size)
                state.isAhead = true
            }
            if keepsBytes || file == nil {
                try pouring.withLock { (_) throws(DocFSError) in
                    state.withLock { state in
                        state.epoch += 1
                        for id in state.fetches.keys { state.fetches[id]?.isVoid = true }
                        change(&state)
                    }
                    if let file { try Posix.truncate(file.number, to: next.size) }
                }
                cancelFetches { _ in true }
            } else {
                try replaceFile { state in
                    state.here = RangeSet()
                    change(&state)
                }
            }
            return true
        }
    }
}
