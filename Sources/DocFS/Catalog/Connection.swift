internal import CSQLite

/// One SQLite connection with its prepared statements, each prepared once.
///
/// Used by one thread at a time.
final class Connection {
    private let handle: OpaquePointer
    /// By the numbers of their queries.
    private var statements: [Statement?] = []
    /// How many pages the write-ahead log had after the last commit of this connection.
    private(set) var loggedPages = 0

    /// Opens `path`, an existing file: a database in WAL mode, or an empty one that will be.
    ///
    /// For writing it commits without syncing, and never checkpoints by itself.
    init(_ path: String, forWriting: Bool) throws(DocFSError) {
        var handle: OpaquePointer?
        let access = forWriting ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let status = sqlite3_open_v2(path, &handle, flags, nil)
        guard status == SQLITE_OK, let handle else {
            let error = Statement.error(status, handle)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 5_000)
        guard forWriting else { return }
        try execute("PRAGMA synchronous = NORMAL")
        let context = Unmanaged.passUnretained(self).toOpaque()
        // In the place of SQLite's own hook, which checkpoints inside the commit.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                let connection = Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue()
                connection.loggedPages = Int(pages)
                return SQLITE_OK
            }, context)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Takes over into the database what the write-ahead log has, as far as nobody still reads what
    /// was before.
    ///
    /// Readers and writers go on meanwhile, unless it is to wait until all is taken over and the
    /// log is empty. What was taken over is on stable storage.
    func checkpoint(emptyingLog: Bool = false) {
        let mode = emptyingLog ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        // What could not be done is done the next time.
        sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    }

    /// The statement of this query, reset.
    func statement(_ query: Query) throws(DocFSError) -> Statement {
        let missing = query.number - statements.endIndex + 1
        if missing > 0 { statements += repeatElement(nil, count: missing) }
        if let statement = statements[query.number] {
            statement.reset()
            return statement
        }
        let statement = try Statement(handle, query.sql)
        statements[query.number] = statement
        return statement
    }

    /// The first row of what `prepare` has bound, read by `row`; `nil` when there is none.
    ///
    /// The statement is reset afterwards, so that it holds no snapshot of the database.
    func first<Value>(
        _ query: Query, _ prepare: (Statement) -> Void, _ row: (Statement) -> Value
    ) throws(DocFSError) -> Value? {
        let statement = try statement(query)
        prepare(statement)
        defer { statement.reset() }
        return try statement.step() ? row(statement) : nil
    }

    /// Whether there is a row of what `prepare` has bound.
    func exists(_ query: Query, _ prepare: (Statement) -> Void) throws(DocFSError) -> Bool {
        try first(query, prepare, { _ in true }) ?? false
    }

    /// All rows of what `prepare` has bound.
    func all<Value>(
        _ query: Query, _ prepare: (Statement) -> Void = { _ in }, _ row: (Statement) -> Value
    ) throws(DocFSError) -> [Value] {
        let statement = try statement(query)
        prepare(statement)
        defer { statement.reset() }
        var values: [Value] = []
        while try statement.step() { values.append(row(statement)) }
        return values
    }

    /// Hands the rows of what `prepare` has bound to `row` until it answers false.
    func each(
        _ query: Query, _ prepare: (Statement) -> Void, _ row: (Statement) -> Bool
    ) throws(DocFSError) {
        let statement = try statement(query)
        prepare(statement)
        defer { statement.reset() }
        while try statement.step(), row(statement) {}
    }

    /// Runs a statement that has no rows.
    func run(_ query: Query, _ prepare: (Statement) -> Void = { _ in }) throws(DocFSError) {
        let statement = try statement(query)
        prepare(statement)
        defer { statement.reset() }
        try statement.run()
    }

    /// Runs statements that have no rows of interest, separated by semicolons.
    func execute(_ sql: String) throws(DocFSError) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        if status != SQLITE_OK { throw Statement.error(status, handle) }
    }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
}
