/// Reading, now or when the bytes are here.
extension OpenContent {
    /// Bytes of one fetch that runs ahead of what is read.
    static let pieceSize: UInt64 = 4 << 20

    /// What a read of a range would get at once.
    package enum Availability: Sendable {
        /// Up to this many bytes are in the descriptor, at the same offset; it lives as long as
        /// the content.
        case here(descriptor: Int32, length: Int)
        case atEnd
        case missing
    }

    /// The content file remembers when it was used last.
    func noteUse() {
        guard let file = state.withLock({ $0.descriptor }) else { return }
        try? Posix.setTimes(of: file.number, accessed: .now, modified: .keep)
    }

    /// Whether a range can be read now.
    package func availability(at offset: UInt64, length: Int) -> Availability {
        state.withLock { $0.availability(at: offset, length: length) }
    }

    /// Calls `ended` once the range is here, or cannot be had, on any thread, perhaps before this
    /// returns; starts the download.
    ///
    /// Returns a ticket for ``stopWaiting(_:)``.
    ///
    /// Errors: why the scope is offline, at once when it is known to be, `.deadline` when no byte
    /// arrived for that long, `.corrupt` when what arrived is not what was announced, and the
    /// store's.
    @discardableResult
    package func wait(at offset: UInt64, length: Int, _ ended: @escaping Ended) -> UInt64 {
        let reason = contents.offlineReason(for: self)
        let now = contents.clock.now()
        var answer: Result<(descriptor: Int32, length: Int), DocFSError>?
        let ticket: UInt64 = state.withLock { state in
            switch state.availability(at: offset, length: length) {
            case .here(let descriptor, let length): answer = .success((descriptor, length))
            case .atEnd: answer = .success((state.descriptor?.number ?? -1, 0))
            case .missing:
                if contents.isAsleep {
                    answer = .failure(.interrupted)
                    break
                }
                if let reason, state.phase != .verifying {
                    answer = .failure(reason)
                    break
                }
                if state.hasJustExpired(at: now, deadline: contents.deadline) {
                    answer = .failure(.deadline)
                    break
                }
                let ticket = state.ticket()
                let waiter = Waiter(offset: offset, length: length, since: now, ended: ended)
                state.waiters[ticket] = waiter
                if state.isMoreThanALook(waiter.range) { state.wantsAll = true }
                return ticket
            }
            return 0
        }
        if let answer {
            ended(answer)
        } else {
            bring()
            watch()
        }
        return ticket
    }

    /// Forgets a waiting read; its `ended` is not called any more.
    package func stopWaiting(_ ticket: UInt64) {
        _ = state.withLock { $0.waiters.removeValue(forKey: ticket) }
        contents.releaseIfIdle(self)
    }

    /// Ends the waiting reads whose bytes are here.
    func answerWaiters() {
        let answers: [(Ended, Int32, Int)] = state.withLock { state in
            var answers: [(Ended, Int32, Int)] = []
            for (ticket, waiter) in state.waiters {
                switch state.availability(at: waiter.offset, length: waiter.length) {
                case .here(let descriptor, let length):
                    answers.append((waiter.ended, descriptor, length))
                case .atEnd: answers.append((waiter.ended, state.descriptor?.number ?? -1, 0))
                case .missing: continue
                }
                state.waiters[ticket] = nil
            }
            return answers
        }
        for (ended, descriptor, length) in answers { ended(.success((descriptor, length))) }
    }

    /// Ends the waiting reads that `selects`, or all, with an error.
    func failWaiters(
        _ error: DocFSError, where selects: (Waiter, State) -> Bool = { _, _ in true }
    ) {
        let failed = state.withLock { state in
            let failed = state.waiters.filter { selects($0.value, state) }
            for ticket in failed.keys { state.waiters[ticket] = nil }
            return failed.values.map(\.ended)
        }
        for ended in failed { ended(.failure(error)) }
    }

    // MARK: The deadline

    /// Sees to it that reads do not wait for ever (S7).
    private func watch() {
        let starts = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard starts else { return }
        // Who sleeps here must not keep a content that nobody needs any more, nor its descriptor.
        Task.detached(executorPreference: contents.fetching) {
            [weak self, clock = contents.clock] in
            while let pause = self?.untilDeadline() {
                await clock.sleep(nanoseconds: max(pause, 1_000_000))
            }
        }
    }

    /// Ends the reads whose time has run out; returns how long the next one has, `nil` when
    /// nobody waits.
    private func untilDeadline() -> UInt64? {
        let now = contents.clock.now()
        let deadline = contents.deadline
        let hasExpired: @Sendable (Waiter, State) -> Bool = { waiter, state in
            now >= max(waiter.since, state.lastProgress) + deadline
        }
        state.withLock { state in
            if state.waiters.values.contains(where: { hasExpired($0, state) }) {
                state.lastExpiry = now
            }
        }
        failWaiters(.deadline, where: hasExpired)
        let (pause, isStuck): (UInt64?, Bool) = state.withLock { state in
            let next = state.waiters.values.map { max($0.since, state.lastProgress) + deadline }
                .min()
            if next == nil { state.isWatched = false }
            return (
                next.map { $0 > now ? $0 - now : 0 }, now >= state.lastProgress + deadline
            )
        }
        if pause == nil {
            // A request that does not answer is made anew by the next read.
            if isStuck { stopHydrating() }
            contents.releaseIfIdle(self)
        }
        return pause
    }
}

extension OpenContent.State {
    /// Whether fetched bytes may be read before all of them were verified.
    private var mayReadPieces: Bool {
        isDiverged || source?.digest == nil || wanted > Self.smallSize
    }

    func availability(at offset: UInt64, length: Int) -> OpenContent.Availability {
        if phase == .complete, let descriptor {
            return .here(descriptor: descriptor.number, length: length)
        }
        guard offset < size, length > 0 else { return .atEnd }
        let range = offset..<min(size, offset + UInt64(length))
        guard let descriptor, mayReadPieces,
            here.contains(range.clamped(to: 0..<wanted))
        else { return .missing }
        return .here(descriptor: descriptor.number, length: range.count)
    }
}
