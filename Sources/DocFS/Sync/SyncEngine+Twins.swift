/// The same device twice: a cloned disk, or a state directory that an older one was put in place
/// of (S34).
extension SyncEngine {
    /// Takes another identity when a record under this device's was not written by it: whoever did
    /// may go on, and all that is in the record is another device's.
    ///
    /// Whatever this device records it knows by its operations, also after a crash: of an effect
    /// from the journal, of what it has found from the note that it makes before, and of what it
    /// has dropped from the note that takes the journal's place.
    func noticeTwin(in record: LogRecord) throws(DocFSError) {
        let own = container.device.id
        guard record.device == own, try !isOwn(record) else { return }
        container.device.renew(own, as: DeviceID(using: &random))
    }

    private func isOwn(_ record: LogRecord) throws(DocFSError) -> Bool {
        let unknown = record.changes.map(\.operation).filter { finished[$0] == nil }
        if unknown.isEmpty { return true }
        let scopeID = scope.id
        return try catalog.read { (read) throws(DocFSError) in
            // A catalog that is new to the container has lost what it wrote there.
            if try read.fact(Self.firstReading(scopeID)) != nil { return true }
            let noted = try read.fact(Self.discoveries(scopeID)) ?? []
            for operation in unknown where try read.journalled(operation) == nil {
                let bytes = operation.bytes
                let isNoted = stride(from: 0, to: noted.count, by: bytes.count).contains {
                    noted[$0...].starts(with: bytes)
                }
                if !isNoted { return false }
            }
            return true
        }
    }

    /// Makes a note of what is about to be recorded that the journal does not tell of.
    func noteDiscoveries(_ batch: [FinishedEffect]) throws(DocFSError) {
        let found = batch.filter { $0.verb == nil }.flatMap(\.change.operation.bytes)
        if found.isEmpty { return }
        let scopeID = scope.id
        try write { (write) throws(DocFSError) in
            try Self.note(found, of: scopeID, write)
        }
        // A loss of power that keeps the record must not lose the note.
        try catalog.makeDurable()
    }

    /// Takes an effect out of the journal that no record that was read tells of: one whose answer
    /// was lost may yet come to the log.
    static func dropJournal(_ operation: OperationID, of scope: Int64, _ write: CatalogWriter)
        throws(DocFSError)
    {
        try write.removeJournal(operation)
        try note(operation.bytes, of: scope, write)
    }

    /// A record of this device came late, and tells of what it had dropped since the store does not
    /// have it any more: it looks there.
    func lookWhereDropped(_ changes: [Change]) throws(DocFSError) {
        if changes.isEmpty { return }
        let scopeID = scope.id
        let paths = try catalog.read { (read) throws(DocFSError) -> [ItemPath] in
            if try read.fact(Self.firstReading(scopeID)) != nil { return [] }
            var paths: [ItemPath] = []
            for change in changes where change.after != nil {
                if let path = try read.remotePath(of: change.item, scope: scopeID) {
                    paths.append(path)
                }
            }
            return paths
        }
        for path in paths { lookAgain(at: path) }
    }

    private static func note(_ operations: [UInt8], of scope: Int64, _ write: CatalogWriter)
        throws(DocFSError)
    {
        let key = discoveries(scope)
        let earlier = try write.read.fact(key) ?? []
        try write.setFact(key, Array((operations + earlier).prefix(longestNote)))
    }

    /// Bytes of a note: some thousands of operations, which have sixteen each.
    private static let longestNote = 1 << 16

    /// The log was read to its end: from here on this device knows what it writes.
    func endFirstReading() throws(DocFSError) {
        let key = Self.firstReading(scope.id)
        let isFirst = try catalog.read { (read) throws(DocFSError) in try read.fact(key) != nil }
        if isFirst { try write { (write) throws(DocFSError) in try write.removeFact(key) } }
    }

    /// The fact that a scope's log is read for the first time.
    static func firstReading(_ scope: Int64) -> String { "first-reading-\(scope)" }

    /// The fact that tells of the operations of the last records that are not in the journal.
    private static func discoveries(_ scope: Int64) -> String { "discoveries-\(scope)" }
}
