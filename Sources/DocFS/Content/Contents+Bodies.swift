internal import Synchronization

/// Bodies that no name shows: the newer one of a document while it is on its way, the earlier one
/// that it took the place of (S9), and sole bodies.
extension Contents {
    /// At most so many begin before the keeper has looked.
    private static let newerAtOnce = 4

    /// Begins to bring the newer body of a document, unless many are on their way: those are for
    /// who keeps contents here.
    func bringNewer(_ ino: Int64) {
        let isFree = comingNewer.withLock { coming in
            coming.count < Self.newerAtOnce && coming.insert(ino).inserted
        }
        if isFree {
            workers.submit { [self] in
                // It is tried again where that fails.
                do { try hydrate(ino) } catch { noLongerComing(ino) }
            }
        }
        catalog.bulletin.tell()
    }

    /// A body without a name is not kept any longer: what is still coming of it does not come.
    func drop(_ ino: Int64) {
        noLongerComing(ino)
        unlinked(ino)
        guard let content = openContent(ino) else { return }
        content.stopHydrating()
        releaseIfIdle(content)
    }

    /// A newer body is shown, or does not come.
    func noLongerComing(_ ino: Int64) { comingNewer.withLock { _ = $0.remove(ino) } }

    /// A document goes on to be as long unused as it was, though its bytes have just come.
    func setLastUse(of ino: Int64, to moment: Timestamp) {
        noLongerComing(ino)
        guard moment != .zero else { return }
        do throws(DocFSError) {
            let row = try row(ino)
            let file = try files.open(ino, row.place)
            if let file {
                try Posix.setTimes(of: file.number, accessed: .set(moment), modified: .keep)
            }
        } catch {
            // What is dropped first goes by it, and nothing else.
        }
    }

    /// Hands `range` of an earlier version to `take` if its body is still here, whole.
    ///
    /// - Returns: whether it is.
    package func readEarlier(
        _ item: ItemID, _ revision: Revision, scope: Int64, range: Range<UInt64>,
        take: @escaping @Sendable (UnsafeRawBufferPointer, UInt64) -> Void
    ) async throws(DocFSError) -> Bool {
        try await workers.run { [self] () throws(DocFSError) in
            // Whatever is wrong with it: the container has it too.
            guard let bytes = try? earlierBytes(item, revision, scope, range) else { return false }
            bytes.withUnsafeBytes { take($0, range.lowerBound) }
            return true
        }
    }

    private func earlierBytes(
        _ item: ItemID, _ revision: Revision, _ scope: Int64, _ range: Range<UInt64>
    ) throws(DocFSError) -> [UInt8]? {
        let found = try catalog.read { (read) throws(DocFSError) -> LocalItem? in
            try read.namelessRow(.earlier, of: item, scope: scope)
        }
        guard let found, found.sourceRevision == revision else { return nil }
        let (content, row) = try open(found.ino, forWriting: false, evenNameless: true)
        defer { close(content, forWriting: false) }
        // Whoever had it open may have written into it.
        guard row.divergence == .none, row.size >= range.upperBound, let file = content.wholeFile
        else { return nil }
        return try file.bytes(in: range)
    }

    /// An earlier body makes room, or a sole body.
    ///
    /// - Throws: `.busy` while somebody reads it, and for the newer body of a document.
    func evict(_ body: NamelessBody) throws(DocFSError) {
        guard body.role != .newer, !isOpen(body.ino) else { throw .busy }
        try catalog.write { (write) throws(DocFSError) in try write.removeNamelessBody(body.ino) }
        unlinked(body.ino)
    }

    /// Whether a row that has no name is kept for its body.
    func isKept(_ row: LocalItem) throws(DocFSError) -> Bool {
        try catalog.read { (read) throws(DocFSError) in try read.namelessBody(at: row.ino) } != nil
    }
}
