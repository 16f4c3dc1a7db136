import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// A catalog that has lost its last entries meets the files of edits that it does not tell of.
@Suite struct LostTailTests {
    /// The bytes of all files that were put aside.
    private func aside(_ fixture: CloudFixture) throws -> [String] {
        let state = try Posix.open(path: fixture.path, flags: O_RDONLY | O_DIRECTORY)
        var found: [String] = []
        for lost in try DirectoryStream.names(at: state.number)
        where lost.bytes.starts(with: "lost-".utf8) {
            let contents = lost.bytes + Array("/contents".utf8)
            for part in try DirectoryStream.names(at: state.number, contents) {
                let folder = contents + [0x2F] + part.bytes
                for name in try DirectoryStream.names(at: state.number, folder) {
                    let file = try Posix.open(
                        at: state.number, folder + [0x2F] + name.bytes, flags: O_RDONLY)
                    found.append(String(decoding: try Posix.contents(of: file), as: UTF8.self))
                }
            }
        }
        return found.sorted()
    }

    private func sweep(_ fixture: CloudFixture) async throws -> [String] {
        let told = Told()
        fixture.contents.whenPutAside { aside in told.paths.withLock { $0.append(aside.path) } }
        try await CloudFixture.blocking {
            try fixture.contents.sweepFiles()
            try fixture.contents.sweepRows()
        }
        let found = try aside(fixture)
        #expect(told.paths.withLock(\.count) == found.count)
        return found
    }

    private final class Told: Sendable {
        let paths = Mutex<[String]>([])
    }

    // S13
    @Test("The sweep puts new documents aside, and edits of known ones")
    func swept() async throws {
        let first = try CloudFixture()
        try first.put("edited", "from the store")
        try first.acknowledge("edited")
        try first.put("same size", "one")
        try first.acknowledge("same size")
        try first.put("empty", "")
        try first.acknowledge("empty")
        try first.addPlaceholder("unread", Array("not here".utf8))
        let kept = try Kept(first)
        try first.put("new", "made here")
        try write(first, "edited", "edited here, and longer")
        try write(first, "same size", "two")
        try write(first, "empty", "not empty any more")
        try write(first, "unread", "written over")
        try kept.bringBack()
        let second = try CloudFixture(reopening: first, bodies: first.bodies)
        #expect(
            try await sweep(second) == [
                "edited here, and longer", "made here", "not empty any more", "two",
                "written over",
            ])
        #expect(try await second.text("edited") == "from the store")
        #expect(try await second.text("same size") == "one")
        #expect(try await second.text("empty") == "")
        #expect(try await second.text("unread") == "not here")
    }

    // S13
    @Test("Who opens a document before the sweep, or gets its number, removes no edit either")
    func opened() async throws {
        let first = try CloudFixture()
        try first.put("edited", "one")
        try first.acknowledge("edited")
        try first.addPlaceholder("unread", Array("not here".utf8))
        let kept = try Kept(first)
        try first.put("new", "made here")
        try write(first, "edited", "two")
        try write(first, "unread", "written over")
        try kept.bringBack()
        let second = try CloudFixture(reopening: first, bodies: first.bodies)
        #expect(try await second.text("edited") == "one")
        #expect(try await second.text("unread") == "not here")
        // Who reads a small document is answered before its file is made.
        try await eventually("here") { try second.row("unread").state == .current }
        try second.put("another", "with the number of the lost one")
        #expect(try aside(second) == ["made here", "two", "written over"])
        #expect(try await second.text("another") == "with the number of the lost one")
    }

    // S13
    @Test("A document that was deleted stays so, wherever the process died")
    func deleted() async throws {
        let first = try CloudFixture()
        try first.put("new", "made here")
        let row = try first.row("new")
        try first.catalog.write { (writer) throws(DocFSError) in try writer.delete(row.ino) }
        let second = try CloudFixture(reopening: first)
        #expect(try await sweep(second) == [])
        #expect(access(second.contentPath(row), F_OK) != 0)
    }

    // S13
    @Test("A label that was left behind is no edit")
    func acknowledged() async throws {
        let first = try CloudFixture()
        try first.put("sent", "one")
        try first.acknowledge("sent")
        let second = try CloudFixture(reopening: first, bodies: first.bodies)
        #expect(try await sweep(second) == [])
        #expect(try second.row("sent").state == .current)
    }

    // S6
    @Test("A file of another kind, or that may not be opened, is fetched anew")
    func notAFile() async throws {
        let first = try CloudFixture()
        let bytes = CloudFixture.bytes(3000)
        let row = try first.addPlaceholder("doc", bytes)
        #expect(try await first.readAll("doc") == bytes)
        try await eventually("current") { try first.row("doc").state == .current }
        let path = first.contentPath(row)
        unlink(path)
        mkdir(path, 0o700)
        let second = try CloudFixture(reopening: first, bodies: first.bodies)
        #expect(try await second.readAll("doc") == bytes)
        try await eventually("current") { try second.row("doc").state == .current }
        unlink(path)
        symlink("/etc/hostname", path)
        let third = try CloudFixture(reopening: first, bodies: first.bodies)
        #expect(try await third.readAll("doc") == bytes)
    }

    /// Cuts a document to nothing and writes it.
    private func write(_ fixture: CloudFixture, _ path: String, _ text: String) throws {
        let file = try fixture.open(path, O_WRONLY)
        try file.content?.setSize(0)
        try fixture.write(file, Array(text.utf8))
        try fixture.close(file)
    }
}
