internal import GRDB

/// The database's shape over time: one numbered file for each released schema.
enum CatalogSchema {
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
