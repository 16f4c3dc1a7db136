internal import Glibc
internal import Testing

@testable import DocFS

/// Who may see, read and bring back what was deleted or replaced.
struct PermissionsTests {
    private let fixture: ControlFixture
    private let alice = Ownership(user: 1001, group: 1001, mode: 0o600)
    private let aliceAsks = Caller(user: 1001, group: 1001, thread: 0)
    private let bobAsks = Caller(user: 1002, group: 1002, thread: 0)
    private let root = Caller(user: 0, group: 0, thread: 0)

    init() throws { fixture = try ControlFixture() }

    private func directory(_ name: Name, mode: UInt32) throws -> LocalItem {
        try fixture.add(name, mode: LocalItem.typeDirectory | mode) {
            $0.owner = 7
            $0.group = 8
        }
    }

    @Test("S31: a deleted document is shown as it was to whom it belonged to, and restored so")
    func keepsOwner() throws {
        let tmp = try directory("tmp", mode: 0o1777)
        try fixture.addTrash("tmp/mine", mode: 0o644, ownership: alice, directory: tmp.item)
        let shown = try fixture.stat("trash/Cloud/tmp/mine")
        #expect(shown.owner == 1001 && shown.group == 1001)
        #expect(shown.mode == LocalItem.typeFile | 0o600)
        let parent = try fixture.stat("trash/Cloud/tmp")
        #expect(parent.mode == LocalItem.typeDirectory | 0o1777 && parent.owner == 7)
        #expect(throws: DocFSError.notPermitted) {
            try fixture.restore("trash/Cloud/tmp/mine", as: "taken", by: bobAsks)
        }
        #expect(try fixture.row("taken") == nil)
        try fixture.restore("trash/Cloud/tmp/mine", as: "mine", by: aliceAsks)
        let row = try #require(try fixture.row("mine"))
        #expect(row.owner == 1001 && row.group == 1001)
        #expect(row.mode == LocalItem.typeFile | 0o600)
    }

    @Test(
        "S31: only who might have read a deleted document restores it",
        arguments: [
            (0o600, false), (0o640, false), (0o660, false), (0o644, true), (0o604, true),
        ] as [(UInt32, Bool)])
    func needsReading(_ mode: UInt32, _ mayRestore: Bool) throws {
        let open = try directory("open", mode: 0o777)
        let known = Ownership(user: 1001, group: 1001, mode: mode)
        try fixture.addTrash("open/doc", mode: 0o666, ownership: known, directory: open.item)
        if mayRestore {
            try fixture.restore("trash/Cloud/open/doc", as: "doc", by: bobAsks)
            #expect(try fixture.row("doc")?.owner == 1001)
        } else {
            #expect(throws: DocFSError.accessDenied) {
                try fixture.restore("trash/Cloud/open/doc", as: "doc", by: bobAsks)
            }
            try fixture.restore("trash/Cloud/open/doc", as: "doc", by: root)
        }
    }

    @Test(
        "S31: the groups count as they do for reading",
        arguments: [
            Caller(user: 1002, group: 1001, thread: 0), Caller(user: 1002, group: 1002, thread: 5),
        ])
    func group(_ caller: Caller) throws {
        let open = try directory("open", mode: 0o777)
        let known = Ownership(user: 1001, group: 1001, mode: 0o640)
        try fixture.addTrash("open/doc", mode: 0o640, ownership: known, directory: open.item)
        try fixture.restore("trash/Cloud/open/doc", as: "doc", by: caller)
        let row = try #require(try fixture.row("doc"))
        #expect(row.owner == 1001 && row.group == 1001)
    }

    @Test("S31: supplementary groups are asked of the system")
    func supplementaryGroups() throws {
        let own = Set(Posix.groups(ofThread: getpid()))
        var groups = [gid_t](repeating: 0, count: 1024)
        let count = getgroups(Int32(groups.count), &groups)
        #expect(own == Set(groups.prefix(Int(count))))
        #expect(Posix.groups(ofThread: 0).isEmpty)
        let asks = Requester(user: 1002, groups: [5, 1001])
        #expect(asks.mayRead(Ownership(user: 1001, group: 1001, mode: 0o640)))
        #expect(!asks.mayRead(Ownership(user: 1001, group: 6, mode: 0o640)))
        // Whoever belongs to the group is not one of the others (path_resolution(7)).
        #expect(!asks.mayRead(Ownership(user: 1001, group: 1001, mode: 0o604)))
    }

    @Test("S31: a directory is restored with what is in it only by who may have all of that")
    func directories() throws {
        let record = try fixture.addTrash(
            "dir", .directory, mode: 0o777,
            ownership: Ownership(user: 1002, group: 1002, mode: 0o3777))
        try fixture.addTrash("dir/a", ownership: alice, directory: record.item)
        #expect(throws: DocFSError.accessDenied) {
            try fixture.restore("trash/Cloud/dir", as: "back", by: bobAsks)
        }
        #expect(try fixture.row("back") == nil)
        try fixture.restore("trash/Cloud/dir", as: "back", by: root)
        let row = try #require(try fixture.row("back"))
        #expect(row.owner == 1002 && row.mode == LocalItem.typeDirectory | 0o3777)
        #expect(try fixture.row("back/a")?.owner == 1001)
    }

    @Test("S31: a directory made where another one was opens nothing that was deleted there")
    func otherDirectory() throws {
        let made = try fixture.add("dir", mode: LocalItem.typeDirectory | 0o777) {
            $0.owner = 1002
        }
        let known = Ownership(user: 1001, group: 1001, mode: 0o644)
        try fixture.addTrash("dir/a", mode: 0o644, ownership: known, directory: fixture.newItem())
        try fixture.addTrash("dir/b", mode: 0o644, ownership: known)
        try fixture.addTrash("dir/c", mode: 0o644, ownership: known, directory: made.item)
        #expect(try fixture.stat("trash/Cloud/dir/a").mode == LocalItem.typeFile | 0o600)
        #expect(try fixture.stat("trash/Cloud/dir/b").mode == LocalItem.typeFile | 0o600)
        #expect(try fixture.stat("trash/Cloud/dir/c").mode == LocalItem.typeFile | 0o644)
        #expect(throws: DocFSError.accessDenied) {
            try fixture.restore("trash/Cloud/dir/a", as: "a", by: bobAsks)
        }
        // It was open to them where it was.
        try fixture.restore("trash/Cloud/dir/a", as: "a", by: aliceAsks)
        #expect(try fixture.row("a")?.mode == LocalItem.typeFile | 0o644)
    }

    @Test(
        "S31: a version is no more readable than it was, nor than its document is",
        arguments: [
            (0o600, 0o644, 0o400), (0o640, 0o644, 0o440), (0o644, 0o600, 0o400),
            (nil, 0o644, 0o400),
            (0o644, 0o644, 0o444),
        ] as [(UInt16?, UInt32, UInt32)])
    func versions(_ then: UInt16?, _ now: UInt32, _ shown: UInt32) throws {
        let document = try fixture.add("doc.txt", mode: LocalItem.typeFile | now)
        let known = Ownership(user: 1001, group: 1001, mode: 0o644)
        try fixture.addVersion(of: document, "a", mode: then, ownership: known)
        let version = try fixture.stat("versions/Cloud/doc.txt/2022-04-15 05.20.00 bob.txt")
        #expect(version.mode == LocalItem.typeFile | shown)
        #expect(version.owner == 1001 && version.group == 1001)
    }

    @Test("S31: a version whose owner nobody knows is the mount's owner's")
    func versionOfNobody() throws {
        let document = try fixture.add("doc.txt", mode: LocalItem.typeFile | 0o600) {
            $0.owner = 1002
        }
        try fixture.addVersion(of: document, "a")
        let version = try fixture.stat("versions/Cloud/doc.txt/2022-04-15 05.20.00 bob.txt")
        #expect(version.owner == 7 && version.group == 8)
    }
}
