import Glibc
import TestSupport
import Testing

@testable import DocFS

/// S14, S15: whose identity a name has after a rename, and what lives on this device only.
@Suite struct CloudIdentityTests {
    private let fixture: CloudFixture

    init() throws { fixture = try CloudFixture() }

    private func rename(_ old: String, _ new: String, _ mode: RenameMode = .replace) throws {
        func split(_ path: String) throws -> (Name, FileNumber) {
            let components = path.split(separator: "/").map(String.init)
            return (
                Name(components.last!),
                try fixture.number(components.dropLast().joined(separator: "/"))
            )
        }
        let (name, parent) = try split(old)
        let (newName, newParent) = try split(new)
        try fixture.scope.rename(
            name, in: parent, to: newName, in: newParent, mode: mode, caller: fixture.me)
    }

    private func makeDirectory(_ name: String) throws {
        _ = try fixture.scope.makeDirectory(
            Name(name), in: fixture.scope.root, mode: 0o755, caller: fixture.me)
    }

    @Test("A temporary that is renamed over a stored document is its next version")
    func temporary() async throws {
        try fixture.put("doc", "one")
        try fixture.acknowledge("doc")
        let old = try fixture.row("doc")
        try fixture.put("doc.tmp", "two")
        let temporary = try fixture.row("doc.tmp")
        try fixture.clearPending()
        try rename("doc.tmp", "doc")
        let row = try fixture.row("doc")
        #expect(row.ino == temporary.ino)
        #expect(row.item == old.item && row.basis == old.basis)
        #expect(row.divergence == .written && row.sourceRevision == nil)
        #expect(row.generation > max(old.generation, temporary.generation))
        #expect(try fixture.isPending(old.item))
        #expect(try fixture.isPending(temporary.item))
        #expect(try await fixture.text("doc") == "two")
        try await eventually("old row gone") { try fixture.row(old.ino) == nil }
    }

