internal import Glibc
internal import Synchronization

/// What this device knows: the three trees, contents and journal, in one SQLite database.
///
/// Any thread may read and write. Writes are serialised by one connection; a write that has
/// returned survives the death of the process, and after ``makeDurable()`` also power loss. Reads
/// see what was committed before they began. Both block the calling thread: never call from a
/// task of the shared pool.
package final class Catalog: Sendable {
    /// The health of scopes and the latest events.
    package let bulletin = Bulletin()

    private let path: String
    private let seal: CatalogSeal
    private let use: CatalogUse
    private let writer: Mutex<Handed>
    private let readers = Mutex<[Handed]>([])
    private let listeners = Mutex<[Int64: any PendingObserver]>([:])
    /// The write-ahead log: every commit is in it when it has returned.
    private let log: Descriptor
    /// Where it is taken over into the database, beside those who write.
    private let checkpoints = WorkPool(name: "checkpoint", limit: 1)
    private let isCheckpointing = Atomic(false)
    private let mayHaveIncoming: Atomic<Bool>
    private let mayHaveConflictMembers: Atomic<Bool>
    /// Pages of the log from which on it is taken over.
    private static let longLog = 1_000

    /// A connection that goes from thread to thread, to one at a time.
    private struct Handed: @unchecked Sendable {
        let connection: Connection
    }

    /// Opens the catalog at `path` (a file in the state directory) and brings its schema up to
    /// date.
    ///
    /// It is looked through for damage, unless it was left in order and untouched since.
    ///
    /// Throws `.corrupt` when it is not a catalog that this version can use.
    package init(path: String) throws(DocFSError) {
        self.path = path
        seal = CatalogSeal(path: path)
        use = CatalogUse(path: path)
        if use.wasCutShort, let objection = try CatalogLog(path: path).objection() {
            throw .corrupt("catalog: \(objection)")
        }
        use.end()
        let isWhole = seal.take()
        // SQLite gives its other files the mode of this one.
        _ = try Posix.open(path: path, flags: O_RDWR | O_CREAT, mode: 0o600)
        if let reader = Self.readerInOrder(path, isWhole: isWhole) {
            readers.withLock { $0 = [reader] }
        } else {
            try Self.prepare(path, isWhole: isWhole)
        }
        let connection = Handed(connection: try Connection(path, forWriting: true))
        // Writing makes sure that there is a log.
        try connection.connection.run(Self.opened)
        use.begin()
        log = try Posix.open(path: path + "-wal", flags: O_RDONLY)
        // The log's name is as durable as what will be in it, and the seal's end comes before it.
        try Self.syncDirectory(of: path)
        let read = CatalogReader(connection.connection)
        mayHaveIncoming = Atomic(try read.hasIncoming())
        mayHaveConflictMembers = Atomic(try read.hasConflictMembers())
        writer = Mutex(connection)
    }

    /// A first reader of a catalog that has today's schema and is whole; `nil` where there is
    /// something to migrate or to object to.
    ///
    /// Asking this of a connection that is needed anyway takes a fraction of what a migrator does.
    private static func readerInOrder(_ path: String, isWhole: Bool) -> Handed? {
        // What fails here does so again in ``prepare(_:isWhole:)``, which says why.
        guard let connection = try? Connection(path, forWriting: false),
            CatalogSchema.isCurrent(connection),
            isWhole || (try? connection.first(quickCheck, { _ in }, { $0.text() })) == "ok"
        else { return nil }
        return Handed(connection: connection)
    }

    private static let quickCheck = Query("PRAGMA quick_check(1)")

    /// Makes the schema, and finds damage before anything is served from it, unless the catalog is
    /// known to be whole.
    private static func prepare(_ path: String, isWhole: Bool) throws(DocFSError) {
        let connection = try Connection(path, forWriting: true)
        try CatalogSchema.migrate(connection)
        if isWhole { return }
        let verdict = try connection.first(quickCheck, { _ in }, { $0.text() })
        if verdict != "ok" {
            throw .corrupt("catalog: \((verdict ?? nil) ?? "unreadable")")
        }
    }

    private static func syncDirectory(of path: String) throws(DocFSError) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let parent = path[..<end].isEmpty ? "." : String(path[..<end])
        let directory = try Posix.open(path: parent, flags: O_RDONLY | O_DIRECTORY)
        try Posix.sync(directory.number)
    }

    // MARK: Reading

    /// Runs `body` with a connection of its own.
    package func read<Value>(_ body: (CatalogReader) throws(DocFSError) -> Value)
        throws(DocFSError) -> Value
    {
        let reader = try takeReader()
        defer { readers.withLock { $0.append(reader) } }
        return try body(CatalogReader(reader.connection))
    }

    /// As ``read(_:)``, but all lookups of `body` see the same moment.
    package func readConsistently<Value>(_ body: (CatalogReader) throws(DocFSError) -> Value)
        throws(DocFSError) -> Value
    {
        try read { (reader) throws(DocFSError) in
            try reader.connection.begin(writing: false)
            // Nothing was written: there is nothing that the end could fail at.
            defer { try? reader.connection.commit() }
            return try body(reader)
        }
    }

    private func takeReader() throws(DocFSError) -> Handed {
        if let reader = readers.withLock({ $0.popLast() }) { return reader }
        return Handed(connection: try Connection(path, forWriting: false))
    }

    /// Whether rows are shown in `Local/`, where they are still to arrive.
    ///
    /// Nearly always none are, and then nothing else needs to be asked. True from before the first
    /// is there until after the last is gone.
    package var hasIncoming: Bool { mayHaveIncoming.load(ordering: .sequentiallyConsistent) }

    /// Whether conflict versions or their documents are known that have moved between scopes.
    ///
    /// As ``hasIncoming``.
    package var hasConflictMembers: Bool {
        mayHaveConflictMembers.load(ordering: .sequentiallyConsistent)
    }

    // MARK: Writing

    private static let opened = Query(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('opened', x'00')")

    /// Runs `body` in one transaction; all of it happens, or nothing.
    ///
    /// Afterwards the listeners of the scopes whose items became pending are told. Transactions
    /// never nest.
    ///
    /// - Parameters:
    ///   - isSyncing: what becomes pending does so by syncing, not by a user.
    ///   - isTold: whether listeners are told; not of what the caller goes over by itself.
    package func write<Value: Sendable>(
        isSyncing: Bool = false, isTold: Bool = true,
        _ body: (CatalogWriter) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        let (value, touched) = try writer.withLock { (writer) throws(DocFSError) in
            let outcome = try commit(body, on: writer.connection)
            if writer.connection.loggedPages >= Self.longLog { shortenLog() }
            return outcome
        }
        if isTold, !touched.isEmpty {
            let listeners = listeners.withLock { $0 }
            for (scope, items) in touched {
                listeners[scope]?.itemsBecamePending(items, bySyncing: isSyncing)
            }
        }
        return value
    }

    private func commit<Value: Sendable>(
        _ body: (CatalogWriter) throws(DocFSError) -> Value, on connection: Connection
    ) throws(DocFSError) -> (Value, [Int64: Set<ItemID>]) {
        try connection.begin(writing: true)
        let transaction = CatalogWriter(connection)
        // The next to write waits meanwhile.
        defer { note(transaction) }
        do throws(DocFSError) {
            let value = try body(transaction)
            if transaction.changesIncoming {
                mayHaveIncoming.store(true, ordering: .sequentiallyConsistent)
            }
            if transaction.changesConflictMembers {
                mayHaveConflictMembers.store(true, ordering: .sequentiallyConsistent)
            }
            CrashPoint.reached(.catalogCommitting)
            try connection.commit()
            CrashPoint.reached(.catalogCommitted)
            return (value, transaction.touched)
        } catch {
            // Fails only where SQLite has done it already.
            try? connection.rollback()
            throw error
        }
    }

    private func note(_ transaction: CatalogWriter) {
        // Whoever hears that there may be some asks.
        if transaction.changesIncoming {
            let hasIncoming = (try? transaction.read.hasIncoming()) ?? true
            mayHaveIncoming.store(hasIncoming, ordering: .sequentiallyConsistent)
        }
        if transaction.changesConflictMembers {
            let hasMembers = (try? transaction.read.hasConflictMembers()) ?? true
            mayHaveConflictMembers.store(hasMembers, ordering: .sequentiallyConsistent)
        }
    }

    /// Returns when everything committed before is on stable storage.
    ///
    /// Nobody who reads or writes waits for it.
    package func makeDurable() throws(DocFSError) {
        // What is not in the log any more was synced with the database by the checkpoint that took
        // it over (sqlite.org/wal.html, "Checkpointing").
        try Posix.syncData(log.number)
    }

    /// The daemon ends in order: what was committed is made durable, and the catalog sealed.
    ///
    /// What is written all the same breaks the seal, and is kept.
    package func leave() throws(DocFSError) {
        try makeDurable()
        // The log is empty afterwards, unless somebody still reads.
        writer.withLock { $0.connection.checkpoint(emptyingLog: true) }
        use.end()
        seal.leave()
    }

    /// Has the log taken over into the database: most of it beside those who write, and what they
    /// added meanwhile while nobody does, so that the log begins anew.
    private func shortenLog() {
        guard !isCheckpointing.exchange(true, ordering: .acquiringAndReleasing) else { return }
        checkpoints.submit { [self] in
            // Without a connection the log grows until the next commit asks again.
            if let own = try? Connection(path, forWriting: true) {
                own.checkpoint()
                writer.withLock { $0.connection.checkpoint() }
            }
            isCheckpointing.store(false, ordering: .releasing)
        }
    }

    // MARK: Listening

    /// Who is told when items of `scope` become pending.
    package func setListener(_ listener: (any PendingObserver)?, scope: Int64) {
        listeners.withLock { $0[scope] = listener }
    }

    /// Tells the listener of `scope`, without a transaction, to look at an item again: what
    /// planning depends on beside the catalog has changed.
    ///
    /// - Parameter bySyncing: not by something that the user did, which may be half of a save.
    package func announce(_ item: ItemID, scope: Int64, bySyncing: Bool = false) {
        listeners.withLock { $0[scope] }?.itemsBecamePending([item], bySyncing: bySyncing)
    }
}
