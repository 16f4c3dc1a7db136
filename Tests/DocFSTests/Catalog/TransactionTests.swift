import Foundation
import Testing

@testable import DocFS

/// What a transaction leaves behind.
struct TransactionTests {
    @Test("A transaction that fails leaves nothing of what it did")
    func failed() throws {
        let path = NSTemporaryDirectory() + "docfs-transaction-\(UUID().uuidString)"
        defer {
            for suffix in ["", "-wal", "-shm", "-open"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let catalog = try Catalog(path: path)
        #expect(throws: DocFSError.diskFull) {
            try catalog.write { (write) throws(DocFSError) in
                _ = try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero)
                throw .diskFull
            }
        }
        #expect(try catalog.read { (read) throws(DocFSError) in try read.scopes().isEmpty })
    }
}
