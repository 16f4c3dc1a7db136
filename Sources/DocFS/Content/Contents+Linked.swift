internal import Synchronization

/// Documents that are filled from a file which has further names in `Local/`: ``LinkedFiles``.
extension Contents {
    /// So many are filled at once.
    private static let filledAtOnce = 4
    /// How often it is looked whether more can be, in microseconds.
    private static let fillingPause: UInt32 = 2_000

    /// Gives documents that have moved in from `Local/` their own bytes, in the background.
    package func fillLinked(_ inos: [Int64]) {
        if inos.isEmpty { return }
        outsideLooks.submit { [self] in fillLinked(inos[...], coming: []) }
    }

    private func fillLinked(_ inos: ArraySlice<Int64>, coming: [Int64]) {
        var (rest, coming) = (inos, coming.filter(isComing))
        while coming.count < Self.filledAtOnce, let ino = rest.popFirst() {
            // What cannot be filled now is when it is opened, sent, or at the next start.
            try? hydrate(ino)
            if isComing(ino) { coming.append(ino) }
        }
        if rest.isEmpty { return }
        outsideLooks.submit(after: Self.fillingPause) { [self, rest, coming] in
            fillLinked(rest, coming: coming)
        }
    }

    /// Nobody has the content of a row open any more: if it has its own bytes by now, or none of
    /// the other file's are wanted any more, that is let go.
    func releaseLinked(_ ino: Int64) {
        // What cannot be read now the next start looks at.
        guard let row = try? row(ino), row.isLinked, row.state == .current,
            let source = row.sourceItem
        else { return }
        do throws(DocFSError) {
            // A loss of power must not keep the other file's end and lose the document's bytes.
            if row.size > 0 {
                guard let file = try files.open(ino, row.place, isReadOnly: true) else { return }
                try Posix.syncData(file.number)
                try files.syncEntry(ino, row.place)
            }
            try catalog.makeDurable()
            try change(ino) { (row, _) throws(DocFSError) in
                guard row.isLinked, row.state == .current else { return }
                (row.sourceScope, row.sourceItem, row.sourceRevision) = (nil, nil, nil)
                row.wanted = 0
            }
        } catch {
            // The next start looks again.
            return
        }
        linked.remove(LinkedFiles.name(for: source))
    }

    /// After a restart: goes on filling documents, and removes what none is filled from.
    ///
    /// A catalog that was lost tells of none: a file's last name stays.
    func sweepLinked() throws(DocFSError) {
        let names = try linked.names()
        if names.isEmpty { return }
        let rows = try catalog.read { (read) throws(DocFSError) in
            try read.rows(filledFrom: LinkedFiles.scope)
        }
        let needed = Set(rows.compactMap { $0.sourceItem.map(LinkedFiles.name) })
        for name in names where !needed.contains(name) {
            if try !linked.isLast(name) { linked.remove(name) }
        }
        for row in rows where row.state == .current { releaseLinked(row.ino) }
        fillLinked(rows.filter { $0.state != .current }.map(\.ino))
    }
}

extension LocalItem {
    /// Whether its bytes come from one of ``LinkedFiles``.
    package var isLinked: Bool { sourceScope == LinkedFiles.scope && sourceItem != nil }

    /// Its bytes come from one of ``LinkedFiles``, and none is here yet.
    package mutating func fillFromLinked() {
        state = .none
        (sourceScope, sourceItem) = (LinkedFiles.scope, item)
        (sourceRevision, sourceDigest, sourceSize) = (LinkedFiles.revision, nil, nil)
        wanted = size
    }
}
