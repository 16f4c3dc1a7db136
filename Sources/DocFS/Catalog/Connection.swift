internal import CSQLite

/// One SQLite connection with its prepared statements, each prepared once.
///
/// Used by one thread at a time.
final class Connection {
    private let handle: OpaquePointer
    /// By the numbers of their queries.
    private var statements: [Statement?] = []
    /// Whether sparse tables are empty, as far as this transaction has asked; `nil` outside of one.
    private var emptiness: [Bool?]?
    /// How many pages the write-ahead log had after the last commit of this connection.
    private(set) var loggedPages = 0

    /// Opens `path`, an existing file: a database in WAL mode, or an empty one that will be.
    ///
    /// For writing it commits without syncing, and never checkpoints by itself.
    init(_ path: String, forWriting: Bool) throws(DocFSError) {
        _ = Self.isConfigured
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

    private static let isConfigured = csqlite_skip_memory_statistics() == SQLITE_OK

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

    // MARK: Transactions

    private static let beginReading = Query("BEGIN")
    private static let beginWriting = Query("BEGIN IMMEDIATE")
    private static let commit = Query("COMMIT")
    private static let rollback = Query("ROLLBACK")

    /// Begins a transaction: all that it looks up is of one moment.
    func begin(writing: Bool) throws(DocFSError) {
        try run(writing ? Self.beginWriting : Self.beginReading)
        emptiness = Array(repeating: nil, count: SparseTable.allCases.count)
    }

    func commit() throws(DocFSError) {
        emptiness = nil
        try run(Self.commit)
    }

    /// Fails only where SQLite has done it already.
    func rollback() throws(DocFSError) {
        emptiness = nil
        try run(Self.rollback)
    }

    private static let anyRow = SparseTable.allCases.map {
        Query("SELECT 1 FROM \($0.name) LIMIT 1")
    }

    /// Whether a table is empty: a transaction asks once, and again when it may have filled it.
    func isEmpty(_ table: SparseTable) throws(DocFSError) -> Bool {
        // SQLite ends a transaction for which it has no memory or disk.
        let isCurrent = emptiness != nil && sqlite3_get_autocommit(handle) == 0
        if isCurrent, let isEmpty = emptiness?[table.rawValue] { return isEmpty }
        let isEmpty = try !exists(Self.anyRow[table.rawValue], { _ in })
        if isCurrent { emptiness?[table.rawValue] = isEmpty }
        return isEmpty
    }

    /// Whether a query can be left out because its table is empty.
    ///
    /// Outside of a transaction it costs as much to ask.
    private func isVain(_ query: Query) throws(DocFSError) -> Bool {
        guard let table = query.table, emptiness != nil else { return false }
        return try isEmpty(table)
    }

    // MARK: Statements

    /// The statement of this query, reset.
    private func statement(_ query: Query) throws(DocFSError) -> Statement {
        for table in query.filled { emptiness?[table.rawValue] = nil }
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
        if try isVain(query) { return nil }
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
        if try isVain(query) { return [] }
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
        if try isVain(query) { return }
        let statement = try statement(query)
        prepare(statement)
        defer { statement.reset() }
        while try statement.step(), row(statement) {}
    }

    /// Runs a statement that has no rows.
    func run(_ query: Query, _ prepare: (Statement) -> Void = { _ in }) throws(DocFSError) {
        if try isVain(query) { return }
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
