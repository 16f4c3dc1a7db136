internal import CSQLite

/// One prepared SQL statement of one connection.
///
/// Used by one thread at a time.
///
/// Parameters are bound in order from 1, columns read in order from 0. Raw access, because a
/// lookup must cost less than the request that asks for it.
final class Statement {
    private let handle: OpaquePointer
    private var parameter: Int32 = 0
    private var column: Int32 = 0

    init(_ connection: OpaquePointer, _ sql: String) throws(DocFSError) {
        var handle: OpaquePointer?
        let status = sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard status == SQLITE_OK, let handle else {
            let error = Statement.error(status, connection)
            if case .corrupt(let words) = error { throw .corrupt("\(words) in \(sql)") }
            throw error
        }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Makes the statement ready for new parameters.
    func reset() {
        sqlite3_reset(handle)
        parameter = 0
        column = 0
    }

    func bind(_ value: Int64) {
        parameter += 1
        sqlite3_bind_int64(handle, parameter, value)
    }

    func bind(_ value: Int64?) {
        if let value { bind(value) } else { bindNull() }
    }

    func bindNull() {
        parameter += 1
        sqlite3_bind_null(handle, parameter)
    }

    func bind(_ bytes: [UInt8]) {
        parameter += 1
        let index = parameter
        _ = bytes.withUnsafeBytes { raw in
            // An empty array has no address; SQLite would take NULL for it.
            if let address = raw.baseAddress {
                sqlite3_bind_blob64(handle, index, address, UInt64(raw.count), transient)
            } else {
                sqlite3_bind_zeroblob(handle, index, 0)
            }
        }
    }

    func bind(_ bytes: [UInt8]?) {
        if let bytes { bind(bytes) } else { bindNull() }
    }

    /// Binds the 16 bytes of an identity.
    func bind<Subject>(_ identifier: Identifier<Subject>) {
        parameter += 1
        let index = parameter
        _ = identifier.withBytes { raw in
            sqlite3_bind_blob64(handle, index, raw.baseAddress, UInt64(raw.count), transient)
        }
    }

    func bind<Subject>(_ identifier: Identifier<Subject>?) {
        if let identifier { bind(identifier) } else { bindNull() }
    }

    func bind(_ text: String?) {
        parameter += 1
        if let text {
            sqlite3_bind_text(handle, parameter, text, -1, transient)
        } else {
            sqlite3_bind_null(handle, parameter)
        }
    }

    /// Advances to the next row; `false` at the end.
    func step() throws(DocFSError) -> Bool {
        column = 0
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw Statement.error(status, sqlite3_db_handle(handle))
        }
    }

    /// Runs a statement that has no rows.
    func run() throws(DocFSError) {
        while try step() {}
    }

    func int() -> Int64 {
        defer { column += 1 }
        return sqlite3_column_int64(handle, column)
    }

    func optionalInt() -> Int64? {
        defer { column += 1 }
        guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
        return sqlite3_column_int64(handle, column)
    }

    func bytes() -> [UInt8] { optionalBytes() ?? [] }

    func optionalBytes() -> [UInt8]? {
        defer { column += 1 }
        guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let address = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: address, count: count))
    }

    /// An identity; `nil` for NULL, and for what is none.
    func identifier<Subject>(_: Identifier<Subject>.Type) -> Identifier<Subject>? {
        defer { column += 1 }
        guard let address = sqlite3_column_blob(handle, column),
            sqlite3_column_bytes(handle, column) == 16
        else { return nil }
        return Identifier(
            high: UInt64(bigEndian: address.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: address.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    func text() -> String? {
        defer { column += 1 }
        guard let address = sqlite3_column_text(handle, column) else { return nil }
        return String(cString: address)
    }

    /// What a failing SQLite call means: only damage to the file counts as such, since a damaged
    /// catalog is put aside.
    static func error(_ status: Int32, _ connection: OpaquePointer?) -> DocFSError {
        switch status & 0xFF {
        case SQLITE_FULL: .diskFull
        case SQLITE_CONSTRAINT: .exists
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_READONLY: .readOnly
        case SQLITE_PERM, SQLITE_AUTH: .accessDenied
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOMEM: Posix.deviceFailure
        default: .corrupt("catalog: \(String(cString: sqlite3_errmsg(connection)))")
        }
    }

    /// Tells SQLite to copy what is bound.
    private var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}
