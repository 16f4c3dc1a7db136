internal import GRDB
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

    private let writer: DatabaseQueue
    private let path: String
    private let seal: CatalogSeal
    private let readers = Mutex<[Readers]>([])
    private let listeners = Mutex<[Int64: any PendingObserver]>([:])

    /// A read connection that waits for its next user.
    ///
    /// One user at a time, so that handing it from thread to thread is safe.
    private struct Readers: @unchecked Sendable {
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
        let isWhole = seal.take()
        // SQLite gives its other files the mode of this one.
        _ = try Posix.open(path: path, flags: O_RDWR | O_CREAT, mode: 0o600)
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(5)
        do {
            writer = try DatabaseQueue(path: path, configuration: configuration)
            try CatalogSchema.migrate(writer)
            try writer.inDatabase { database in
                // Damage is found before anything is served from it.
                if !isWhole { try Self.check(database) }
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
                try database.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
            }
        } catch let error as DocFSError {
            throw error
        } catch let error as DatabaseError {
            throw Self.failure(error)
        } catch {
            throw .corrupt("catalog: \(error)")
        }
    }

    private static func check(_ database: Database) throws {
        let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        if verdict != "ok" { throw DocFSError.corrupt("catalog: \(verdict ?? "unreadable")") }
    }

    /// What keeps the catalog from being opened: only damage to it counts as such.
    private static func failure(_ error: DatabaseError) -> DocFSError {
        switch error.resultCode {
        case .SQLITE_FULL: .diskFull
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
        case .SQLITE_READONLY: .readOnly
        case .SQLITE_PERM, .SQLITE_AUTH: .accessDenied
        case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_NOMEM: Posix.deviceFailure
        default: .corrupt("catalog: \(error)")
        }
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
            try reader.connection.execute("BEGIN")
            // Nothing was written: there is nothing that the end could fail at.
            defer { try? reader.connection.execute("COMMIT") }
            return try body(reader)
        }
    }

    private func takeReader() throws(DocFSError) -> Readers {
        if let reader = readers.withLock({ $0.popLast() }) { return reader }
        return Readers(connection: try Connection(readingFrom: path))
    }

    // MARK: Writing

    /// Runs `body` in one transaction; all of it happens, or nothing.
    ///
    /// Afterwards the listeners of the scopes whose items became pending are told.
    package func write<Value: Sendable>(
        _ body: (CatalogWriter) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        let outcome: Result<(Value, [Int64: Set<ItemID>]), DocFSError> = perform { connection in
            do throws(DocFSError) {
                try connection.execute("BEGIN IMMEDIATE")
                let transaction = CatalogWriter(connection)
                let value = try body(transaction)
                CrashPoint.reached(.catalogCommitting)
                try connection.execute("COMMIT")
                CrashPoint.reached(.catalogCommitted)
                return .success((value, transaction.touched))
            } catch {
                try? connection.execute("ROLLBACK")
                return .failure(error)
            }
        }
        let (value, touched) = try outcome.get()
        if !touched.isEmpty {
            let listeners = listeners.withLock { $0 }
            for (scope, items) in touched { listeners[scope]?.itemsBecamePending(items) }
        }
        return value
    }

    /// Returns when everything committed before is on stable storage.
    package func makeDurable() throws(DocFSError) {
        let outcome: Result<Void, DocFSError> = perform { connection in
            do throws(DocFSError) {
                // A commit at FULL syncs the WAL, and with it all commits before.
                try connection.execute("PRAGMA synchronous = FULL")
                defer { try? connection.execute("PRAGMA synchronous = NORMAL") }
                try connection.execute(
                    "INSERT OR REPLACE INTO meta (key, value) VALUES ('synced', x'00')")
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    /// The daemon ends in order: what was committed is made durable, and the catalog sealed.
    ///
    /// What is written all the same breaks the seal, and is kept.
    package func leave() throws(DocFSError) {
        try makeDurable()
        let outcome: Result<Void, DocFSError> = perform { connection in
            do throws(DocFSError) {
                // The log is empty afterwards, unless somebody still reads.
                return .success(try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
        seal.leave()
    }

    private func perform<Value>(_ body: (Connection) -> Result<Value, DocFSError>)
        -> Result<Value, DocFSError>
    {
        withoutActuallyEscaping(body) { body in
            let box = WriterBox(body)
            return writer.unsafeReentrantWrite { database in
                guard let handle = database.sqliteConnection else {
                    return .failure(.corrupt("catalog: closed"))
                }
                return box.body(writerConnection(handle))
            }
        }
    }

    /// Lets a non-escaping closure through the queue's Sendable door: the queue runs it before
    /// `perform` returns.
    private struct WriterBox<Value>: @unchecked Sendable {
        let body: (Connection) -> Result<Value, DocFSError>
        init(_ body: @escaping (Connection) -> Result<Value, DocFSError>) { self.body = body }
    }

    private let writing = Mutex<Readers?>(nil)

    /// The writer's statements; only touched on the writer's queue.
    private func writerConnection(_ handle: OpaquePointer) -> Connection {
        writing.withLock { kept in
            if let kept { return kept.connection }
            let made = Readers(connection: Connection(borrowing: handle))
            kept = made
            return made.connection
        }
    }

    // MARK: Listening

    /// Who is told when items of `scope` become pending.
    package func setListener(_ listener: (any PendingObserver)?, scope: Int64) {
        listeners.withLock { $0[scope] = listener }
    }

    /// Tells the listener of `scope`, without a transaction, to look at an item again: what
    /// planning depends on beside the catalog has changed.
    package func announce(_ item: ItemID, scope: Int64) {
        listeners.withLock { $0[scope] }?.itemsBecamePending([item])
    }
}
