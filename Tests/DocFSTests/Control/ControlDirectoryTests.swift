internal import Foundation
internal import Synchronization
internal import Testing

@testable import DocFS

/// `.docfs` itself, `status`, `status.json` and `conflicts`.
struct ControlDirectoryTests {
    @Test("S1: .docfs answers by name, with just its own entries, and takes no write")
    func top() throws {
        let fixture = try ControlFixture()
        #expect(try fixture.stat(.root).number.value == FileNumber.firstControl)
        #expect(
            try fixture.list(.root) == [
                "check", "conflicts", "events", "items", "status", "status.json", "trash",
                "versions",
            ])
        #expect(try fixture.find("nonsense") == nil)
        for name in ["status", "status.json", "events", "conflicts"] {
            let number = try fixture.stat(ItemPath(name)).number
            #expect(throws: DocFSError.notPermitted) {
                try fixture.control.open(number, forWriting: true, caller: fixture.me)
            }
        }
        #expect(throws: DocFSError.isDirectory) { try fixture.open("versions") }
    }

    @Test("Numbers that nobody was told are stale, whatever they are")
    func staleNumbers() throws {
        let fixture = try ControlFixture()
        var random = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let number = FileNumber(random.next() | FileNumber.firstControl)
            guard number.value > FileNumber.firstControl + 15 else { continue }
            #expect(throws: DocFSError.self) {
                guard try fixture.control.attributes(of: number).attributes != nil else {
                    throw DocFSError.stale
                }
            }
        }
    }

    @Test("status.json has its members in their order, for every scope")
    func json() throws {
        let fixture = try ControlFixture(mountPoint: "/mnt/\"docs\"")
        try fixture.add("one") { $0.error = "the store is full" }
        try fixture.add(Name([0x25, 0xFF, 0x0A])) { $0.error = "a \"quoted\" word\n" }
        try fixture.add("sibling") { $0.conflictOf = ConflictMark(of: fixture.newItem()) }
        try fixture.add(".x.swp", isAgreed: false) { $0.isExcluded = true }
        let new = try fixture.add("new", isAgreed: false)
        try fixture.catalog.write { (write) throws(DocFSError) in
            try write.markPending(new.item, scope: fixture.scope.id)
        }
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) {
            $0.isOnline = true
            $0.uploading = 2
            $0.downloading = 3
            $0.heldDeletes = 600
            $0.setAside = ["record 7, change 1: a name"]
            $0.leftOut = ["d"]
            $0.unlisted = ["lost+found": "denied"]
        }
        fixture.documents.state.withLock {
            ($0.sending.done, $0.sending.total, $0.sending.rate) = (5, 20, 7)
        }
        fixture.catalog.bulletin.note("a \"new\" device")
        let json = try fixture.read("status.json")
        #expect(
            json == """
                {"version":1,"mount":"/mnt/\\"docs\\"","scopes":[{"name":"Cloud",\
                "store":"/srv/docs","online":true,\
                "error":null,"advice":null,"log":null,"mending":false,"mended":null,\
                "guarantee":null,"readOnly":false,"alone":null,\
                "unseen":null,\
                "documents":3,"pending":1,"journal":0,"uploading":2,\
                "downloading":3,"sending":{"done":5,"total":20,"rate":7},\
                "receiving":{"done":0,"total":0,"rate":0},"conflicts":1,"excluded":1,\
                "leavingVersions":0,"failures":[\
                {"path":"one","error":"the store is full"},\
                {"path":"%25%FF%0A","error":"a \\"quoted\\" word\\n"}],"heldDeletes":600,\
                "setAside":["record 7, change 1: a name"],"leftOut":["d"],\
                "unlisted":["lost+found: denied"],"waiting":["new"],"open":[],\
                "updatesWaiting":0,"outdated":[]}],\
                "types":[{"type":"note","extension":"md","name":"Note","naming":"sequential",\
                "conflicts":"ask","mime":"text/markdown"}],"notes":["a \\"new\\" device"]}

                """)
    }

    @Test("A store without its container has a way out that names state directory and scope")
    func wayOut() throws {  // S23
        let fixture = try ControlFixture()
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) {
            $0.problem = "it has no .docfs"
            $0.lacksContainer = true
        }
        for file in ["status", "status.json"] as [ItemPath] {
            #expect(try fixture.read(file).contains("touch '/state/new-container.Cloud'"))
        }
    }

    @Test("status.json is JSON, and says why a scope is offline")
    func jsonParses() throws {
        let fixture = try ControlFixture()
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) {
            $0.problem = "tab\t, bell \u{7}, é and \u{2028}"
        }
        let object = try JSONSerialization.jsonObject(with: Data(fixture.read("status.json").utf8))
        let status = try #require(object as? [String: Any])
        let scopes = try #require(status["scopes"] as? [[String: Any]])
        #expect(scopes.count == 1)
        #expect(scopes[0]["error"] as? String == "tab\t, bell \u{7}, é and \u{2028}")
        #expect(scopes[0]["online"] as? Bool == false)
    }

    @Test("One handle shows one moment, however slowly it is read")
    func snapshot() throws {
        let fixture = try ControlFixture()
        let file = try fixture.open("status.json")
        let first = try fixture.now(
            fixture.control.read(file, at: 0, length: 40, isNonBlocking: false))
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        let rest = try fixture.now(
            fixture.control.read(file, at: 40, length: 9999, isNonBlocking: false))
        #expect(String(decoding: first + rest, as: UTF8.self).contains("\"online\":false"))
        #expect(
            try fixture.now(
                fixture.control.read(file, at: .max, length: 1, isNonBlocking: false)) == [])
        #expect(try fixture.read("status.json").contains("\"online\":true"))
    }

    @Test("S23: status tells people what is wrong, where, and what to do")
    func text() throws {
        let fixture = try ControlFixture()
        let directory = try fixture.addDirectory("dir")
        try fixture.add("a\nb", to: directory) { $0.error = "the store is full" }
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) {
            $0.problem = "no route"
            $0.heldDeletes = 600
        }
        let text = try fixture.read("status")
        #expect(text.contains("Cloud: offline: no route\n"))
        #expect(text.contains("    dir/a%0Ab: the store is full\n"))
        #expect(text.contains("600 are held back"))
        #expect(
            text.contains("setfattr -n user.docfs.confirm-deletes -v yes '/mnt/docs/Cloud'\n"))
    }

    @Test("conflicts has a line for each conflict version: document, tab, sibling")
    func conflicts() throws {
        let fixture = try ControlFixture()
        #expect(try fixture.read("conflicts") == "")
        let directory = try fixture.addDirectory("dir")
        let document = try fixture.add("a\tb.txt", to: directory)
        try fixture.add("sibling 1.txt", to: directory) {
            $0.conflictOf = ConflictMark(of: document.item)
        }
        try fixture.add("sibling 2.txt", to: directory) {
            $0.conflictOf = ConflictMark(of: document.item)
        }
        #expect(
            try fixture.read("conflicts") == """
                Cloud/dir/a%09b.txt\tCloud/dir/sibling 1.txt
                Cloud/dir/a%09b.txt\tCloud/dir/sibling 2.txt

                """)
    }
}