    @Test(
        "S16: a conflict version keeps its base when it is saved, and not when another replaces it")
    func overConflictVersion() throws {
        let mark = ConflictMark(of: ItemID(high: 1, low: 2), madeFrom: Revision("r1"))
        func put(_ name: Name, _ mark: ConflictMark?, isStored: Bool = true) throws {
            try fixture.put(name.description, "text")
            if isStored { try fixture.acknowledge(name.description) }
            var row = try fixture.row(name.description)
            row.conflictOf = mark
            let made = row
            try fixture.catalog.write { (write) throws(DocFSError) in try write.update(made) }
        }
        let other = ConflictMark(of: mark.document, madeFrom: Revision("r2"))
        try put("sibling.tmp", nil, isStored: false)
        try put("stored", nil)
        try put("another sibling", other)
        try put("unsent sibling", other, isStored: false)
        for (name, isSave) in [
            ("sibling.tmp", true), ("stored", false), ("another sibling", false),
            ("unsent sibling", false),
        ] {
            try put("sibling", mark)
            try rename(name, "sibling")
            #expect(
                try fixture.row("sibling").conflictOf == (isSave ? mark : mark.withoutBase),
                "\(name)")
            try fixture.scope.unlink("sibling", in: fixture.scope.root, caller: fixture.me)
        }
    }

    @Test("A clean document that is renamed over another brings its stored bytes along")
    func clean() async throws {
        try fixture.put("a", "aaa")
        try fixture.put("b", "bbb")
        try fixture.acknowledge("a")
        try fixture.acknowledge("b")
        let a = try fixture.row("a")
        let b = try fixture.row("b")
        try fixture.clearPending()
        try rename("a", "b")
        let row = try fixture.row("b")
        #expect(row.item == b.item && row.basis == b.basis && row.divergence == .stored)
        #expect(row.sourceItem == a.item && row.sourceRevision == a.basis)
        #expect(try fixture.isPending(a.item) && fixture.isPending(b.item))
        #expect(try await fixture.text("b") == "aaa")
    }

    @Test("So does a placeholder, and nothing is downloaded for it")
    func placeholder() async throws {
        let a = try fixture.addPlaceholder("a", Array("aaa".utf8))
        let b = try fixture.addPlaceholder("b", Array("bbbbb".utf8))
        try rename("a", "b")
        let row = try fixture.row("b")
        #expect(row.item == b.item && row.basis == b.basis && row.divergence == .stored)
        #expect(row.sourceItem == a.item && row.size == 3)
        #expect(fixture.bodies.asked.isEmpty)
        #expect(try await fixture.text("b") == "aaa")
    }

    @Test("What the store never had is simply replaced")
    func unstored() throws {
        try fixture.put("a", "aaa")
        try fixture.acknowledge("a")
        let a = try fixture.row("a")
        try fixture.put("new", "nnn")
        try rename("a", "new")
        let row = try fixture.row("new")
        #expect(row.item == a.item && row.basis == a.basis && row.divergence == .none)
    }

    @Test("What an upload is under way for keeps its identity, and the upload does not fit it")
    func underWay() throws {
        try fixture.put("doc", "one")
        let doc = try fixture.row("doc")
        let scope = fixture.scope.id
        try fixture.catalog.write { (writer) throws(DocFSError) in
            try writer.addJournal(
                JournalEntry(
                    operation: OperationID(high: 1, low: 1), scope: scope, item: doc.item,
                    effect: []))
        }
        try fixture.put("doc.tmp", "two")
        try rename("doc.tmp", "doc")
        let row = try fixture.row("doc")
        #expect(row.item == doc.item && row.basis == nil && row.generation > doc.generation)
    }

    @Test("Directories and other kinds keep their own identity")
    func kinds() throws {
        try makeDirectory("d")
        try makeDirectory("e")
        try fixture.acknowledge("d")
        try fixture.acknowledge("e")
        let d = try fixture.row("d")
        let e = try fixture.row("e")
        try fixture.clearPending()
        try rename("d", "e")
        #expect(try fixture.row("e").item == d.item)
        #expect(try fixture.isPending(e.item))
        try fixture.put("doc", "one")
        try fixture.acknowledge("doc")
        let doc = try fixture.row("doc")
        _ = try fixture.scope.makeSymlink(
            "link", in: fixture.scope.root, target: Array("t".utf8), caller: fixture.me)
        let link = try fixture.row("link")
        try fixture.clearPending()
        try rename("link", "doc")
        #expect(try fixture.row("doc").item == link.item)
        #expect(try fixture.isPending(doc.item))
    }

    @Test("An exchange swaps the places, and both are planned")
    func exchange() async throws {
        try fixture.put("a", "aaa")
        try fixture.put("b", "bbb")
        try fixture.acknowledge("a")
        try fixture.acknowledge("b")
        let a = try fixture.row("a")
        let b = try fixture.row("b")
        try fixture.clearPending()
        try rename("a", "b", .exchange)
        #expect(try fixture.row("a").ino == b.ino && fixture.row("b").ino == a.ino)
        #expect(try fixture.row("a").item == b.item)
        #expect(try fixture.isPending(a.item) && fixture.isPending(b.item))
        #expect(try await fixture.text("a") == "bbb")
    }

    @Test("A handle keeps the file that it opened when a rename goes over it")
    func handle() async throws {
        try fixture.put("doc", "one")
        try fixture.acknowledge("doc")
        let reader = try fixture.open("doc")
        let writer = try fixture.open("doc", O_RDWR)
        try fixture.put("tmp", "two")
        try rename("tmp", "doc")
        try fixture.clearPending()
        try fixture.write(writer, Array("!!!".utf8))
        #expect(try await fixture.readAll(reader) == Array("!!!".utf8))
        try fixture.close(writer)
        #expect(try await fixture.text("doc") == "two")
        let item = try fixture.row("doc").item
        #expect(try !fixture.isPending(item), "what nobody can reach is nobody's edit")
        fixture.scope.close(reader)
    }

    // S15
    @Test("Scratch names, FIFOs and what lies below a scratch directory live here only")
    func excluded() throws {
        for name in [".doc.swp", "doc~", ".#doc", "lu123.tmp"] {
            try fixture.put(name, "x")
            let row = try fixture.row(name)
            #expect(row.isExcluded, "\(name)")
            #expect(try !fixture.isPending(row.item))
        }
        try makeDirectory("tmp~")
        try fixture.put("tmp~/doc", "x")
        #expect(try fixture.row("tmp~/doc").isExcluded)
        _ = try fixture.scope.makeNode(
            "fifo", in: fixture.scope.root, mode: S_IFIFO | 0o600, device: 0,
            caller: fixture.me)
        #expect(try fixture.row("fifo").isExcluded)
        try fixture.clearPending()
        try rename("tmp~", "tmp")
        for path in ["tmp", "tmp/doc"] {
            let row = try fixture.row(path)
            #expect(!row.isExcluded)
            #expect(try fixture.isPending(row.item), "\(path)")
        }
        try rename("fifo", "pipe")
        #expect(try fixture.row("pipe").isExcluded)
    }

    // S15
    @Test("A stored document stays synchronised under a scratch name, a new one does not")
    func renamedToScratch() throws {
        try fixture.put("doc", "one")
        try fixture.acknowledge("doc")
        try rename("doc", "doc~")
        #expect(try !fixture.row("doc~").isExcluded)
        try fixture.put("new", "two")
        try rename("new", "new~")
        #expect(try fixture.row("new~").isExcluded)
        try rename("new~", "new")
        let row = try fixture.row("new")
        #expect(!row.isExcluded)
        #expect(try fixture.isPending(row.item))
    }

    @Test("A stored document that moves below a scratch directory leaves the store")
    func movedIntoScratch() async throws {
        let placeholder = try fixture.addPlaceholder("doc", Array("bytes".utf8))
        try makeDirectory("tmp~")
        try rename("doc", "tmp~/doc")
        let row = try fixture.row("tmp~/doc")
        #expect(row.isExcluded && row.item != placeholder.item && row.basis == nil)
        #expect(try fixture.isPending(placeholder.item))
        try await eventually("here") {
            try fixture.row("tmp~/doc").state == .current
        }
        #expect(try await fixture.text("tmp~/doc") == "bytes")
        try rename("tmp~/doc", "back")
        #expect(try !fixture.row("back").isExcluded)
        #expect(try fixture.row("back").divergence == .stored)
    }

    // S15a, S31
    @Test("Mode, time and attributes are planned; owner and group count here only")
    func planned() throws {
        try fixture.put("doc", "one")
        try fixture.acknowledge("doc")
        let row = try fixture.row("doc")
        func change(_ body: (inout AttributeChange) -> Void) throws {
            var change = AttributeChange()
            body(&change)
            _ = try fixture.scope.setAttributes(
                of: FileNumber(row: row.ino), change, caller: fixture.me)
        }
        try change { $0.owner = 1234 }
        #expect(try fixture.row("doc").owner == 1234)
        #expect(try !fixture.isPending(row.item))
        #expect(try fixture.row("doc").generation == row.generation)
        try change { $0.mode = 0o4600 }
        #expect(try fixture.row("doc").mode == 0o100600)
        #expect(try fixture.isPending(row.item))
        try fixture.clearPending()
        try fixture.scope.setExtendedAttribute(
            "user.a", of: FileNumber(row: row.ino), value: [1], flags: 0, caller: fixture.me)
        #expect(try fixture.isPending(row.item))
        #expect(throws: DocFSError.notPermitted) {
            try fixture.scope.setExtendedAttribute(
                "user.docfs.pin", of: FileNumber(row: row.ino), value: [1], flags: 0,
                caller: fixture.me)
        }
    }

    // S1
    @Test("The name of the control directory and of containers' own cannot be taken")
    func reserved() throws {
        #expect(throws: DocFSError.notPermitted) { try makeDirectory(".docfs") }
        try fixture.put("a", "x")
        #expect(throws: DocFSError.notPermitted) { try rename("a", ".docfs") }
        try makeDirectory("d")
        #expect(throws: DocFSError.notPermitted) { try rename("a", "d/.docfs") }
    }

    // S4
    @Test("A listing goes on where it was while entries come and go")
    func listing() throws {
        for index in 0..<300 { try fixture.put("f\(index)", "") }
        let listing = try fixture.scope.openDirectory(fixture.scope.root)
        var seen: [Name] = []
        var cookie: UInt64 = 0
        for round in 0..<400 {
            var isTaken = false
            try fixture.scope.list(listing, from: cookie, withAttributes: true) { entry in
                if isTaken { return false }
                seen.append(entry.name)
                cookie = entry.cookie
                isTaken = true
                return true
            }
            if !isTaken { break }
            if round % 3 == 0, let name = seen.last {
                try fixture.scope.unlink(name, in: fixture.scope.root, caller: fixture.me)
            }
            if round < 20 { try fixture.put("new\(round)", "") }
        }
        #expect(Set(seen).count == seen.count)
        #expect(seen.count == 320)
    }
}
