internal import Synchronization

/// What syncing asks of this device's contents.
extension Contents: Replica {
    package func writer(of ino: Int64) -> WriterState {
        guard
            let content = table.withLock({ table -> OpenContent? in
                guard let entry = table.entries[ino], entry.isBeingWritten else { return nil }
                return entry.content
            })
        else { return .none }
        return content.state.withLock { $0.isSynced } ? .heldAndSynced : .held
    }

    package func claim(_ ino: Int64) -> Bool {
        table.withLock { table in
            if table.entries[ino]?.isBeingWritten == true { return false }
            table.claimed.insert(ino)
            return true
        }
    }

    package func release(_ inos: [Int64]) {
        table.withLock { $0.claimed.subtract(inos) }
    }

    package func snapshot(of row: LocalItem) async throws(DocFSError) -> Snapshot {
        try await hashers.run { [self] () throws(DocFSError) in try takeSnapshot(of: row) }
    }

    func takeSnapshot(of row: LocalItem) throws(DocFSError) -> Snapshot {
        let (content, _) = try open(row.ino, forWriting: false)
        defer { close(content, forWriting: false) }
        guard content.isComplete else {
            content.hydrate()
            throw .wouldBlock
        }
        var snapshot = try content.snapshot()
        snapshot.source = SentSource(
            source: snapshot.source,
            upload: traffic.upload(of: row.ino, scope: row.scope, size: snapshot.size))
        return snapshot
    }

    package func isSuspect(_ row: LocalItem) -> Bool {
        suspects.withLock { $0[row.ino] == row.generation }
    }

    package func applied(_ notices: [LocalNotice]) {
        let observer = currentObserver
        for notice in notices {
            switch notice {
            case .entryChanged(let parent, let name):
                observer?.entryChanged(parent: parent, name: name)
            case .unlinked(let parent, let name, let ino):
                observer?.unlinked(parent: parent, name: name, ino: ino)
                unlinked(ino)
            case .described(let ino): observer?.described(ino: ino)
            case .replaced(let item, let basis, let shown, let ino):
                observer?.replaced(item: item, basis: basis, shown: shown, by: ino)
            case .edited(let ino):
                labelSoon(ino)
                syncSoon()
            case .sent(let ino): settle(ino)
            case .departureReady(let ino): observer?.departureReady(ino: ino)
            }
        }
    }
}

extension OpenContent {
    /// The bytes as they are now.
    ///
    /// From here on the next write tells the row anew.
    func snapshot() throws(DocFSError) -> Snapshot {
        let watched = state.withLock { $0.unseen == nil ? nil : $0.descriptor }
        // A mapping then moves the file's time when it is written next.
        if let watched { try Posix.syncData(watched.number) }
        try flush()
        let generation = try contents.row(ino).generation
        let place = try state.withLock { (state) throws(DocFSError) in
            guard state.isQuiet else { throw .bodyChanged }
            return state.place
        }
        guard let descriptor = try contents.files.open(ino, place, isReadOnly: true) else {
            throw .corrupt("the content file is gone")
        }
        let size = try Posix.status(of: descriptor.number).size
        // What is sent is sealed here as well, and then trusted: a power cut must not tear it.
        try Posix.syncData(descriptor.number)
        // Nor may it be in Local again.
        if place == .local { try contents.files.syncEntry(ino, place) }
        let digest = try FileDigest.compute(descriptor.number, length: size)
        // A write that began meanwhile has told the row, and the digest says nothing.
        try takeOver()
        guard state.withLock({ $0.isQuiet }), try contents.row(ino).generation == generation else {
            throw .bodyChanged
        }
        return Snapshot(
            source: FileSource(descriptor: descriptor), size: size, digest: digest,
            generation: generation)
    }
}

extension OpenContent.State {
    /// Nothing is being written, and whoever begins to will tell the row first.
    fileprivate var isQuiet: Bool { writesUnderWay == 0 && !isNoted }
}
