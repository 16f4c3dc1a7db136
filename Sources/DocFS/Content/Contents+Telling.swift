internal import Logging
internal import Synchronization

/// The fate of downloads, for who watches (S29, S32).
extension Contents {
    /// Keeps an error in words, and tells it to who watches.
    ///
    /// Best effort: it is only shown.
    func record(error: DocFSError, of ino: Int64) {
        let sentence = error.sentence
        noLongerComing(ino)
        // The event says it at least.
        try? change(ino) { (row, _) throws(DocFSError) in row.error = sentence }
        tell(error, of: ino, isNews: refusals.withLock { $0.log(ino, error) })
        // Others than readers look when something has failed.
        if !catalog.bulletin.isWatched { catalog.bulletin.tell() }
    }

    /// - Parameter isNews: whether the log is to have it.
    private func tell(_ error: DocFSError, of ino: Int64, isNews: Bool) {
        guard isNews || catalog.bulletin.isWatched else { return }
        // One that cannot be looked up is logged by its number.
        let found = try? catalog.readConsistently { (read) throws(DocFSError) in
            try self.event(.downloadError, shownFor: ino, read, sentence: error.sentence)
        }
        let event = found ?? nil
        if isNews {
            var document = "document \(ino)"
            if let event, let path = event.path { document = "\(name(of: event.scope))/\(path)" }
            log.warning("\(ShownText.line("\(document): \(error.sentence)"))")
        }
        if let event, catalog.bulletin.isWatched { catalog.bulletin.post(event) }
    }

    private func name(of scope: Int64) -> String {
        // For the log only.
        let record = try? catalog.read { (read) throws(DocFSError) in try read.scope(scope) }
        return record?.name ?? "scope \(scope)"
    }

    // MARK: Refused reads

    /// A read cannot have its bytes, since the container is out of reach (S12) or has not sent
    /// anything for too long (S7).
    ///
    /// The row does not learn of it: once that is over, nothing is wrong with the document.
    ///
    /// - Returns: whether that is news, to be told by ``tellRefusal(of:_:)`` once the reader has
    ///   its answer.
    func addRefusal(of content: OpenContent, _ reason: DocFSError) -> Bool {
        guard let scope = content.state.withLock({ $0.scope }) else { return false }
        return refusals.withLock { $0.add(content.ino, scope, reason) }
    }

    func tellRefusal(of ino: Int64, _ reason: DocFSError) { tell(reason, of: ino, isNews: true) }

    /// Why the last read of a document was refused; `nil` when none was, or that is over.
    package func refusal(of row: LocalItem) -> String? {
        if row.state == .current { return nil }
        let scope = row.sourceScope ?? row.scope
        return refusals.withLock { $0.reason(of: row.ino, scope: scope)?.sentence }
    }

    package func cameInReach(scope: Int64) { refusals.withLock { $0.end(scope: scope) } }

    /// Bytes of a document have come.
    func noteArrival(of ino: Int64, scope: Int64) {
        refusals.withLock { $0.end(ino, scope: scope) }
    }

    // MARK: Downloads

    /// So long a download takes before readers of events learn of it, in nanoseconds.
    private static let patience: UInt64 = 300_000_000

    /// The download of all of a content has begun: readers of events learn of one that takes its
    /// time.
    func tellOfDownload(_ content: OpenContent) {
        guard catalog.bulletin.isWatched,
            content.state.withLock({ $0.scope }) != LinkedFiles.scope
        else { return }
        Task.detached(executorPreference: fetching) { [clock, weak content] in
            await clock.sleep(nanoseconds: Self.patience)
            guard let content else { return }
            content.contents.tellThatItComes(content)
        }
    }

    private func tellThatItComes(_ content: OpenContent) {
        // Without its path it is not told.
        let event = try? catalog.readConsistently { (read) throws(DocFSError) in
            guard let row = try read.local(content.ino) else { return DocumentEvent?.none }
            return try self.event(.downloading, row, clock.wallTime(), read)
        }
        guard let event = event ?? nil, content.state.withLock({ $0.takeUntoldDownload() }) else {
            return
        }
        catalog.bulletin.post(event)
    }

    // MARK: Events

    func event(
        _ kind: DocumentEvent.Kind, _ row: LocalItem, _ now: Timestamp, _ read: CatalogReader,
        detail: DocumentEvent.Detail? = nil, sentence: String? = nil
    ) throws(DocFSError) -> DocumentEvent? {
        // A body without a name is nothing that anybody sees; nor is one on its way to `Local/`,
        // unless it does not come.
        guard row.parent != nil || row.isDeparting && kind == .downloadError,
            let scope = try read.scope(row.scope)
        else { return nil }
        return DocumentEvent(
            kind: kind, scope: row.scope, item: row.item,
            path: try read.path(of: row.ino, root: scope.root), time: now, detail: detail,
            sentence: sentence)
    }

    /// Tells of it, if anybody reads.
    func post(
        _ kind: DocumentEvent.Kind, of ino: Int64, detail: DocumentEvent.Detail? = nil
    ) {
        guard catalog.bulletin.isWatched else { return }
        // Without its path it is not told.
        let event = try? catalog.readConsistently { (read) throws(DocFSError) in
            try self.event(kind, shownFor: ino, read, detail: detail)
        }
        if let event = event ?? nil { catalog.bulletin.post(event) }
    }

    /// The event of a row, or, of a newer body, of the document that it is to be shown as.
    private func event(
        _ kind: DocumentEvent.Kind, shownFor ino: Int64, _ read: CatalogReader,
        detail: DocumentEvent.Detail? = nil, sentence: String? = nil
    ) throws(DocFSError) -> DocumentEvent? {
        guard var row = try read.local(ino) else { return nil }
        if try read.namelessBody(at: ino)?.role == .newer,
            let shown = try read.local(item: row.item, scope: row.scope)
        {
            row = shown
        }
        return try event(kind, row, clock.wallTime(), read, detail: detail, sentence: sentence)
    }
}
