internal import Logging
internal import Synchronization

/// What becomes of downloads, for who watches (S29, S32).
extension Contents {
    /// Keeps an error in words, and tells it to who watches.
    ///
    /// Best effort: it is only shown.
    func record(error: DocFSError, of ino: Int64) {
        let sentence = error.sentence
        noLongerComing(ino)
        // The event says it at least.
        try? change(ino) { (row, _) throws(DocFSError) in row.error = sentence }
        log(error, of: ino)
        post(.downloadError, of: ino, sentence: sentence)
    }

    private func log(_ error: DocFSError, of ino: Int64) {
        // One that cannot be looked up is logged by its number.
        let path = try? catalog.readConsistently { (read) throws(DocFSError) -> String? in
            guard let event = try shown(.downloadError, of: ino, read),
                let path = event.path, let scope = try read.scope(event.scope)
            else { return nil }
            return "\(scope.name)/\(path)"
        }
        let words = "\(path ?? "document \(ino)") is not downloaded: \(error.sentence)"
        log.warning("\(ShownText.line(words))")
    }

    // MARK: Refused reads

    /// A read of what is not here was refused, since the container is out of reach (S12) or has not
    /// sent anything for too long (S7).
    ///
    /// The row does not learn of it: once that is over, nothing is wrong with the document.
    func noteRefusal(of content: OpenContent, _ reason: DocFSError) {
        guard let scope = content.state.withLock({ $0.scope }), scope != LinkedFiles.scope,
            refusals.withLock({ $0.add(content.ino, scope, reason) })
        else { return }
        log(reason, of: content.ino)
        guard catalog.bulletin.isWatched else { return }
        post(.downloadError, of: content.ino, sentence: reason.sentence)
    }

    /// Why the last read of a document was refused; `nil` when none was, or that is over.
    package func refusal(of row: LocalItem) -> String? {
        if row.state == .current { return nil }
        return refusals.withLock { $0.reason(of: row.ino)?.sentence }
    }

    /// Bytes of a document have come.
    func noteArrival(of ino: Int64) { refusals.withLock { $0.end(ino) } }

    /// Some event has come: perhaps containers are in reach again.
    func forgetRefusals() {
        refusals.withLock { refusals in
            refusals.forget { scope in catalog.bulletin.health(of: scope).isOnline }
        }
    }

    // MARK: Downloads

    /// So long a download takes before it is told of, in nanoseconds.
    private static let patience: UInt64 = 300_000_000

    /// The download of all of a content has begun: if it takes its time, it is told of.
    func tellOfDownload(_ content: OpenContent) {
        guard catalog.bulletin.isWatched else { return }
        Task.detached(executorPreference: fetching) { [clock, weak content] in
            await clock.sleep(nanoseconds: Self.patience)
            guard let content, content.state.withLock({ $0.takeUntoldDownload() }) else { return }
            content.contents.post(.downloading, of: content.ino)
        }
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
        _ kind: DocumentEvent.Kind, of ino: Int64, detail: DocumentEvent.Detail? = nil,
        sentence: String? = nil
    ) {
        guard catalog.bulletin.isWatched else {
            // Others than readers look when something has failed.
            if kind == .downloadError { catalog.bulletin.tell() }
            return
        }
        // Without its path it is not told; the row has the sentence.
        let event = try? catalog.readConsistently { (read) throws(DocFSError) in
            try shown(kind, of: ino, read, detail: detail, sentence: sentence)
        }
        if let event { catalog.bulletin.post(event) }
    }

    /// The event of a row, or, of a newer body, of the document that it is to be shown as.
    private func shown(
        _ kind: DocumentEvent.Kind, of ino: Int64, _ read: CatalogReader,
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
