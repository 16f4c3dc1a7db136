internal import Synchronization

/// Documents that were written into while not all of their bytes were here, and whose other bytes
/// are nowhere any more (S8).
extension Contents {
    /// So often the bytes are looked for in vain until they count as gone, since a document that
    /// moves is not found for a moment; and so often the same wrong digest comes again until the
    /// container's copy counts as damaged, and not the transfer.
    private static let patience = 3

    /// The bytes that were to be fetched into what was written were not found.
    ///
    /// - Parameter isCertain: another program has put something else in their place.
    func noteLostSource(of ino: Int64, isCertain: Bool) {
        // Where that cannot be read nothing is concluded yet, and the next miss has it read again.
        let told = try? catalog.read { (read) throws(DocFSError) in
            guard let row = try read.local(ino), row.divergence != .none else {
                return (Revision?.none, Set<ItemPath>())
            }
            return (try recorded(row, in: read), try read.places(ofSourceOf: row))
        }
        let (named, places) = told ?? (nil, [])
        note(of: ino) { lost in
            if lost.places != places { (lost.places, lost.misses) = (places, 0) }
            let isOver = isCertain && places.isEmpty
            lost.misses = isOver ? max(lost.misses, Self.patience) : lost.misses + 1
            lost.recorded = named
        }
    }

    /// A reader goes on in the body that another program has put in the place of the one that was
    /// to be fetched: a row that was to become a copy of that never will.
    func noteReplacedSource(of ino: Int64) {
        // Where that cannot be read now, whoever reads next finds out.
        guard let row = try? row(ino), row.divergence == .stored else { return }
        noteLostSource(of: ino, isCertain: true)
    }

    /// The body behind a document that was written into has the wrong digest `found`.
    func noteDamage(of ino: Int64, _ found: Digest) {
        note(of: ino) { lost in
            lost.repeats = lost.damage == found ? lost.repeats + 1 : 0
            lost.damage = found
        }
    }

    /// Notes what is known of a body by now; the engine is told where that changes what it counts
    /// as.
    private func note(of ino: Int64, _ change: (inout LostSource) -> Void) {
        let isNews = lostSources.withLock { all in
            let former = all[ino]
            var lost = former ?? LostSource()
            change(&lost)
            all[ino] = lost
            return former.flatMap(Self.loss) != Self.loss(lost)
                || former?.recorded != lost.recorded
        }
        // Else the engine finds out when it tries again to send the document.
        if isNews, let row = try? row(ino) { catalog.announce(row.item, scope: row.scope) }
    }

    private static func loss(_ lost: LostSource) -> SourceLoss? {
        if lost.repeats >= patience { return .damaged }
        return lost.misses >= patience ? .gone : nil
    }

    func sourceLoss(of row: LocalItem) -> SourceLoss? {
        guard row.state == .partial else { return nil }
        return lostSources.withLock { $0[row.ino] }.flatMap(Self.loss)
    }

    package func lacksSource(_ row: LocalItem, in read: CatalogReader) throws(DocFSError) -> Bool {
        guard row.state == .partial, let lost = lostSources.withLock({ $0[row.ino] }),
            let loss = Self.loss(lost)
        else { return false }
        if loss == .damaged { return true }
        let named = try recorded(row, in: read)
        guard named != row.sourceRevision, named == lost.recorded else { return false }
        // A record that came since may tell where the body is.
        return try read.places(ofSourceOf: row) == lost.places
    }

    /// Whether the stored body of another document that a row is made of is nowhere, and nobody
    /// wrote into the row.
    package func isHollow(_ row: LocalItem, in read: CatalogReader) throws(DocFSError) -> Bool {
        guard row.divergence == .stored, row.state != .current,
            let lost = lostSources.withLock({ $0[row.ino] }), Self.loss(lost) == .gone
        else { return false }
        return try read.places(ofSourceOf: row).isEmpty
    }

    /// What was found out about a row's source counts no more: it is made of another, or has come
    /// elsewhere.
    package func forgetLoss(of ino: Int64) {
        lostSources.withLock { _ = $0.removeValue(forKey: ino) }
    }

    /// The body that the container's record has of the document whose bytes a row misses.
    ///
    /// The same bytes under another revision are the row's own: planning follows them.
    private func recorded(_ row: LocalItem, in read: CatalogReader) throws(DocFSError)
        -> Revision?
    {
        let item = row.sourceItem ?? row.item
        let scope = row.sourceScope ?? row.scope
        let content = try read.state(.remote, of: item, scope: scope)?.content
        if item == row.item, let digest = row.sourceDigest, content?.body?.digest == digest {
            return row.sourceRevision
        }
        return content?.revision
    }

    package func keepWritten(of row: LocalItem, as item: ItemID) async throws(DocFSError) -> Int64 {
        try await hashers.run { [self] () throws(DocFSError) in
            try makeRow(ofWhatWasWrittenInto: row, as: item)
        }
    }

    private func makeRow(ofWhatWasWrittenInto row: LocalItem, as item: ItemID)
        throws(DocFSError) -> Int64
    {
        try flush(row.ino)
        let (known, written) = try catalog.read { (read) throws(DocFSError) in
            (try read.local(row.ino), try read.written(row.ino))
        }
        guard let known, known.generation == row.generation, known.state == .partial,
            let source = try files.open(row.ino, row.place, isReadOnly: true)
        else { throw .bodyChanged }
        var ranges = written
        if known.wanted < known.size { ranges.append(known.wanted..<known.size) }
        let start = written.isEmpty ? known.wanted : 0
        var fresh = known
        (fresh.item, fresh.parent) = (item, nil)
        (fresh.state, fresh.place, fresh.divergence) = (.current, .state, .written)
        (fresh.basis, fresh.conflictOf, fresh.generation) = (nil, nil, 0)
        (fresh.sourceScope, fresh.sourceItem, fresh.sourceRevision) = (nil, nil, nil)
        (fresh.sourceDigest, fresh.sourceSize, fresh.wanted) = (nil, nil, 0)
        (fresh.isUnflushed, fresh.unsynced, fresh.error) = (false, .none, nil)
        fresh.size = known.size - start
        let row = fresh
        let ino = try catalog.write { (write) throws(DocFSError) in try write.insert(row) }
        let file = try makeFile(ino, .state)
        try Posix.truncate(file.number, to: fresh.size)
        for range in ranges { try copy(range, of: source, to: file, before: start) }
        try Posix.sync(file.number)
        try files.syncEntry(ino, .state)
        return ino
    }

    private func copy(
        _ range: Range<UInt64>, of source: Descriptor, to file: Descriptor, before start: UInt64
    ) throws(DocFSError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(UInt64(buffer.count), range.upperBound - offset))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            let count = try Posix.read(source.number, into: part, at: offset)
            if count == 0 { return }
            try Posix.write(
                file.number, UnsafeRawBufferPointer(rebasing: part[..<count]), at: offset - start)
            offset += UInt64(count)
        }
    }
}
