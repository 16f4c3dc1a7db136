import Foundation
import Testing

@testable import DocFS

/// The log of a catalog whose process was killed: damage to it is told from a torn end.
@Suite struct CatalogLogTests {
    /// The files of a catalog that is open, as a killed process leaves them.
    private final class Remains {
        let directory = NSTemporaryDirectory() + "docfs-log-\(UUID().uuidString)"
        var path: String { directory + "/catalog" }
        var log: String { path + "-wal" }

        init() throws {
            let files = FileManager.default
            try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let living = try Catalog(path: directory + "/living")
            for number in 0..<20 {
                _ = try living.write { (write) throws(DocFSError) in
                    try write.addScope(named: "Scope \(number)", owner: 0, group: 0, at: .zero)
                }
            }
            for end in ["", "-wal", "-shm", "-open"] {
                try files.copyItem(atPath: directory + "/living" + end, toPath: path + end)
            }
            withExtendedLifetime(living) {}
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func flip(_ offset: UInt64, of file: String) throws {
            let handle = try #require(FileHandle(forUpdatingAtPath: file))
            try handle.seek(toOffset: offset)
            let byte = try #require(try handle.read(upToCount: 1)?.first)
            try handle.seek(toOffset: offset)
            try handle.write(contentsOf: Data([byte ^ 0x10]))
            try handle.close()
        }

        func logSize() throws -> UInt64 { try Posix.status(path: log).size }

        /// How many scopes there are.
        func open() throws -> Int {
            let catalog = try Catalog(path: path)
            return try catalog.read { (read) throws(DocFSError) in try read.scopes() }.count
        }
    }

    // S13
    @Test("What a killed process left is whole")
    func whole() throws {
        #expect(try Remains().open() == 20)
    }

    // S23
    @Test("A log that is cut, emptied, gone or flipped is damage", arguments: 0..<5)
    func damaged(_ kind: Int) throws {
        let remains = try Remains()
        let size = try remains.logSize()
        switch kind {
        case 0: truncate(remains.log, Int(size / 2))
        case 1: truncate(remains.log, 0)
        case 2: unlink(remains.log)
        case 3: try remains.flip(size / 2, of: remains.log)
        default: try remains.flip(9, of: remains.log)
        }
        #expect(throws: DocFSError.self) { try remains.open() }
    }

    // S13
    @Test("After another start of the system a log may end anywhere")
    func torn() throws {
        let remains = try Remains()
        try Data("another boot\n".utf8).write(to: URL(fileURLWithPath: remains.path + "-open"))
        truncate(remains.log, Int(try remains.logSize() / 2))
        #expect(try remains.open() < 20)
    }

    @Test("What follows the last commit, and an index that is damaged itself, say nothing")
    func harmless() throws {
        let longer = try Remains()
        let log = try #require(FileHandle(forUpdatingAtPath: longer.log))
        try log.seekToEnd()
        try log.write(contentsOf: Data(repeating: 0xA5, count: 5000))
        try log.close()
        #expect(try longer.open() == 20)
        let unknown = try Remains()
        try unknown.flip(17, of: unknown.path + "-shm")
        #expect(try unknown.open() == 20)
    }

    @Test("A catalog that was left in order may be looked at by others afterwards")
    func leftInOrder() throws {
        let path = NSTemporaryDirectory() + "docfs-left-\(UUID().uuidString)"
        defer {
            for end in ["", "-wal", "-shm", "-sealed", "-open"] { unlink(path + end) }
        }
        try Catalog(path: path).leave()
        #expect(access(path + "-open", F_OK) != 0)
        unlink(path + "-wal")
        #expect(throws: Never.self) { try Catalog(path: path) }
    }
}
