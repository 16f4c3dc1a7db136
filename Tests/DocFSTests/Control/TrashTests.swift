internal import Testing

@testable import DocFS

/// `trash`: what was deleted, by the path that it had.
struct TrashTests {
    private let fixture: ControlFixture

    init() throws { fixture = try ControlFixture() }

    @Test("Deleted documents are at the paths that they had, in directories made for them")
    func tree() throws {
        try fixture.addTrash("dir/sub/a.txt", size: 9)
        try fixture.addTrash("dir/sub2/b")
        try fixture.addTrash("dir/sub/link", .symlink(target: [0x61], revision: Revision("s")))
        try fixture.addTrash("top")
        #expect(try fixture.list("trash") == ["Cloud"])
        #expect(try fixture.list("trash/Cloud") == ["dir", "top"])
        #expect(try fixture.list("trash/Cloud/dir") == ["sub", "sub2"])
        #expect(try fixture.list("trash/Cloud/dir/sub") == ["a.txt", "link"])
        let document = try fixture.stat("trash/Cloud/dir/sub/a.txt")
        #expect(document.size == 9 && document.mode == LocalItem.typeFile | 0o640)
        #expect(document.modified == Timestamp(seconds: 1_500_000_000, nanoseconds: 9))
        #expect(document.owner == 7 && document.group == 8)
        let link = try fixture.stat("trash/Cloud/dir/sub/link")
        #expect(try fixture.control.readLink(link.number) == [0x61])
        #expect(link.size == 1)
        #expect(try fixture.find("trash/Cloud/di") == nil)
        #expect(try fixture.find("trash/Cloud/dir/sub/a.tx") == nil)
        #expect(throws: DocFSError.notDirectory) {
            try fixture.find("trash/Cloud/dir/sub/a.txt/x")
        }
    }

    @Test("Names that sort between a directory and what is in it hide nothing")
    func order() throws {
        // Space, `-` and `.` come before `/`, `0` after it.
        for name in ["d", "d ", "d-1", "d.x", "d0", "d/b", "d/a", "d /c", "e"] {
            try fixture.addTrash(ItemPath(name), name == "d" || name == "d " ? .directory : nil)
        }
        #expect(try fixture.list("trash/Cloud") == ["d", "d ", "d-1", "d.x", "d0", "e"])
        #expect(try fixture.list("trash/Cloud/d") == ["a", "b"])
        #expect(try fixture.list("trash/Cloud/d ") == ["c"])
    }

    @Test("A deleted directory shows its own mode and time, one that lives on the living one's")
    func directories() throws {
        try fixture.addTrash("gone", .directory, mode: 0o711)
        try fixture.addTrash("gone/a")
        let live = try fixture.addDirectory("live")
        try fixture.addTrash("live/b")
        try fixture.addTrash("unknown/c")
        let gone = try fixture.stat("trash/Cloud/gone")
        #expect(gone.mode == LocalItem.typeDirectory | 0o711)
        #expect(gone.modified == Timestamp(seconds: 1_500_000_000, nanoseconds: 9))
        let shown = try fixture.stat("trash/Cloud/live")
        #expect(shown.mode == LocalItem.typeDirectory | 0o750)
        #expect(shown.modified == live.modified)
        #expect(
            try fixture.stat("trash/Cloud/unknown").mode == LocalItem.typeDirectory | 0o700)
    }

    @Test("Several documents of one path are told apart by when they were deleted")
    func samePath() throws {
        try fixture.addTrash("a.tar.gz", size: 1, recorded: 1_650_000_000)
        try fixture.addTrash("a.tar.gz", size: 2, recorded: 1_650_000_000)
        try fixture.addTrash("a.tar.gz", size: 3, recorded: 1_650_000_060)
        try fixture.addTrash("d", size: 4)
        try fixture.addTrash("d/x")
        let names: [Name] = [
            "a (deleted 2022-04-15 05.20.00 2).tar.gz", "a (deleted 2022-04-15 05.20.00).tar.gz",
            "a (deleted 2022-04-15 05.21.00).tar.gz", "d", "d (deleted 2022-04-15 05.20.00)",
        ]
        #expect(try fixture.list("trash/Cloud") == names)
        #expect(try fixture.find("trash/Cloud/a.tar.gz") == nil)
        #expect(try fixture.stat(ItemPath(["trash", "Cloud", names[2]])).size == 3)
        #expect(try fixture.stat(ItemPath(["trash", "Cloud", names[4]])).size == 4)
        for name in names {
            #expect(try fixture.find(ItemPath(["trash", "Cloud", name])) != nil)
        }
        #expect(try fixture.find("trash/Cloud/b (deleted 2022-04-15 05.20.00)") == nil)
    }

    @Test("S30: names are bytes, up to 255 of them")
    func names() throws {
        let long = Name([UInt8](repeating: 0xC3, count: 250) + Array(".text".utf8))
        try fixture.addTrash(ItemPath([long]), recorded: 1)
        try fixture.addTrash(ItemPath([long]), recorded: 2)
        try fixture.addTrash(ItemPath([Name([0xFF, 0xFF])]))
        let names = try fixture.list("trash/Cloud")
        #expect(names.count == 3)
        #expect(names.allSatisfy { $0.isValid })
        for name in names {
            #expect(try fixture.find(ItemPath(["trash", "Cloud", name])) != nil)
        }
    }

    @Test("What is shown in the scope again is not in the trash, nor what was only above it")
    func hidden() throws {
        let record = try fixture.addTrash("dir/a")
        try fixture.add("back", isAgreed: false) { $0.item = record.item }
        #expect(try fixture.list("trash/Cloud") == [])
        #expect(try fixture.find("trash/Cloud/dir") == nil)
    }

    @Test("A deleted document is read like an earlier version; an empty one asks nobody")
    func reads() throws {
        try fixture.addTrash("empty", size: 0)
        try fixture.addTrash("full", size: 3)
        #expect(try fixture.read("trash/Cloud/empty") == "")
        let file = try fixture.open("trash/Cloud/full")
        guard
            case .waiting = try fixture.control.read(
                file, at: 0, length: 3, isNonBlocking: false)
        else {
            Issue.record("the bytes were here")
            return
        }
        fixture.control.close(file)
    }

    @Test("Tens of thousands of deleted documents are listed and looked up one by one")
    func many() throws {
        let scope = fixture.scope.id
        try fixture.catalog.write { (write) throws(DocFSError) in
            for index in 0..<30_000 {
                let body = Body(size: 1, digest: nil, revision: Revision("r"))
                try write.addTrash(
                    TrashRecord(
                        operation: OperationID(high: 2, low: UInt64(index)),
                        item: ItemID(high: 3, low: UInt64(index)),
                        path: ItemPath("deep/\(index / 100)/document \(index)"),
                        place: .root, metadata: Metadata(mode: 0o600, modified: .zero),
                        content: .file(body), recorded: 0), scope: scope)
            }
        }
        #expect(try fixture.list("trash/Cloud/deep").count == 300)
        for index in stride(from: 0, to: 30_000, by: 97) {
            let path = ItemPath("trash/Cloud/deep/\(index / 100)/document \(index)")
            #expect(try fixture.stat(path).size == 1)
        }
    }
}
