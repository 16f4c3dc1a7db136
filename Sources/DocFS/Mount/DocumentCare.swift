/// What `.docfs` and the attributes ask of contents and engines, composed.
struct DocumentCare: DocumentControl {
    let contents: Contents
    let engines: [SyncEngine]
    let keeper: ContentKeeper
    let end: Farewell

    func state(of row: LocalItem) -> ContentState { contents.state(of: row) }

    func percent(of row: LocalItem) -> Int { contents.percent(of: row) }

    func isComing(_ ino: Int64) -> Bool { contents.isComing(ino) }

    func uploadPercent(of ino: Int64) -> Int? { contents.uploadPercent(of: ino) }

    func sending(scope: Int64) -> TransferProgress { contents.sending(scope: scope) }

    func receiving(scope: Int64) -> TransferProgress { contents.receiving(scope: scope) }

    func unrecorded(_ ino: Int64) -> (size: UInt64, modified: Timestamp)? {
        contents.unrecorded(ino)
    }

    func refusal(of row: LocalItem) -> String? { contents.refusal(of: row) }

    func damage(of row: LocalItem) throws(DocFSError) -> BodyDamage? {
        try contents.damage(of: row)
    }

    var openForWriting: [Int64] { contents.openForWriting }

    func isOpen(_ ino: Int64) -> Bool { contents.isOpen(ino) }

    func isEditingDisabled(_ ino: Int64) -> Bool { contents.isClaimed(ino) }

    func hydrate(_ ino: Int64) throws(DocFSError) { try contents.hydrate(ino) }

    func pinChanged(of ino: Int64, to pin: PinState) {
        keeper.pinsChanged()
        contents.tell(pin: pin, of: ino)
    }

    func evict(_ ino: Int64) throws(DocFSError) { try contents.evict(ino) }

    func sendNow(_ items: Set<ItemID>?, scope: Int64) {
        engines.first { $0.scopeID == scope }?.sendNow(items)
    }

    func confirmDeletes(scope: Int64) {
        engines.first { $0.scopeID == scope }?.confirmDeletes()
    }

    func mendLog(scope: Int64, _ repair: LogRepair) throws(DocFSError) {
        try engines.first { $0.scopeID == scope }?.mendLog(repair)
    }

    func emptyTrash(scope: Int64, below path: ItemPath) throws(DocFSError) {
        try engines.first { $0.scopeID == scope }?.emptyTrash(below: path)
    }

    func remove(_ version: VersionRecord, scope: Int64) throws(DocFSError) {
        try engines.first { $0.scopeID == scope }?.remove(version)
    }

    var farewell: Duration {
        get { end.time }
        nonmutating set { end.time = newValue }
    }

    func retain(_ ino: Int64) { contents.retain(ino) }

    func unlinked(_ ino: Int64) { contents.unlinked(ino) }
}
