internal import Foundation
internal import Synchronization
import TestSupport
internal import Testing

@testable import DocFS

/// `.docfs/items`.
struct ItemsTests {
    private struct Line: Decodable {
        var path: String
        var isEncoded: Bool
        var type: String
        var size: Int
        var modified: String
        var id: String
        var download: String
        var downloadPercent: Int
        var isDownloading: Bool
        var upload: String
        var state: [String]
        var conflicts: Int
        var pin: String
        var error: String
    }

    private func lines(_ fixture: ControlFixture, below ino: Int64, _ pattern: Name = "*") throws
        -> [Line]
    {
        let path = ItemPath(["items", Name("\(ino)"), pattern])
        return try fixture.read(path).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test("S29: a directory's items come in the order of names, directories before their own")
    func order() throws {
        let fixture = try ControlFixture()
        let directory = try fixture.addDirectory("b")
        let deep = try fixture.addDirectory("deep", to: directory)
        // More than a page, on two levels.
        for index in 0..<600 {
            try fixture.add(Name("\(1000 + index)"), to: directory)
            try fixture.add(Name("x\(1000 + index)"), to: deep)
        }
        try fixture.add("c")
        try fixture.add("a")
        let inDeep = (0..<600).map { "x\(1000 + $0)" }
        let inDirectory =
            (0..<600).map { "\(1000 + $0)" } + ["deep"] + inDeep.map { "deep/" + $0 }
        #expect(
            try lines(fixture, below: fixture.scope.root).map(\.path)
                == ["a", "b"] + inDirectory.map { "b/" + $0 } + ["c"])
        #expect(try lines(fixture, below: directory.ino).map(\.path) == inDirectory)
        #expect(try lines(fixture, below: deep.ino).map(\.path) == inDeep)
    }

    @Test("S29: of a pattern only the star means something else than itself")
    func patterns() throws {
        let fixture = try ControlFixture()
        let directory = try fixture.addDirectory("d")
        for name: Name in ["a?b", "axb", "[a]", "a", Name([0xFF, 0x2E, 0x61])] {
            try fixture.add(name, to: directory)
        }
        func found(_ pattern: Name) throws -> [String] {
            try lines(fixture, below: fixture.scope.root, pattern).map(\.path)
        }
        #expect(try found("a?b") == ["d/a?b"])
        #expect(try found("a*b") == ["d/a?b", "d/axb"])
        #expect(try found("[a]") == ["d/[a]"])
        #expect(try found("*.a") == ["d/%FF.a"])
        #expect(try found("d") == ["d"])
        #expect(try found("D").isEmpty)
    }

    @Test("S29: a line says what the attributes say, whatever has become of the document")
    func facts() throws {
        let fixture = try ControlFixture()
        let plain = try fixture.add("plain") { $0.size = 12 }
        let placeholder = try fixture.add("placeholder") { $0.state = .none }
        let edited = try fixture.add("edited") { $0.divergence = .written }
        let new = try fixture.add("new", isAgreed: false)
        try fixture.catalog.write { (write) throws(DocFSError) in
            try write.markPending(new.item, scope: new.scope)
        }
        let scratch = try fixture.add("scratch", isAgreed: false) { $0.isExcluded = true }
        let pipe = try fixture.add("pipe", mode: 0o010600)
        let failed = try fixture.add("failed") {
            $0.divergence = .written
            $0.error = "the store is full"
        }
        let document = try fixture.add("document") { $0.pin = .pinned }
        let sibling = try fixture.add("sibling") { $0.conflictOf = ConflictMark(of: document.item) }
        let open = try fixture.add("open") { $0.isUnflushed = true }
        let directory = try fixture.addDirectory("directory")
        let moment = Timestamp(seconds: 1_700_000_001, nanoseconds: 7)
        fixture.documents.state.withLock {
            $0.contents[placeholder.ino] = (.partial, 40)
            $0.open.insert(open.ino)
            $0.unrecorded[open.ino] = (99, moment)
        }
        let rows = [
            plain, placeholder, edited, new, scratch, pipe, failed, document, sibling, open,
            directory,
        ]
        let lines = try lines(fixture, below: fixture.scope.root)
        #expect(lines.count == rows.count)
        for row in rows {
            let line = try #require(lines.first { $0.path == row.name.description })
            func attribute(_ name: String) throws -> String {
                String(
                    decoding: try fixture.control.documentAttribute(
                        "user.docfs." + name, of: FileNumber(UInt64(row.ino))), as: UTF8.self)
            }
            #expect(try line.id == attribute("id"))
            #expect(try line.download == attribute("download"))
            #expect(try "\(line.downloadPercent)" == attribute("download.percent"))
            #expect(try "\(line.isDownloading)" == attribute("downloading"))
            #expect(try line.upload == attribute("upload"), "\(row.name)")
            #expect(try line.state.joined(separator: ",") == attribute("state"))
            #expect(try "\(line.conflicts)" == attribute("conflicts"))
            #expect(try line.pin == attribute("pin"))
            #expect(try line.error == attribute("error"))
        }
        #expect(lines.first { $0.path == "plain" }?.size == 12)
        #expect(lines.first { $0.path == "pipe" }?.type == "special")
        let written = lines.first { $0.path == "open" }
        #expect(written?.size == 99)
        #expect(written?.modified == "2023-11-14T22:13:21.000000007Z")
    }

    @Test("S29: only directories that are shown can be asked about, by their numbers, by the owner")
    func places() throws {
        let fixture = try ControlFixture()
        let directory = try fixture.addDirectory("directory")
        let document = try fixture.add("document")
        let path = ItemPath("items/\(directory.ino)")
        let all = ItemPath(path.components + ["*"])
        #expect(try fixture.list("items") == [Name("\(fixture.scope.root)")])
        #expect(try fixture.list(path) == ["*"])
        #expect(try fixture.stat("items").mode & 0o777 == 0o500)
        #expect(try fixture.stat(path).mode & 0o777 == 0o500)
        let list = try fixture.stat(all)
        #expect(list.mode & 0o777 == 0o400)
        #expect(list.owner == 7)
        for name in ["\(document.ino)", "0\(directory.ino)", "+\(directory.ino)", "x", "999"] {
            #expect(try fixture.find(ItemPath("items/\(name)")) == nil)
        }
        #expect(throws: DocFSError.isDirectory) { try fixture.open("items") }
        let file = try fixture.open(all)
        #expect(throws: DocFSError.invalidArgument) {
            try fixture.control.read(file, at: 7, length: 10, isNonBlocking: false)
        }
    }
}
