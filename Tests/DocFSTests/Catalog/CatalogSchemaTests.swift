import Foundation
import TestSupport
import Testing

@testable import DocFS

/// Catalogs of other versions: those that GRDB made, and those to come.
struct CatalogSchemaTests {
    /// How GRDB 7 writes its table of migrations.
    private static let table = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
        """
    private static let schema = String(decoding: PackageResources.v1_sql, as: UTF8.self)
    private static let tables = Query(
        "SELECT sql FROM sqlite_schema WHERE name = 'grdb_migrations'")

    /// Runs `body` with the path of a database that was made by `statements`, in WAL mode.
    private func with(_ statements: [String], _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "docfs-schema-\(UUID().uuidString)"
        defer {
            for suffix in ["", "-wal", "-shm", "-open"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try Data().write(to: URL(fileURLWithPath: path))
        try make(path, ["PRAGMA journal_mode = WAL"] + statements)
        try body(path)
    }

    private func make(_ path: String, _ statements: [String]) throws {
        let connection = try Connection(path, forWriting: true)
        for statement in statements { try connection.execute(statement) }
    }

    private func names(in catalog: Catalog) throws -> [String] {
        try catalog.read { (read) throws(DocFSError) in try read.scopes().map(\.name) }
    }

    @Test("A catalog that GRDB made opens with all that is in it")
    func madeByGRDB() throws {
        let rows = """
            INSERT INTO grdb_migrations VALUES ('v1');
            INSERT INTO scope (name, root) VALUES ('Cloud', 1)
            """
        try with([Self.table, Self.schema, rows]) { path in
            let catalog = try Catalog(path: path)
            #expect(try names(in: catalog) == ["Cloud"])
        }
    }

    @Test("The documents of a catalog that kept no count of them are counted")
    func madeWithoutTally() throws {
        let rows = """
            INSERT INTO grdb_migrations VALUES ('v1');
            INSERT INTO scope (name, root) VALUES ('Cloud', 1), ('Other', 2);
            INSERT INTO remote (scope, item, parent, name, kind, mode, mtime_s, mtime_n, size)
            VALUES (1, x'01', x'00', x'61', 1, 420, 0, 0, 0),
              (1, x'02', x'00', x'62', 2, 420, 0, 0, 0),
              (1, x'03', x'00', x'63', 3, 420, 0, 0, 0)
            """
        try with([Self.table, Self.schema, rows]) { path in
            let catalog = try Catalog(path: path)
            let counts = try catalog.read { (read) throws(DocFSError) in
                [try read.counts(scope: 1).documents, try read.counts(scope: 2).documents]
            }
            #expect(counts == [2, 0])
        }
    }

    @Test("The size of the body that a document is made of is filled in where it is known")
    func madeWithoutSourceSize() throws {
        let schemas = [
            PackageResources.v1_sql, PackageResources.v2_sql, PackageResources.v3_sql,
            PackageResources.v4_sql, PackageResources.v5_sql,
        ].map { String(decoding: $0, as: UTF8.self) }
        // Untouched; truncated, of a body that the container still has, and of one that it has not.
        let rows = """
            INSERT INTO grdb_migrations VALUES ('v1'), ('v2'), ('v3'), ('v4'), ('v5');
            INSERT INTO scope (name, root) VALUES ('Cloud', 1);
            INSERT INTO remote (scope, item, parent, name, kind, mode, mtime_s, mtime_n, size,
              digest)
            VALUES (1, x'0b', x'00', x'62', 1, 420, 0, 0, 9, x'bb');
            INSERT INTO local (ino, scope, item, mode, links, owner, grp, size, mtime_s, mtime_n,
              ctime_s, ctime_n, state, divergence, source_item, source_digest, wanted)
            VALUES (11, 1, x'0a', 33188, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0, x'0a', x'aa', 7),
              (12, 1, x'0b', 33188, 1, 0, 0, 2, 0, 0, 0, 0, 0, 1, x'0b', x'bb', 2),
              (13, 1, x'0b', 33188, 1, 0, 0, 2, 0, 0, 0, 0, 0, 1, x'0b', x'bc', 2)
            """
        let sizes = Query("SELECT source_size FROM local ORDER BY ino")
        try with([Self.table] + schemas + [rows]) { path in
            _ = try Catalog(path: path)
            let connection = try Connection(path, forWriting: false)
            #expect(try connection.all(sizes, { _ in }, { $0.optionalInt() }) == [7, 9, nil])
        }
    }

    @Test("What is to be put back still is when its table has another name")
    func madeWithUnkept() throws {
        let schemas = [
            PackageResources.v1_sql, PackageResources.v2_sql, PackageResources.v3_sql,
            PackageResources.v4_sql, PackageResources.v5_sql, PackageResources.v6_sql,
            PackageResources.v7_sql, PackageResources.v8_sql, PackageResources.v9_sql,
            PackageResources.v10_sql,
        ].map { String(decoding: $0, as: UTF8.self) }
        let rows = """
            INSERT INTO grdb_migrations VALUES ('v1'), ('v2'), ('v3'), ('v4'), ('v5'), ('v6'),
              ('v7'), ('v8'), ('v9'), ('v10');
            INSERT INTO scope (name, root) VALUES ('Cloud', 1);
            INSERT INTO unkept (scope, item, revision, path, directory, found_here)
            VALUES (1, x'0000000000000000000000000000000b', 'r', x'646f63', zeroblob(16), 1)
            """
        let item = ItemID(high: 0, low: 11)
        try with([Self.table] + schemas + [rows]) { path in
            let catalog = try Catalog(path: path)
            let body = try catalog.read { (read) throws(DocFSError) in
                try read.soleBody(of: item, at: Revision("r"), scope: 1)
            }
            let expected = SoleBody(
                item: item, revision: Revision("r"), path: "doc", directory: .root,
                isFoundHere: true)
            #expect(body == expected)
        }
    }

    @Test("A new catalog tells of its schema as GRDB does, so that earlier versions open it")
    func readByGRDB() throws {
        try with([]) { path in
            _ = try Catalog(path: path)
            let connection = try Connection(path, forWriting: false)
            #expect(CatalogSchema.isCurrent(connection))
            #expect(try connection.first(Self.tables, { _ in }, { $0.text() }) == Self.table)
        }
    }

    @Test("What died before its schema was there is given it")
    func cutShort() throws {
        for statements in [[], [Self.table]] {
            try with(statements) { path in
                let catalog = try Catalog(path: path)
                #expect(try names(in: catalog) == [])
            }
        }
    }

    @Test("A catalog of a later version is refused, and left as it is")
    func madeByALaterVersion() throws {
        let versions = "INSERT INTO grdb_migrations VALUES ('v1'), ('v2'), ('v1000')"
        try with([Self.table, Self.schema, versions]) { path in
            #expect(
                throws: DocFSError.corrupt("catalog: made by a newer version of DocFS")
            ) { _ = try Catalog(path: path) }
            #expect(throws: DocFSError.self) { _ = try Catalog(path: path) }
        }
    }

    @Test("A schema that cannot be made leaves nothing of itself")
    func failed() throws {
        // The name of a table of ours is taken.
        try with(["CREATE TABLE scope (id INTEGER)"]) { path in
            #expect(throws: DocFSError.self) { _ = try Catalog(path: path) }
            let connection = try Connection(path, forWriting: false)
            let applied = Query("SELECT count(*) FROM grdb_migrations")
            #expect(try connection.first(applied, { _ in }, { $0.int() }) == 0)
            let tables = Query("SELECT count(*) FROM sqlite_schema WHERE type = 'table'")
            #expect(try connection.first(tables, { _ in }, { $0.int() }) == 2)
        }
    }

    @Test("What is no database is damaged, what is a directory is not")
    func noDatabase() throws {
        let path = NSTemporaryDirectory() + "docfs-schema-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))
        do throws(DocFSError) {
            _ = try Catalog(path: path)
            Issue.record("it opens")
        } catch {
            guard case .corrupt = error else {
                Issue.record("\(error)")
                return
            }
        }
        do throws(DocFSError) {
            _ = try Connection(NSTemporaryDirectory(), forWriting: true)
            Issue.record("it opens")
        } catch {
            #expect(error == Posix.deviceFailure)
        }
    }
}
