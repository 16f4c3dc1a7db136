/// The database's shape over time: one numbered file for each released schema.
enum CatalogSchema {
    /// All of them, in the order of their release, with what makes each of the one before it.
    private static let versions = [
        ("v1", PackageResources.v1_sql), ("v2", PackageResources.v2_sql),
        ("v3", PackageResources.v3_sql), ("v4", PackageResources.v4_sql),
        ("v5", PackageResources.v5_sql), ("v6", PackageResources.v6_sql),
        ("v7", PackageResources.v7_sql), ("v8", PackageResources.v8_sql),
        ("v9", PackageResources.v9_sql), ("v10", PackageResources.v10_sql),
        ("v11", PackageResources.v11_sql),
    ]

    /// The table of the migrations that a database has had.
    ///
    /// GRDB made it in the first catalogs, which still open here, as ours open there.
    private static let makeTable = """
        CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
        """
    private static let applied = Query("SELECT identifier FROM grdb_migrations ORDER BY rowid")
    private static let note = Query("INSERT INTO grdb_migrations (identifier) VALUES (?)")

    private static let journalMode = Query("PRAGMA journal_mode")
    private static let makeLog = Query("PRAGMA journal_mode = WAL")

    /// Whether a database has today's schema, and a log; false as well where that cannot be told.
    static func isCurrent(_ connection: Connection) -> Bool {
        // Then it is migrated, which tells what is wrong.
        (try? connection.all(applied) { $0.text() }) == versions.map(\.0)
            && (try? connection.first(journalMode, { _ in }, { $0.text() })) == "wal"
    }

    /// Gives a database its log and today's schema, whatever it has of them.
    ///
    /// Each version is one transaction: a device that dies in between goes on from there.
    static func migrate(_ connection: Connection) throws(DocFSError) {
        guard try connection.first(makeLog, { _ in }, { $0.text() }) == "wal" else {
            throw .corrupt("catalog: it takes no write-ahead log")
        }
        try connection.execute(makeTable)
        let known = try connection.all(applied) { $0.text() }
        guard known.allSatisfy({ one in versions.contains { $0.0 == one } }) else {
            throw .corrupt("catalog: made by a newer version of DocFS")
        }
        for (name, sql) in versions where !known.contains(name) {
            try connection.begin(writing: true)
            do throws(DocFSError) {
                try connection.execute(String(decoding: sql, as: UTF8.self))
                try connection.run(note) { $0.bind(name) }
                try connection.commit()
            } catch {
                // Fails only where SQLite has done it already.
                try? connection.rollback()
                throw error
            }
        }
    }
}
