internal import Logging

/// The change log is one chain: each record names the digest of the one before it.
///
/// A container that was put back to an earlier state, a log with a gap, and a log that two devices
/// have continued apart are noticed by that before anything is made of them: nothing is planned or
/// appended, and the scope is offline until somebody says what is to count (S23).
extension SyncEngine {
    // MARK: Reading

    /// The record behind the anchor; `nil` when the log ends there.
    ///
    /// - Throws: `.corrupt` when it is damaged, `.offline` when it follows another record than the
    ///   one that was read here.
    func nextRecord() async throws(DocFSError) -> LogRecord? {
        let record: LogRecord?
        do throws(DocFSError) {
            record = try await container.record(scope.anchor + 1)
        } catch .corrupt(let words) {
            throw trouble(.damaged, .corrupt(words))
        }
        if let record { try checkOrder(of: record) }
        return record
    }

    /// Makes sure that the next record follows the one at the anchor.
    func checkOrder(of record: LogRecord) throws(DocFSError) {
        guard record.previous == scope.digest else {
            throw wentBack("record \(scope.anchor + 1) of it follows another than was read here")
        }
    }

    // MARK: Before anything is planned or appended

    /// Makes sure that no other container lies in its place by now: it has a log of its own.
    ///
    /// Where that costs nothing it is done whenever the log is looked at, else when there is
    /// something to be read or appended.
    func checkMarker() async throws(DocFSError) {
        if let known = scope.container { try await container.check(known) }
    }

    /// Makes sure that the log still has the record at the anchor, as it was read.
    ///
    /// One request, where a snapshot does not stand for it. Throws `.corrupt` when it is damaged by
    /// now.
    func checkAnchor() async throws(DocFSError) {
        guard scope.anchor > 0 else { return }
        let found = try await container.digest(ofRecord: scope.anchor)
        if let found, found == scope.digest { return }
        if let floor = try await container.floor(), scope.anchor < floor.record {
            let snapshot = floor.snapshot
            if snapshot.record == scope.anchor, snapshot.digest == scope.digest { return }
            if snapshot.record > scope.anchor {
                // The first record that is kept names the one at the anchor.
                if scope.anchor + 1 == floor.record, try await nextRecord() != nil { return }
                throw .offline("the change log was shortened meanwhile")
            }
        }
        guard found != nil else {
            throw wentBack("it has no record \(scope.anchor), which was read here")
        }
        do throws(DocFSError) {
            _ = try await container.record(scope.anchor)
        } catch .corrupt(let words) {
            throw trouble(.damaged, .corrupt(words))
        }
        throw wentBack("its record \(scope.anchor) is another than was read here")
    }

    /// Makes sure that the log has all records between its floor and its end.
    func checkGaps() async throws(DocFSError) {
        if try await gap(from: max(1, knownFloor)) == nil { return }
        // Listed a second time before it counts: records come and go meanwhile.
        let first = try await container.floor()?.record ?? 1
        if let missing = try await gap(from: max(1, first)) {
            throw wentBack("it has no record \(missing)")
        }
    }

    /// A record that is missing between `first` and the end of the log.
    private func gap(from first: UInt64) async throws(DocFSError) -> UInt64? {
        let numbers = try await container.records().filter { $0 >= first }
        lastChainLook = clock.now()
        var expected = first
        for number in numbers {
            if number != expected { return expected }
            expected += 1
        }
        return nil
    }

    /// Before everything is listed, so that nothing of an earlier state is taken for an edit.
    func checkBeforeLook() async throws(DocFSError) {
        try await checkAnchor()
        // Whoever has just been attached has listed it.
        if clock.now() >= lastChainLook + settings.poll { try await checkGaps() }
    }

    /// Where listing costs nothing, the log is looked at whenever it is read to its end.
    func checkEnd() async throws(DocFSError) {
        guard container.capabilities.cheapListing else { return }
        try await checkAnchor()
        if clock.now() >= lastChainLook + max(settings.poll, Self.chainLook) {
            try await checkGaps()
        }
    }

    /// The least pause between two listings of the log, in nanoseconds.
    private static let chainLook: UInt64 = 5_000_000_000

    // MARK: Appending

    /// Appends the next record, if the log is the one that was read here.
    ///
    /// - Returns: `nil` when another device has appended one.
    func append(_ changes: [Change], collected: [ItemPath] = []) async throws(DocFSError)
        -> LogRecord?
    {
        if !container.capabilities.cheapListing { try await checkMarker() }
        try await checkAnchor()
        let record = try await container.append(
            changes, collected: collected, as: scope.anchor + 1, after: scope.digest,
            time: clock.wallTime().seconds)
        // It may have gone back between the two.
        if record != nil, container.capabilities.cheapListing { try await checkAnchor() }
        return record
    }

    // MARK: Telling

    /// - Parameter words: what is wrong with the log.
    private func wentBack(_ words: String) -> DocFSError {
        trouble(.wentBack, .offline("the container's change log went back or is torn: \(words)"))
    }

    /// Remembers what keeps the log from being read.
    func trouble(_ trouble: LogTrouble, _ error: DocFSError) -> DocFSError {
        if logTrouble != trouble { log.error("\(error.sentence)") }
        logTrouble = trouble
        return error
    }
}
