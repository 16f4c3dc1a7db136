internal import Synchronization

/// What syncing asks of this device's contents.
extension Contents: Replica {
    package func writer(of ino: Int64) -> WriterState {
        guard
            let entry = table.withLock({ table -> ContentTable.Entry? in
                guard let entry = table.entries[ino], entry.isBeingWritten else { return nil }
                return entry
            })
        else { return .none }
        let isSynced = entry.content.state.withLock { $0.isSynced }
        return isSynced ? .heldAndSynced : .held(since: entry.openSince)
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
        let (content, _) = try open(row.ino, forWriting: false, evenNameless: true)
        defer { close(content, forWriting: false) }
        guard content.isComplete else {
            content.hydrate()
            throw .wouldBlock
        }
        let isOpen = writer(of: row.ino) != .none
        var snapshot = isOpen ? try content.frozenSnapshot() : try content.snapshot()
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
            case .dropped(let ino): drop(ino)
            case .newerWanted(let ino): bringNewer(ino)
            case .shown(let ino, let moment): setLastUse(of: ino, to: moment)
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
