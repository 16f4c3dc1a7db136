import Foundation
import TestSupport
import Testing

@testable import DocFS

/// Tables that nearly always are empty are looked into when they are not.
struct SparseTableTests {
    private func withPath(_ use: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "docfs-sparse-\(UUID().uuidString)"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        defer {
            for suffix in ["", "-wal", "-shm", "-open"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try use(path)
    }

    @Test("What a transaction, another one or another connection inserts is found, and removed")
    func isFound() throws {
        try withPath { path in
            let connection = try Connection(path, forWriting: true)
            try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE trash (item INTEGER)")
            let insert = Query("INSERT INTO trash (item) VALUES (1)")
            let find = Query("SELECT item FROM trash", in: .trash)
            let remove = Query("DELETE FROM trash", in: .trash)
            func found(_ connection: Connection) throws -> Int {
                try connection.all(find) { $0.int() }.count
            }
            try connection.begin(writing: true)
            #expect(try found(connection) == 0)
            try connection.run(insert)
            #expect(try found(connection) == 1)
            try connection.run(remove)
            #expect(try found(connection) == 0)
            try connection.run(insert)
            try connection.rollback()
            #expect(try found(connection) == 0)

            let other = try Connection(path, forWriting: false)
            try other.begin(writing: false)
            #expect(try found(other) == 0)
            try connection.run(insert)
            // It sees the moment at which it began.
            #expect(try found(other) == 0)
            try other.commit()
            #expect(try found(other) == 1)
            try other.begin(writing: false)
            #expect(try found(other) == 1)
            try other.commit()

            try connection.begin(writing: true)
            try connection.run(remove)
            try connection.commit()
            #expect(try found(other) == 0)
        }
    }

    @Test("A statement may fill every table that it names, unless it only selects or deletes")
    func fillers() {
        for table in SparseTable.allCases {
            for text in ["insert or replace into ", "INSERT\nINTO main.\"", "UPDATE "] {
                #expect(SparseTable.filled(by: text + table.name + "\" (scope)") == [table])
            }
            for text in ["SELECT 1 FROM ", "DELETE FROM "] {
                #expect(SparseTable.filled(by: text + table.name).isEmpty)
            }
        }
        #expect(SparseTable.filled(by: "INSERT INTO trashed (item) VALUES (1)").isEmpty)
        #expect(SparseTable.filled(by: "").isEmpty)
    }

    @Test("All that the catalog writes into one is found in the same transaction, and then removed")
    func writers() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        try device.write("doc", "text")
        let (item, scope) = (ItemID(high: 0, low: 1), device.scope.id)
        let operation = OperationID(high: 0, low: 2)
        let answers = try device.catalog.write { (write) throws(DocFSError) in
            let read = write.read
            guard var row = try read.child("doc", of: device.scope.root) else { throw .notFound }
            row.conflictOf = ConflictMark(of: item, madeFrom: nil)
            (row.basis, row.divergence) = (Revision("r"), .none)
            try write.update(row)
            func isThere() throws(DocFSError) -> [Bool] {
                [
                    try !read.choice(for: item, scope: scope).isEmpty,
                    try read.handover(of: item, scope: scope) != nil,
                    try read.journalled(operation) != nil,
                    try read.isJournalled(item, scope: scope),
                    try read.leftover(at: "left", scope: scope) != nil,
                    try read.lodging(of: item, scope: scope) != nil,
                    try read.lodger(at: "lodging", scope: scope) != nil,
                    try read.standIn(for: item, scope: scope) != nil,
                    try read.standIn(by: item, scope: scope) != nil,
                    try !read.trash(of: item, scope: scope).isEmpty,
                ]
            }
            let before = try isThere()
            try write.addChoice(for: item, scope: scope)
            try write.addHandover(of: item, scope: scope, to: nil)
            try write.addJournal(
                JournalEntry(operation: operation, scope: scope, item: item, effect: []))
            try write.addLeftover(Leftover(place: "left", revision: nil), scope: scope)
            try write.setLodging(of: item, scope: scope, to: "lodging")
            try write.setStandIn(
                StandIn(document: item, sibling: item, ino: row.ino), scope: scope)
            let trash = TrashRecord(
                operation: operation, item: item, path: "doc", place: "place",
                metadata: Metadata(mode: 0o644, modified: .zero), content: .directory, recorded: 0)
            try write.addTrash(trash, scope: scope)
            let between = try isThere()
            try write.removeChoice(for: item, scope: scope)
            try write.removeHandover(of: item, scope: scope)
            try write.removeJournal(operation)
            try write.removeLeftover(at: "left", scope: scope)
            try write.setLodging(of: item, scope: scope, to: nil)
            try write.removeStandIn(for: item, scope: scope)
            try write.removeTrash(trash, scope: scope)
            return [before, between, try isThere()]
        }
        #expect(answers.map { Set($0) } == [[false], [true], [false]])
    }

    @Test("Every table is in the catalog, and no trigger fills one")
    func schema() throws {
        try withPath { path in
            _ = try Catalog(path: path)
            let connection = try Connection(path, forWriting: false)
            let triggers = try connection.all(
                Query("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
            ) { $0.text() ?? "" }
            #expect(!triggers.isEmpty)
            for sql in triggers {
                for table in SparseTable.allCases {
                    let words = sql.lowercased().components(separatedBy: "into \(table.name)")
                    #expect(words.count == 1, "\(sql)")
                }
            }
            let tables = try connection.all(
                Query("SELECT name FROM sqlite_master WHERE type = 'table'")
            ) { $0.text() ?? "" }
            #expect(Set(tables).isSuperset(of: SparseTable.allCases.map(\.name)))
        }
    }
}
