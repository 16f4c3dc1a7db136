internal import GRDB

/// The database's shape over time: one numbered file for each released schema.
enum CatalogSchema {
    /// All of them, in the order of their release.
    private static let versions = ["v1"]
    /// GRDB's own table of the migrations that a database has had.
    private static let applied = Query("SELECT identifier FROM grdb_migrations ORDER BY rowid")

    private static let journalMode = Query("PRAGMA journal_mode")

    /// Whether a database has today's schema, and a log; false as well where that cannot be told.
    static func isCurrent(_ connection: Connection) -> Bool {
        (try? connection.all(applied) { $0.text() }) == versions
            && (try? connection.first(journalMode, { _ in }, { $0.text() })) == "wal"
    }

    static func migrate(_ writer: DatabaseQueue) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            try database.execute(sql: String(decoding: PackageResources.v1_sql, as: UTF8.self))
        }
        if try writer.read({ try migrator.hasBeenSuperseded($0) }) {
            throw DocFSError.corrupt("catalog: made by a newer version of DocFS")
        }
        try migrator.migrate(writer)
    }
}
