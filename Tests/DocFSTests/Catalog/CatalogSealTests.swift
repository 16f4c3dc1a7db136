import Foundation
import TestSupport
import Testing

@testable import DocFS

/// A catalog that was left in order is not looked through at the next start, unless it changed.
@Suite struct CatalogSealTests {
    private let path = NSTemporaryDirectory() + "docfs-seal-\(UUID().uuidString)"

    @Test func whatWasLeftInOrderOpens() throws {
        defer { remove() }
        try fill()
        let catalog = try Catalog(path: path)
        let scopes = try catalog.read { (read) throws(DocFSError) in try read.scopes() }
        #expect(scopes.map(\.name) == ["Cloud"])
        #expect(!FileManager.default.fileExists(atPath: path + "-sealed"))
    }

    // S23
    @Test func damageSinceThenIsFound() throws {
        defer { remove() }
        try fill()
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 2 * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        #expect(throws: DocFSError.self) { _ = try Catalog(path: path) }
    }

    /// As `sqlite3` leaves what it has recovered.
    @Test func aCatalogWithoutALogGetsOne() throws {
        defer { remove() }
        try fill()
        let mode = try Connection(path, forWriting: true).first(
            Query("PRAGMA journal_mode = DELETE"), { _ in }, { $0.text() })
        #expect(mode == "delete")
        let catalog = try Catalog(path: path)
        let scopes = try catalog.read { (read) throws(DocFSError) in try read.scopes() }
        #expect(scopes.map(\.name) == ["Cloud"])
    }

    private func fill() throws {
        let catalog = try Catalog(path: path)
        _ = try catalog.write { (write) throws(DocFSError) in
            try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero)
        }
        try catalog.leave()
        #expect(FileManager.default.fileExists(atPath: path + "-sealed"))
    }

    private func remove() {
        for suffix in ["", "-wal", "-shm", "-sealed", "-open"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}
