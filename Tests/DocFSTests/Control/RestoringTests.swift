internal import Testing

@testable import DocFS

/// `mv` out of the trash.
struct RestoringTests {
    private let fixture: ControlFixture

    init() throws { fixture = try ControlFixture() }

    private func isPending(_ item: ItemID) throws -> Bool {
        let scope = fixture.scope.id
        return try fixture.catalog.read { (read) throws(DocFSError) in
            try read.isPending(item, scope: scope)
        }
    }

    @Test("S19: a restored document is a placeholder under its identity, its body in the trash")
    func document() throws {
        let record = try fixture.addTrash("old/a.txt", size: 1234, mode: 0o604)
        let number = try fixture.stat("trash/Cloud/old/a.txt").number
        try fixture.restore("trash/Cloud/old/a.txt", as: "b.txt")
        let row = try #require(try fixture.row("b.txt"))
        #expect(row.item == record.item)
        #expect(row.state == .none && row.divergence == .stored && row.basis == nil)
        #expect(row.sourceItem == record.item && row.sourceRevision == Revision("deleted"))
        #expect(row.size == 1234 && row.wanted == 1234)
        #expect(row.mode == LocalItem.typeFile | 0o604 && row.metadata == record.metadata)
        #expect(row.owner == 7 && row.group == 8)
        #expect(row.changed == ControlFixture.now && !row.isExcluded && row.conflictOf == nil)
        #expect(try isPending(record.item))
        #expect(fixture.kernel.renumbered == [number: FileNumber(UInt64(row.ino))])
        #expect(fixture.documents.calls == ["retain \(row.ino)"])
        #expect(try fixture.list("trash/Cloud") == [])
        #expect(throws: DocFSError.stale) { try fixture.control.attributes(of: number) }
    }

    @Test("S19: what is restored is planned as a creation from a stored body")
    func plan() throws {
        let record = try fixture.addTrash("a", size: 1234)
        try fixture.restore("trash/Cloud/a", as: "a")
        let row = try #require(try fixture.row("a"))
        let view = LocalView(
            parent: .root, name: row.name, metadata: row.metadata, kind: .file,
            bytes: .changed(digest: row.sourceDigest, size: row.size), basis: row.basis)
        #expect(Planner.step(local: view, base: nil, remote: nil) == .create)
        #expect(row.item == record.item)
    }

    @Test("Empty documents are here at once; links keep their targets; directories their modes")
    func kinds() throws {
        try fixture.addTrash("empty", size: 0)
        try fixture.addTrash("link", .symlink(target: [0x2F, 0x61], revision: Revision("s")))
        try fixture.addTrash("dir", .directory, mode: 0o711)
        for name in ["empty", "link", "dir"] as [Name] {
            try fixture.restore(ItemPath(["trash", "Cloud", name]), as: name)
        }
        #expect(try fixture.row("empty")?.state == .current)
        let link = try #require(try fixture.row("link"))
        #expect(link.isSymlink && link.target == [0x2F, 0x61] && link.size == 2)
        #expect(link.divergence == .written)
        let directory = try #require(try fixture.row("dir"))
        #expect(directory.isDirectory && directory.mode & 0o777 == 0o711 && directory.links == 2)
        #expect(try fixture.row(fixture.scope.root).links == 3)
    }

