/// Reading, now or when the bytes are here.
extension OpenContent {
    /// Bytes of one fetch that runs ahead of what is read.
    static let pieceSize: UInt64 = 4 << 20

    /// What a read of a range would get at once.
    package enum Availability: Sendable {
        /// Up to this many bytes are in the descriptor, at the same offset; it lives as long as
        /// the content.
        case here(descriptor: Int32, length: Int)
        case bytes([UInt8])
        case atEnd
        case missing
    }

    /// The content file remembers when it was used last.
    func noteUse() {
        guard let file = state.withLock({ $0.descriptor }) else { return }
        // What is dropped first goes by it, and nothing else.
        try? Posix.setTimes(of: file.number, accessed: .now, modified: .keep)
    }

    /// Whether a range can be read now.
    package func availability(at offset: UInt64, length: Int) -> Availability {
        state.withLock { $0.serve(at: offset, length: length) }
    }

    /// Calls `ended` once the range is here, or cannot be had, on any thread, perhaps before this
    /// returns; starts the download.
    ///
    /// Returns a ticket for ``stopWaiting(_:)``.
    ///
    /// - Parameter isLook: whether nothing but the range is wanted, however much that is.
    ///
    /// Errors: why the scope is offline, at once when it is known to be, `.deadline` when no byte
    /// arrived for that long, `.corrupt` when what arrived is not what was announced, and the
    /// store's.
    @discardableResult
    package func wait(
        at offset: UInt64, length: Int, isLook: Bool = false, _ ended: @escaping Ended
    ) -> UInt64 {
        let reason = contents.offlineReason(for: self)
        let now = contents.clock.now()
        var answer: Result<Answer, DocFSError>?
        var (isRefused, isNews) = (false, false)
        let ticket: UInt64 = state.withLock { state in
            switch state.serve(at: offset, length: length) {
            case .here(let descriptor, let length):
                answer = .success(.range(descriptor: descriptor, length: length))
            case .bytes(let bytes): answer = .success(.bytes(bytes))
            case .atEnd: answer = .success(.bytes([]))
            case .missing:
                if contents.isAsleep {
                    answer = .failure(.interrupted)
                    break
                }
                if let reason, state.phase != .verifying {
                    answer = .failure(reason)
                    isRefused = true
                    break
                }
                if state.hasJustExpired(at: now, deadline: contents.deadline) {
                    answer = .failure(.deadline)
                    break
                }
                let ticket = state.ticket()
                let waiter = Waiter(offset: offset, length: length, since: now, ended: ended)
                state.waiters[ticket] = waiter
                if state.wantsAll(for: waiter.range, isLook: isLook) { isNews = state.wantAll() }
                return ticket
            }
            return 0
        }
        if let answer {
            // Who asks why, once he has the answer, is to find it.
            isNews = isRefused && addRefusal(reason)
            ended(answer)
            if isNews, let reason { contents.tellRefusal(of: ino, reason) }
        } else {
            if isNews { contents.tellOfDownload(self) }
            bring()
            watch()
        }
        return ticket
    }

    /// - Returns: whether that is news, and holds still.
    private func addRefusal(_ reason: DocFSError?) -> Bool {
        guard let reason, contents.addRefusal(of: self, reason) else { return false }
        if contents.offlineReason(for: self) != nil { return true }
        // The container has come in reach just now.
        if let scope = state.withLock({ $0.scope }) { contents.cameInReach(scope: scope) }
        return false
    }

    /// Forgets a waiting read; its `ended` is not called any more.
    package func stopWaiting(_ ticket: UInt64) {
        _ = state.withLock { $0.waiters.removeValue(forKey: ticket) }
        contents.releaseIfIdle(self)
    }

    /// Ends the waiting reads whose bytes are here.
    func answerWaiters() {
        let answers: [(Ended, Answer)] = state.withLock { state in
            var answers: [(Ended, Answer)] = []
            for (ticket, waiter) in state.waiters {
                switch state.serve(at: waiter.offset, length: waiter.length) {
                case .here(let descriptor, let length):
                    answers.append((waiter.ended, .range(descriptor: descriptor, length: length)))
                case .bytes(let bytes): answers.append((waiter.ended, .bytes(bytes)))
                case .atEnd: answers.append((waiter.ended, .bytes([])))
                case .missing: continue
                }
                state.waiters[ticket] = nil
            }
            return answers
        }
        for (ended, answer) in answers { ended(.success(answer)) }
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
        if starts { contents.deadlines.add(self) }
    }

    /// Ends the reads whose time has run out; returns how long the next one has, `nil` when
    /// nobody waits.
    func untilDeadline() -> UInt64? {
        let now = contents.clock.now()
        let deadline = contents.deadline
        let hasExpired: @Sendable (Waiter, State) -> Bool = { waiter, state in
            now >= max(waiter.since, state.lastProgress) + deadline
        }
        let isRefused = state.withLock { state in
            let isRefused = state.waiters.values.contains { hasExpired($0, state) }
            if isRefused { state.lastExpiry = now }
            return isRefused
        }
        let isNews = isRefused && contents.addRefusal(of: self, .deadline)
        failWaiters(.deadline, where: hasExpired)
        if isNews {
            contents.workers.submit { [self] in contents.tellRefusal(of: ino, .deadline) }
        }
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
            // A file may go with it, and others wait for their deadlines.
            contents.workers.submit { [self] in contents.releaseIfIdle(self) }
        }
        return pause
    }
}

extension OpenContent.State {
    /// Whether fetched bytes may be read before all of them were verified.
    private var mayReadPieces: Bool { source?.digest == nil || wanted > Self.smallSize }

    /// What a read gets; if it gets bytes, they are those of one body with all that follow.
    fileprivate mutating func serve(at offset: UInt64, length: Int) -> OpenContent.Availability {
        let availability = availability(at: offset, length: length)
        switch availability {
        case .here, .bytes:
            let part = min(offset, size)..<min(size, offset + UInt64(length))
            if !part.isEmpty, phase != .complete || isAhead { served.insert(part) }
        case .atEnd, .missing: break
        }
        return availability
    }

    private func availability(at offset: UInt64, length: Int) -> OpenContent.Availability {
        if phase == .complete, let descriptor {
            return .here(descriptor: descriptor.number, length: length)
        }
        guard offset < size, length > 0 else { return .atEnd }
        let range = offset..<min(size, offset + UInt64(length))
        if let memory, phase == .verifying, isUntouched {
            let isWhole = range.count == memory.count
            return .bytes(
                isWhole ? memory : Array(memory[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
        let part = range.clamped(to: 0..<wanted)
        guard let descriptor, here.contains(part), mayReadPieces || written.contains(part) else {
            return .missing
        }
        return .here(descriptor: descriptor.number, length: range.count)
    }
}
