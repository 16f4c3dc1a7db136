import Foundation
import Testing

@testable import DocFS

/// What a transaction leaves behind.
struct TransactionTests {
    private func withCatalog(_ use: (Catalog, _ path: String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "docfs-transaction-\(UUID().uuidString)"
        defer {
            for suffix in ["", "-wal", "-shm", "-open"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try use(try Catalog(path: path), path)
    }

    @Test("A transaction that fails leaves nothing of what it did")
    func failed() throws {
        try withCatalog { (catalog, _) throws in
            #expect(throws: DocFSError.diskFull) {
                try catalog.write { (write) throws(DocFSError) in
                    _ = try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero)
                    throw .diskFull
                }
            }
            #expect(try catalog.read { (read) throws(DocFSError) in try read.scopes().isEmpty })
        }
    }

    @Test("Whether anything is on its way is known whatever fails, and after a start")
    func incoming() throws {
        try withCatalog { (catalog, path) throws in
            #expect(!catalog.hasIncoming)
            let entries = ["a", "b"].enumerated().map { index, name in
                IncomingEntry(
                    place: DiskPlace(device: 1, inode: 2, name: Name(name)), ino: Int64(index + 10))
            }
            func remove(_ entry: IncomingEntry) throws {
                try catalog.write { (write) throws(DocFSError) in
                    try write.removeIncoming(ino: entry.ino)
                }
            }
            try catalog.write { (write) throws(DocFSError) in
                for entry in entries { try write.addIncoming(entry) }
            }
            #expect(catalog.hasIncoming)
            // Who removes what others have removed takes nothing from the rest.
            for _ in 1...3 { try remove(entries[0]) }
            #expect(catalog.hasIncoming)
            #expect(try Catalog(path: path).hasIncoming)
            #expect(throws: DocFSError.diskFull) {
                try catalog.write { (write) throws(DocFSError) in
                    try write.removeIncoming(ino: entries[1].ino)
                    throw .diskFull
                }
            }
            #expect(catalog.hasIncoming)
            try remove(entries[1])
            #expect(!catalog.hasIncoming)
            #expect(throws: DocFSError.diskFull) {
                try catalog.write { (write) throws(DocFSError) in
                    try write.addIncoming(entries[0])
                    throw .diskFull
                }
            }
            #expect(!catalog.hasIncoming)
        }
    }
}
