/// Small documents: they come in one piece into memory, and who waits for them is answered before
/// anything is written down.
///
/// Only where nothing was written here, and a digest tells whether the bytes are right. A write
/// that comes in between makes the file; then the bytes are fetched as those of larger documents.
extension OpenContent {
    /// Starts to fetch all of a small document, unless that is under way.
    ///
    /// - Returns: whether it comes like that.
    func fetchWhole(_ source: any ContentSource) -> Bool {
        var begun: (id: UInt64, body: BodySource, sink: HydrationSink)?
        let isSmall = state.withLock { state in
            guard let body = state.source, state.comesWhole else { return false }
            if state.fetches.values.allSatisfy(\.isVoid) {
                state.lastProgress = contents.clock.now()
                let sink = HydrationSink(self, holding: 0..<state.wanted, scope: body.scope)
                let id = state.ticket()
                state.fetches[id] = Fetch(range: 0..<state.wanted, sink: sink)
                begun = (id, body, sink)
            }
            return true
        }
        if let begun {
            fetch(
                begun.id, 0..<begun.sink.size, of: begun.body, source, begun.sink,
                contents.arriving)
        }
        return isSmall
    }

    /// All bytes of a small document have come: verifies them, and answers who waits.
    ///
    /// What may block is done by another thread: this may be the one that brings the bytes of all.
    /// For who has counted himself as one of ``State/jobs``.
    func arrived(_ bytes: [UInt8], of body: BodySource) {
        CrashPoint.reached(.hydrationFetched)
        let isRight = SHA256.digest(of: bytes) == body.digest
        let isWanted = state.withLock { state in
            guard state.comesWhole, state.wanted == bytes.count, state.source == body else {
                return false
            }
            state.move(to: .verifying)
            if isRight { state.memory = bytes }
            return true
        }
        guard isWanted else {
            return contents.arriving.leave { [self] in endJob { goOn() } }
        }
        guard isRight else {
            return contents.workers.submit { [self] in
                endJob {
                    dropBytes(.corrupt("the bytes that arrived are not those that were announced"))
                }
            }
        }
        answerWaiters()
        contents.arriving.leave { [self] in keep(bytes, of: body) }
    }

    /// Writes verified bytes into the content file, which is made now.
    private func keep(_ bytes: [UInt8], of body: BodySource) {
        let result: Result<Bool, DocFSError> = changes.withLock { _ in
            let (isFree, place) = state.withLock { state in
                (state.phase == .verifying && state.isUntouched, state.place)
            }
            guard isFree else { return .success(false) }
            do throws(DocFSError) {
                let file = try write(bytes, place)
                state.withLock { state in
                    state.descriptor = file
                    state.memory = nil
                    state.here.insert(0..<UInt64(bytes.count))
                    state.move(to: .complete)
                }
                return .success(true)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(true):
            answerWaiters()
            CrashPoint.reached(.hydrationVerified)
            contents.recordSoon(arrived: self, from: body)
        case .success(false):
            leaveVerifying()
            endJob { goOn() }
        case .failure(let error):
            leaveVerifying()
            stopHydrating()
            failWaiters(error)
            contents.record(error: error, of: ino)
            endJob {}
        }
    }

    private func write(_ bytes: [UInt8], _ place: ContentPlace) throws(DocFSError) -> Descriptor {
        let file = try contents.makeFile(ino, place)
        do throws(DocFSError) {
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(DocFSError) in try Posix.write(file.number, bytes, at: 0) }
            }
            try result.get()
        } catch {
            // One that stays makes way for the next, or is removed by the sweep.
            try? contents.files.remove(ino, place)
            throw error
        }
        contents.seal(file)
        return file
    }

    /// Ends one of ``State/jobs`` after `last`.
    func endJob(_ last: () -> Void) {
        last()
        state.withLock { $0.jobs -= 1 }
        contents.releaseIfIdle(self)
    }
}

extension OpenContent.State {
    /// Nothing was written here, and there is no file yet.
    var isUntouched: Bool {
        descriptor == nil && !isDiverged && written.isEmpty && reserved == nil && size == wanted
    }

    /// Whether the document is fetched into memory.
    fileprivate var comesWhole: Bool {
        phase == .incomplete && isUntouched && source?.digest != nil && wantsAll
            && (1...Self.smallSize).contains(wanted)
    }
}
