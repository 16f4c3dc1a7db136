internal import Synchronization

/// Writing down what is known of contents anyhow: soon, and for many in one transaction.
///
/// Nothing is lost until then: before its first byte was written, a row was told to be read from
/// its file (S13).
extension Contents {
    /// What the recorder is to look at.
    struct Lagging {
        /// Contents whose rows do not have size and time of what was written.
        var contents: [Int64: OpenContent] = [:]
        /// Rows whose files do not say yet which documents they belong to.
        var labels: Set<Int64> = []
        /// Contents whose rows do not say that all bytes are here, and where these came from; each
        /// counts as one of its jobs.
        var arrived: [(content: OpenContent, source: BodySource?)] = []
        var isScheduled = false
        /// The catalog could not be written to the last time.
        var hasFailed = false

        var isEmpty: Bool { contents.isEmpty && labels.isEmpty && arrived.isEmpty }
    }

    /// How long changes are gathered, in microseconds, and how long documents that have come: who
    /// reads many has them recorded together.
    private static let gathering: UInt32 = 5_000
    private static let gatheringArrived: UInt32 = 20_000
    /// How long it is waited after a failure, in microseconds.
    private static let patience: UInt32 = 1_000_000
    /// The most contents that are recorded in one transaction: requests wait for it.
    static let batchLimit = 64

    /// Has the row take over what was written, within milliseconds.
    package func recordSoon(_ content: OpenContent) {
        guard content.state.withLock(\.isLagging) else { return }
        remember { $0.contents[content.ino] = content }
    }

    /// Has the row of a content say that all bytes are here, within milliseconds; then ends one
    /// of its jobs.
    func recordSoon(arrived content: OpenContent, from source: BodySource?) {
        remember { $0.arrived.append((content, source)) }
    }

    /// As ``Contents/label(_:)-(Int64)``, within milliseconds.
    func labelSoon(_ ino: Int64) { remember { $0.labels.insert(ino) } }

    /// As ``labelSoon(_:)`` for many, after a failure.
    func labelAgain(_ inos: Set<Int64>) {
        remember { lagging in
            lagging.labels.formUnion(inos)
            lagging.hasFailed = true
        }
    }

    private func remember(_ change: (inout Lagging) -> Void) {
        let isFirst = lagging.withLock { lagging in
            change(&lagging)
            defer { lagging.isScheduled = true }
            return !lagging.isScheduled
        }
        if isFirst { recordLater() }
    }

    private func recordLater() {
        let pause = lagging.withLock { lagging in
            defer { lagging.hasFailed = false }
            if lagging.hasFailed { return Self.patience }
            let isWritten = !lagging.contents.isEmpty || !lagging.labels.isEmpty
            return isWritten ? Self.gathering : Self.gatheringArrived
        }
        recorder.submit(after: pause) { [self] in
            recordEverything()
            let isMore = lagging.withLock { lagging in
                lagging.isScheduled = !lagging.isEmpty
                return lagging.isScheduled
            }
            if isMore { recordLater() }
        }
    }

    /// Records all that lags behind at this moment, but for what is just being changed.
    package func recordEverything() {
        recording.withLock { _ in recordAlone() }
    }

    private func recordAlone() {
        var (contents, labels, arrived) = lagging.withLock { lagging in
            defer { (lagging.contents, lagging.labels, lagging.arrived) = ([:], [], []) }
            let contents = lagging.contents.sorted { $0.key < $1.key }.map(\.value)
            return (contents[...], lagging.labels, lagging.arrived[...])
        }
        while !arrived.isEmpty {
            let batch = arrived.prefix(Self.batchLimit)
            arrived = arrived.dropFirst(Self.batchLimit)
            do throws(DocFSError) {
                try recordCurrent(batch.map { ($0.content.ino, $0.source) })
            } catch {
                // Tried again: what was written into one of them is not sent before.
                lagging.withLock { $0.hasFailed = true }
                for (content, source) in batch { recordSoon(arrived: content, from: source) }
                continue
            }
            CrashPoint.reached(.hydrationRecorded)
            for (content, _) in batch { content.endJob {} }
        }
        while !contents.isEmpty {
            let batch = contents.prefix(Self.batchLimit)
            contents = contents.dropFirst(Self.batchLimit)
            var taken: [(content: OpenContent, written: OpenContent.State.Unrecorded)] = []
            record(batch, &taken)
            for content in batch { releaseIfIdle(content) }
        }
        var unlabelled = labels.sorted()[...]
        while !unlabelled.isEmpty {
            label(Set(unlabelled.prefix(Self.batchLimit)))
            unlabelled = unlabelled.dropFirst(Self.batchLimit)
        }
    }

    /// Takes over what was written to `rest` too, and records all of it while nothing else changes
    /// any of them.
    private func record(
        _ rest: ArraySlice<OpenContent>,
        _ taken: inout [(content: OpenContent, written: OpenContent.State.Unrecorded)]
    ) {
        guard let content = rest.first else { return record(taken) }
        let isFree = content.changes.withLockIfFree { _ in
            // What was written unseen and is not taken over now is by the next look.
            _ = try? content.takeOverWhileChanging()
            if let written = content.state.withLock({ $0.takeUnrecorded() }) {
                taken.append((content, written))
            }
            record(rest.dropFirst(), &taken)
        }
        if isFree { return }
        recordSoon(content)
        record(rest.dropFirst(), &taken)
    }

    private func record(
        _ taken: [(content: OpenContent, written: OpenContent.State.Unrecorded)]
    ) {
        if taken.isEmpty { return }
        var isRecorded = false
        defer {
            for (content, written) in taken {
                content.state.withLock { $0.end(written, isRecorded: isRecorded) }
            }
        }
        do throws(DocFSError) {
            try catalog.write { (transaction) throws(DocFSError) in
                for (content, written) in taken {
                    guard let old = try transaction.read.local(content.ino) else { continue }
                    var row = old
                    try record(written, in: &row, transaction)
                    try transaction.update(row, from: old)
                }
            }
            isRecorded = true
        } catch {
            // Tried again: the disk may have room. fsync(2) tries by itself, and tells why not.
            lagging.withLock { $0.hasFailed = true }
            for (content, _) in taken { recordSoon(content) }
        }
    }

    /// Takes over into a row what was written to its content.
    func record(
        _ written: OpenContent.State.Unrecorded, in row: inout LocalItem,
        _ transaction: CatalogWriter
    ) throws(DocFSError) {
        row.size = written.size
        if let modified = written.modified {
            row.modified = modified
            row.changed = max(row.changed, modified)
        }
        row.isUnflushed = written.isStillNoted || written.isWatched
        try transaction.markEdited(row)
    }
}
