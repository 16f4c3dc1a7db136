internal import GRDBSQLite

/// One SQLite connection with its prepared statements, each prepared once.
///
/// Used by one thread at a time.
final class Connection {
    let handle: OpaquePointer
    private let isOwned: Bool
    private var statements: [ObjectIdentifier: Statement] = [:]

    /// Uses a connection that somebody else opens and closes.
    init(borrowing handle: OpaquePointer) {
        self.handle = handle
        isOwned = false
    }

    /// Opens `path` for reading only.
    init(readingFrom path: String) throws(DocFSError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let status = sqlite3_open_v2(path, &handle, flags, nil)
        guard status == SQLITE_OK, let handle else {
            throw Statement.error(status, handle)
        }
        sqlite3_busy_timeout(handle, 5_000)
        self.handle = handle
        isOwned = true
    }

    deinit {
        statements.removeAll()
        if isOwned { sqlite3_close_v2(handle) }
    }

    /// The statement of this query, reset.
    func statement(_ query: Query) throws(DocFSError) -> Statement {
        let key = ObjectIdentifier(query)
        if let statement = statements[key] {
            statement.reset()
            return statement
        }
        let statement = try Statement(handle, query.sql)
        statements[key] = statement
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

    /// Runs statements that neither take parameters nor give rows.
    func execute(_ sql: String) throws(DocFSError) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        if status != SQLITE_OK { throw Statement.error(status, handle) }
    }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    var changedRows: Int { Int(sqlite3_changes(handle)) }
}
