import Synchronization
internal import Testing

@testable import DocFS

/// The attributes `user.docfs.*`.
struct DocumentAttributesTests {
    private static let names = [
        "scope", "id", "download", "download.percent", "upload", "upload.percent", "state",
        "conflicts", "error", "revision", "pin",
    ]

    private let fixture: ControlFixture

    init() throws { fixture = try ControlFixture() }

    private func values(_ row: LocalItem) throws -> [String] {
        try Self.names.map { try fixture.attribute($0, of: row) }
    }

    @Test("A document, a directory, a link and the scope's root answer every attribute")
    func answers() throws {
        let directory = try fixture.addDirectory("dir")
        let document = try fixture.add("doc", to: directory) { row in
            row.size = 9
            row.state = .none
        }
        let link = try fixture.add("link", mode: LocalItem.typeSymlink | 0o777) {
            $0.target = [0x61]
        }
        #expect(
            try values(document) == [
                "Cloud", document.item.description, "none", "0", "uploaded", "100", "closed", "0",
                "", "r1", "inherited",
            ])
        #expect(
            try values(directory) == [
                "Cloud", directory.item.description, "current", "100", "uploaded", "100",
                "normal", "0", "", "", "inherited",
            ])
        #expect(try fixture.attribute("revision", of: link) == "r1")
        #expect(try fixture.attribute("scope", of: try fixture.row(fixture.scope.root)) == "Cloud")
        #expect(throws: DocFSError.noSuchAttribute) {
            try fixture.attribute("nonsense", of: document)
        }
        #expect(throws: DocFSError.noSuchAttribute) {
            try fixture.attribute("confirm-deletes", of: try fixture.row(fixture.scope.root))
        }
    }

    @Test("What is here is told with what is on its way")
    func downloads() throws {
        let document = try fixture.add("doc") { $0.state = .none }
        fixture.documents.state.withLock { $0.contents[document.ino] = (.partial, 42) }
        #expect(try fixture.attribute("download", of: document) == "partial")
        #expect(try fixture.attribute("download.percent", of: document) == "42")
        #expect(try fixture.attribute("downloading", of: document) == "false")
        fixture.documents.state.withLock { $0.coming = [document.ino] }
        #expect(try fixture.attribute("downloading", of: document) == "true")
    }

    @Test("An edit waits, is uploading while it is in the journal, and may fail")
    func uploads() throws {
        let document = try fixture.add("doc") { $0.divergence = .written }
        let fresh = try fixture.add("fresh", isAgreed: false)
        #expect(try fixture.attribute("upload", of: document) == "waiting")
        #expect(try fixture.attribute("upload.percent", of: document) == "0")
        #expect(try fixture.attribute("upload", of: fresh) == "waiting")
        try change(document) { $0.error = "the store is full" }
        #expect(try fixture.attribute("upload", of: document) == "error")
        #expect(try fixture.attribute("state", of: document) == "closed,saving-error")
        #expect(try fixture.attribute("error", of: document) == "the store is full")
        try fixture.catalog.write { (write) throws(DocFSError) in
            try write.addJournal(
                JournalEntry(
                    operation: OperationID(high: 1, low: 2), scope: document.scope,
                    item: document.item, effect: []))
        }
        #expect(try fixture.attribute("upload", of: document) == "uploading")
    }

    @Test("A rename, a move, new times and new attributes are to be uploaded too")
    func metadataIsAhead() throws {
        let directory = try fixture.addDirectory("dir")
        let changes: [@Sendable (inout LocalItem) -> Void] = [
            { $0.name = "renamed" }, { $0.parent = directory.ino },
            { $0.modified = Timestamp(seconds: 1) }, { $0.mode ^= 0o001 },
            { $0.attributes = [ExtendedAttribute(name: "user.a", value: [])] },
            { $0.conflictOf = ConflictMark(of: directory.item) },
        ]
        for (index, change) in changes.enumerated() {
            let document = try fixture.add(Name("doc \(index)"))
            #expect(try fixture.attribute("upload", of: document) == "uploaded")
            try self.change(document, change)
            #expect(try fixture.attribute("upload", of: document) == "waiting", "\(index)")
        }
    }

    @Test("S15: what stays on this device is excluded")
    func excluded() throws {
        let scratch = try fixture.add(".x.swp", isAgreed: false) { $0.isExcluded = true }
        let pipe = try fixture.add("pipe", mode: 0o010600, isAgreed: false)
        #expect(try fixture.attribute("upload", of: scratch) == "excluded")
        #expect(try fixture.attribute("upload", of: pipe) == "excluded")
    }

    @Test("S9, S16: the state is the words that hold, or normal")
    func state() throws {
        let document = try fixture.add("doc")
        fixture.documents.state.withLock { _ = $0.open.insert(document.ino) }
        #expect(try fixture.attribute("state", of: document) == "normal")
        try fixture.add("sibling") { $0.conflictOf = ConflictMark(of: document.item) }
        #expect(try fixture.attribute("state", of: document) == "in-conflict")
        #expect(try fixture.attribute("conflicts", of: document) == "1")
        fixture.documents.state.withLock { state in
            state.open = []
            state.replaced = [document.ino]
        }
        #expect(
            try fixture.attribute("state", of: document) == "closed,in-conflict,editing-disabled")
    }

    @Test("S16: a conflict version tells its document, and the version that both were made from")
    func conflictBase() throws {
        let document = try fixture.add("doc.txt")
        func base(_ mark: ConflictMark?) throws -> String {
            let sibling = try fixture.add(Name("\(fixture.newItem())")) { $0.conflictOf = mark }
            return try fixture.attribute("conflict-base", of: sibling)
        }
        try fixture.addVersion(of: document, "r0", device: "carol")
        try fixture.addVersion(of: document, "r1")
        let mark = ConflictMark(of: document.item, madeFrom: Revision("r1"))
        #expect(try base(mark) == "2022-04-15 05.20.00 bob.txt")
        #expect(try base(ConflictMark(of: document.item)) == "")
        #expect(try base(ConflictMark(of: document.item, madeFrom: Revision("r2"))) == "")
        #expect(try base(ConflictMark(of: fixture.newItem(), madeFrom: Revision("r1"))) == "")
        #expect(throws: DocFSError.noSuchAttribute) { try base(nil) }
        // One that is removed is no base any more.
        try fixture.catalog.write { (write) throws(DocFSError) in
            try write.addUnwanted("v/r1", scope: fixture.scope.id)
        }
        #expect(try base(mark) == "")
    }

    @Test("download is set to current or none, and nothing else")
    func setDownload() throws {
        let document = try fixture.add("doc")
        let directory = try fixture.addDirectory("dir")
        try fixture.set("download", of: document, to: "current")
        try fixture.set("download", of: document, to: "none")
        #expect(
            fixture.documents.calls == ["hydrate \(document.ino)", "evict \(document.ino)"])
        for value in ["", "partial", "current\n", "\u{0}"] {
            #expect(throws: DocFSError.invalidArgument) {
                try fixture.set("download", of: document, to: value)
            }
        }
        #expect(throws: DocFSError.notOffered) {
            try fixture.set("download", of: directory, to: "current")
        }
        fixture.documents.state.withLock { $0.refusal = .busy }
        #expect(throws: DocFSError.busy) { try fixture.set("download", of: document, to: "none") }
    }

    @Test("S11: a pin is kept, and what is pinned is looked for")
    func setPin() throws {
        let document = try fixture.add("doc")
        let directory = try fixture.addDirectory("dir")
        try fixture.set("pin", of: document, to: "pinned")
        try fixture.set("pin", of: directory, to: "unpinned")
        #expect(try fixture.attribute("pin", of: document) == "pinned")
        #expect(try fixture.attribute("pin", of: directory) == "unpinned")
        #expect(fixture.documents.calls == ["pins", "pins"])
        #expect(throws: DocFSError.invalidArgument) {
            try fixture.set("pin", of: document, to: "yes")
        }
    }

    @Test("S11: what is pinned, or lies below what is, is not evicted")
    func evictPinned() throws {
        let top = try fixture.addDirectory("top")
        let sub = try fixture.addDirectory("sub", to: top)
        let document = try fixture.add("doc", to: sub)
        for (pins, isPinned) in [
            ("pinned inherited inherited", true), ("pinned unpinned inherited", false),
            ("pinned unpinned pinned", true), ("unpinned inherited inherited", false),
            ("pinned inherited unpinned", false),
        ] {
            for (row, pin) in zip([top, sub, document], pins.split(separator: " ")) {
                try fixture.set("pin", of: row, to: String(pin))
            }
            if isPinned {
                #expect(throws: DocFSError.busy, "\(pins)") {
                    try fixture.set("download", of: document, to: "none")
                }
            } else {
                try fixture.set("download", of: document, to: "none")
            }
        }
        #expect(fixture.documents.calls.filter { $0.hasPrefix("evict") }.count == 3)
    }

    @Test("S23: any value confirms the deletes of a scope, on its root only")
    func confirmDeletes() throws {
        let document = try fixture.add("doc")
        let root = try fixture.row(fixture.scope.root)
        try fixture.set("confirm-deletes", of: root, to: "")
        #expect(fixture.documents.calls == ["confirm \(fixture.scope.id)"])
        #expect(throws: DocFSError.notPermitted) {
            try fixture.set("confirm-deletes", of: document, to: "yes")
        }
    }

    @Test("S14: what waits at a document, below a directory or in a scope is sent at once")
    func sendNow() throws {
        let directory = try fixture.add("dir", mode: LocalItem.typeDirectory | 0o755)
        let inner = try fixture.add("doc", to: directory)
        let other = try fixture.add("other")
        _ = try fixture.add("sent", to: directory)
        try fixture.catalog.write { (write) throws(DocFSError) in
            for item in [inner.item, other.item] {
                try write.markPending(item, scope: fixture.scope.id)
            }
        }
        let root = try fixture.row(fixture.scope.root)
        for row in [other, inner, directory, root] {
            try fixture.set("upload", of: row, to: "now")
        }
        let scope = fixture.scope.id
        let both = [inner.item, directory.item].sorted().map(\.description)
            .joined(separator: " ")
        #expect(
            fixture.documents.calls == [
                "send \(scope) \(other.item)", "send \(scope) \(both)",
                "send \(scope) \(both)", "send \(scope) all",
            ])
        #expect(throws: DocFSError.invalidArgument) {
            try fixture.set("upload", of: other, to: "later")
        }
    }

    @Test("S23: the change log is mended in one of three ways, on the root of a scope only")
    func mendLog() throws {
        let document = try fixture.add("doc")
        let root = try fixture.row(fixture.scope.root)
        for value in ["check", "container", "device"] {
            try fixture.set("mend-log", of: root, to: value)
        }
        let scope = fixture.scope.id
        #expect(
            fixture.documents.calls == [
                "mend \(scope) check", "mend \(scope) container", "mend \(scope) device",
            ])
        #expect(throws: DocFSError.invalidArgument) {
            try fixture.set("mend-log", of: root, to: "yes")
        }
        #expect(throws: DocFSError.notPermitted) {
            try fixture.set("mend-log", of: document, to: "check")
        }
    }

    @Test("S19: the trash is emptied below a path, on the root of a scope only")
    func emptyTrash() throws {
        let document = try fixture.add("doc")
        let root = try fixture.row(fixture.scope.root)
        try fixture.set("empty-trash", of: root, to: ".")
        try fixture.set("empty-trash", of: root, to: "dir/doc")
        let scope = fixture.scope.id
        #expect(fixture.documents.calls == ["empty \(scope) ", "empty \(scope) dir/doc"])
        for value in ["", "/", "..", "dir/../doc", "dir/."] {
            #expect(throws: DocFSError.invalidArgument) {
                try fixture.set("empty-trash", of: root, to: value)
            }
        }
        #expect(throws: DocFSError.notPermitted) {
            try fixture.set("empty-trash", of: document, to: ".")
        }
        for name in ["empty-trash", "confirm-deletes"] {
            #expect(throws: DocFSError.notPermitted) {
                try fixture.set(name, of: root, to: ".", by: Caller(user: 9, group: 8, thread: 1))
            }
        }
    }

    @Test("Whatever else is set is not permitted")
    func protected() throws {
        let document = try fixture.add("doc")
        let settable = ["download", "pin", "upload"]
        for name in Self.names + ["nonsense", ""] where !settable.contains(name) {
            #expect(throws: DocFSError.notPermitted) {
                try fixture.set(name, of: document, to: "x")
            }
        }
        #expect(throws: DocFSError.notPermitted) {
            try fixture.control.setDocumentAttribute(
                "user.docfs.pin", of: FileNumber(FileNumber.firstLocal + 5), value: [],
                caller: ControlFixture.owner)
        }
    }

    @Test("A file of Local has its scope and no more; the root has nothing; what is gone is stale")
    func elsewhere() throws {
        let local = FileNumber(FileNumber.firstLocal + 5)
        let control = fixture.control
        #expect(
            try control.documentAttribute("user.docfs.scope", of: local) == Array("Local".utf8))
        #expect(throws: DocFSError.noSuchAttribute) {
            try control.documentAttribute("user.docfs.id", of: local)
        }
        #expect(throws: DocFSError.noSuchAttribute) {
            try control.documentAttribute("user.docfs.scope", of: .root)
        }
        #expect(throws: DocFSError.stale) {
            try control.documentAttribute("user.docfs.scope", of: FileNumber(99_999))
        }
    }

    @Test("S24: a document on its way to Local still counts as its cloud scope's")
    func departing() throws {
        let document = try fixture.add("doc")
        try change(document) { row in
            row.parent = nil
            row.isDeparting = true
        }
        #expect(try fixture.attribute("scope", of: document) == "Cloud")
        #expect(try fixture.attribute("upload", of: document) == "uploaded")
    }

    private func change(_ row: LocalItem, _ change: (inout LocalItem) -> Void) throws {
        var row = try fixture.row(row.ino)
        change(&row)
        let changed = row
        try fixture.catalog.write { (write) throws(DocFSError) in try write.update(changed) }
    }

    @Test("S28: the mount's root keeps the preferred scope, and takes the name of no other")
    func preference() throws {
        func preferred() throws -> String {
            String(
                decoding: try fixture.control.documentAttribute("user.docfs.prefer", of: .root),
                as: UTF8.self)
        }
        func prefer(_ name: String) throws {
            try fixture.control.setDocumentAttribute(
                "user.docfs.prefer", of: .root, value: Array(name.utf8),
                caller: ControlFixture.owner)
        }
        #expect(try preferred() == "")
        try prefer("Local")
        #expect(try preferred() == "Local")
        #expect(throws: DocFSError.invalidArgument) { try prefer("Elsewhere") }
        #expect(throws: DocFSError.notPermitted) {
            try fixture.control.setDocumentAttribute(
                "user.docfs.pin", of: .root, value: Array("pinned".utf8),
                caller: ControlFixture.owner)
        }
        #expect(try preferred() == "Local")
    }

    @Test("The type of a document is the key of the one whose extension it has")
    func type() throws {
        let note = try fixture.add("a note.MD")
        #expect(try fixture.attribute("type", of: note) == "note")
        #expect(try fixture.attribute("type", of: fixture.add("a note.txt")) == "")
        #expect(try fixture.attribute("type", of: fixture.addDirectory("dir.md")) == "")
        #expect(throws: DocFSError.notPermitted) { try fixture.set("type", of: note, to: "note") }
    }

    @Test(
        "S12: the mount's root says how long its end may take; its owner and root may change that")
    func farewell() throws {
        func set(_ text: String, by caller: Caller = ControlFixture.owner) throws {
            try fixture.control.setDocumentAttribute(
                "user.docfs.farewell", of: .root, value: Array(text.utf8), caller: caller)
        }
        func value() throws -> String {
            String(
                decoding: try fixture.control.documentAttribute("user.docfs.farewell", of: .root),
                as: UTF8.self)
        }
        #expect(try value() == "5.0")
        try set("0.25")
        #expect(try value() == "0.25")
        for text in ["soon", "", "-1", "1e9", "nan", "inf"] {
            #expect(throws: DocFSError.invalidArgument) { try set(text) }
        }
        #expect(throws: DocFSError.notPermitted) {
            try set("0", by: Caller(user: 1000, group: 100, thread: 0))
        }
        #expect(try value() == "0.25")
    }

    @Test("A scope's root says how many bytes its documents have, and how many are here")
    func usage() throws {
        try fixture.add("here") { $0.size = 5 }
        try fixture.add("away") { row in
            row.size = 7
            row.state = .none
        }
        _ = try fixture.addDirectory("dir")
        let root = FileNumber(UInt64(fixture.scope.root))
        func value(_ name: String) throws -> String {
            String(decoding: try fixture.control.documentAttribute(name, of: root), as: UTF8.self)
        }
        #expect(try value("user.docfs.bytes") == "12")
        #expect(try value("user.docfs.bytes.here") == "5")
        let document = try fixture.add("doc")
        #expect(throws: DocFSError.noSuchAttribute) {
            try fixture.attribute("bytes", of: document)
        }
        // What a container says of sizes may be more than a sum can hold.
        for name in ["vast", "vaster"] as [Name] {
            try fixture.add(name) { row in
                row.size = Body.maximumSize
                row.state = .none
                row.divergence = .written
                row.error = nil
            }
        }
        #expect(try value("user.docfs.bytes") == "\(Int64.max)")
        #expect(try value("user.docfs.bytes.here") == "5")
        try fixture.catalog.write { (write) throws(DocFSError) in
            for name in ["vast", "vaster"] as [Name] {
                guard let row = try write.read.child(name, of: fixture.scope.root) else { continue }
                try write.markPending(row.item, scope: fixture.scope.id)
            }
        }
        #expect(try value("user.docfs.bytes.waiting") == "\(Int64.max)")
    }
}