    @Test("S24: a directory is restored with all that the trash shows in it")
    func tree() throws {
        let home = try fixture.addDirectory("home")
        let top = try fixture.addTrash("dir", .directory, mode: 0o750)
        let sub = try fixture.addTrash("dir/sub", .directory)
        let document = try fixture.addTrash("dir/sub/a")
        try fixture.addTrash("dir/sub/twice", size: 1, recorded: 1_650_000_000)
        try fixture.addTrash("dir/sub/twice", size: 2, recorded: 1_650_000_001)
        try fixture.addTrash("dir/made/b")
        try fixture.addTrash("dir2")
        let known = try fixture.stat("trash/Cloud/dir/sub/a").number
        try fixture.restore("trash/Cloud/dir", as: "back", in: home.ino)
        #expect(try fixture.row("home/back")?.item == top.item)
        #expect(try fixture.row("home/back")?.links == 4)
        #expect(try fixture.row("home/back/sub")?.item == sub.item)
        #expect(try fixture.row("home/back/sub/a")?.item == document.item)
        #expect(
            try fixture.row("home/back/sub/twice (deleted 2022-04-15 05.20.01)")?.size == 2)
        #expect(try fixture.row("home/back/made/b")?.state == ContentState.none)
        #expect(try fixture.row("home")?.links == 3)
        for path in ["home", "home/back", "home/back/sub/a", "home/back/made"] as [ItemPath] {
            let row = try #require(try fixture.row(path))
            #expect(try isPending(row.item), "\(path)")
        }
        let row = try #require(try fixture.row("home/back/sub/a"))
        #expect(fixture.kernel.renumbered[known] == FileNumber(UInt64(row.ino)))
        #expect(try fixture.list("trash/Cloud") == ["dir2"])
    }

    @Test("A taken name is refused without a word of replacing it, and nothing happens")
    func taken() throws {
        let document = try fixture.add("a")
        try fixture.addTrash("a")
        #expect(throws: DocFSError.exists) { try fixture.restore("trash/Cloud/a", as: "a") }
        #expect(try fixture.row("a") == document)
        #expect(try fixture.list("trash/Cloud") == ["a"])
        #expect(fixture.kernel.renumbered.isEmpty)
    }

    @Test("S25: restored over a document, a body becomes the next version of that document")
    func replaces() throws {
        let document = try fixture.add("a") { $0.generation = 7 }
        let record = try fixture.addTrash("b", size: 99)
        try fixture.restore("trash/Cloud/b", as: "a", isReplacing: true)
        let row = try #require(try fixture.row("a"))
        #expect(row.ino != document.ino && row.item == document.item)
        #expect(row.basis == Revision("r1") && row.divergence == .stored && row.size == 99)
        #expect(row.sourceItem == record.item && row.generation > 7)
        let old = try fixture.row(document.ino)
        #expect(old.parent == nil && old.links == 0)
        #expect(fixture.documents.calls.contains("unlinked \(document.ino)"))
    }

    @Test("Restored over what the store never had, a document keeps its own identity")
    func replacesUnsent() throws {
        let document = try fixture.add("a", isAgreed: false) { $0.basis = nil }
        let record = try fixture.addTrash("b")
        try fixture.restore("trash/Cloud/b", as: "a", isReplacing: true)
        #expect(try fixture.row("a")?.item == record.item)
        #expect(try isPending(document.item))
    }

    @Test("Directories and documents do not replace each other, full directories nothing")
    func kindsClash() throws {
        let directory = try fixture.addDirectory("dir")
        try fixture.add("in it", to: directory)
        try fixture.add("doc")
        try fixture.addTrash("d", .directory)
        try fixture.addTrash("f")
        #expect(throws: DocFSError.notEmpty) {
            try fixture.restore("trash/Cloud/d", as: "dir", isReplacing: true)
        }
        #expect(throws: DocFSError.notDirectory) {
            try fixture.restore("trash/Cloud/d", as: "doc", isReplacing: true)
        }
        #expect(throws: DocFSError.isDirectory) {
            try fixture.restore("trash/Cloud/f", as: "dir", isReplacing: true)
        }
        let empty = try fixture.addDirectory("empty")
        try fixture.restore("trash/Cloud/d", as: "empty", isReplacing: true)
        #expect(try fixture.row(empty.ino).parent == nil)
        // One directory took the place of another.
        #expect(try fixture.row(fixture.scope.root).links == 2)
    }

    @Test("Only into the scope that it was deleted from, and only by a move out of its trash")
    func refusals() throws {
        let directory = try fixture.addDirectory("dir")
        let document = try fixture.add("doc")
        try fixture.addTrash("a")
        let source = try fixture.stat("trash/Cloud").number
        func move(_ name: Name, from parent: FileNumber, to target: UInt64, as newName: Name)
            throws
        {
            try fixture.control.restore(
                name, in: parent, as: newName, in: FileNumber(target), isReplacing: false,
                caller: fixture.me)
        }
        let home = UInt64(directory.ino)
        #expect(throws: DocFSError.notPermitted) {
            try move("a", from: source, to: FileNumber.firstLocal + 1, as: "a")
        }
        #expect(throws: DocFSError.notPermitted) {
            try move("Cloud", from: try fixture.stat("trash").number, to: home, as: "a")
        }
        #expect(throws: DocFSError.notPermitted) {
            try move("status", from: try fixture.stat(.root).number, to: home, as: "a")
        }
        #expect(throws: DocFSError.notPermitted) {
            try move("a", from: source, to: UInt64(fixture.scope.root), as: ".docfs")
        }
        #expect(throws: DocFSError.notFound) { try move("b", from: source, to: home, as: "a") }
        #expect(throws: DocFSError.notFound) { try move("a", from: source, to: 9999, as: "a") }
        #expect(throws: DocFSError.notDirectory) {
            try move("a", from: source, to: UInt64(document.ino), as: "a")
        }
        #expect(throws: DocFSError.invalidArgument) {
            try move("a", from: source, to: home, as: "..")
        }
        try change(directory) { $0.isDeparting = true }
        #expect(throws: DocFSError.busy) { try move("a", from: source, to: home, as: "a") }
        #expect(try fixture.list("trash/Cloud") == ["a"])
    }

    @Test("S15: in a directory that stays on this device the document stays here too")
    func excluded() throws {
        let directory = try fixture.addDirectory("dir")
        try change(directory) { $0.isExcluded = true }
        let record = try fixture.addTrash("a")
        try fixture.restore("trash/Cloud/a", as: "a", in: directory.ino)
        let row = try #require(try fixture.row("dir/a"))
        #expect(row.isExcluded && row.item != record.item && row.sourceItem == record.item)
        #expect(try !isPending(row.item))
        #expect(fixture.documents.calls.contains("hydrate \(row.ino)"))
        #expect(try fixture.list("trash/Cloud") == ["a"])
    }

    private func change(_ row: LocalItem, _ change: (inout LocalItem) -> Void) throws {
        var row = try fixture.row(row.ino)
        change(&row)
        let changed = row
        try fixture.catalog.write { (write) throws(DocFSError) in try write.update(changed) }
    }
}
