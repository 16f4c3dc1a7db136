import CFuse
import Glibc
import TestSupport
import Testing

@testable import DocFS

/// What only a daemon that runs as root can do.
///
/// A test run as root makes all of these.
@Suite(.enabled(if: geteuid() == 0)) struct LocalOwnerTests {
    private let stranger = Caller(user: 12345, group: 23456, thread: 0)

    @Test("S31: new items belong to the caller, in directories of others too")
    func owners() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let root = scope.root
        // Writable by a group that only the kernel knows the caller to be in.
        try Posix.setMode(at: fixture.directory.number, [0x2E], 0o770)
        let results = [
            try scope.makeDirectory("d", in: root, mode: 0o755, caller: stranger),
            try scope.makeNode(
                "n", in: root, mode: S_IFREG | 0o2755, device: 0, caller: stranger),
            try scope.makeNode("p", in: root, mode: S_IFIFO | 0o600, device: 0, caller: stranger),
            try scope.makeSymlink("l", in: root, target: [0x78], caller: stranger),
            try scope.create(
                "f", in: root, mode: 0o400, flags: O_RDWR, caller: stranger
            ).0,
        ]
        for result in results {
            let made = try #require(result.attributes)
            #expect(made.owner == 12345)
            #expect(made.group == 23456)
        }
        #expect(results[1].attributes?.mode == S_IFREG | 0o2755)
        #expect(geteuid() == 0)
        let mine = try scope.makeDirectory("m", in: root, mode: 0o755, caller: fixture.me)
        #expect(mine.attributes?.owner == 0)
        // The thread is itself again: it may do what only root may.
        var change = AttributeChange()
        change.owner = 777
        let number = try #require(mine.attributes).number
        #expect(
            try scope.setAttributes(of: number, change, caller: fixture.me).attributes?.owner
                == 777)
    }

    @Test("S31: a failure to create leaves the thread as it was")
    func failure() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "")
        #expect(throws: DocFSError.exists) {
            try fixture.scope.makeDirectory(
                "f", in: fixture.scope.root, mode: 0o755, caller: stranger)
        }
        try fixture.put("secret", "x", mode: 0o000)
        #expect(chown(fixture.path + "/secret", 1, 1) == 0)
        let (file, _) = try fixture.scope.open(
            try fixture.number("secret"), flags: O_RDONLY, caller: fixture.me)
        #expect(try fixture.read(file) == "x")
        fixture.scope.close(file)
    }

    @Test("A file that others made meanwhile is not opened with root's rights")
    func raceToCreate() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "secret", mode: 0o600)
        for flags in [O_RDWR, O_RDWR | O_TRUNC] {
            #expect(throws: DocFSError.stale) {
                try fixture.scope.create(
                    "f", in: fixture.scope.root, mode: 0o600, flags: flags, caller: stranger)
            }
        }
        #expect(throws: DocFSError.exists) {
            try fixture.scope.create(
                "f", in: fixture.scope.root, mode: 0o600, flags: O_RDWR | O_EXCL,
                caller: stranger)
        }
        #expect(try fixture.bare("f").size == 6)
    }

    @Test("S31: in a set-group-id directory the group is the directory's")
    func setGroupID() throws {
        let fixture = try LocalFixture()
        #expect(chown(fixture.path, 0, 999) == 0)
        #expect(chmod(fixture.path, 0o2777) == 0)
        let made = try fixture.scope.makeDirectory(
            "d", in: fixture.scope.root, mode: 0o755, caller: stranger)
        #expect(made.attributes?.owner == 12345)
        #expect(made.attributes?.group == 999)
        #expect(made.attributes?.mode == S_IFDIR | 0o2755)
        // The kernel has decided that the caller is of that group: the bit stays.
        let file = try fixture.scope.makeNode(
            "f", in: fixture.scope.root, mode: S_IFREG | 0o2775, device: 0, caller: stranger)
        #expect(file.attributes?.group == 999)
        #expect(file.attributes?.mode == S_IFREG | 0o2775)
    }

    @Test("S31: an owner and a mode that come together are both as asked")
    func ownerAndMode() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "", mode: 0o755)
        var change = AttributeChange()
        change.owner = 5
        change.group = 6
        change.mode = 0o6755
        let changed = try #require(
            try fixture.scope.setAttributes(
                of: try fixture.number("f"), change, caller: fixture.me
            ).attributes)
        #expect(changed.mode == S_IFREG | 0o6755)
        #expect(changed.owner == 5)
        #expect(changed.group == 6)
        try Posix.symlink(target: [0x66], at: fixture.directory.number, Array("l".utf8))
        change.mode = nil
        let link = try #require(
            try fixture.scope.setAttributes(
                of: try fixture.number("l"), change, caller: fixture.me
            ).attributes)
        #expect(link.owner == 5)
    }

    @Test("S31: device nodes are as they were made")
    func deviceNodes() throws {
        let fixture = try LocalFixture()
        let made = try fixture.scope.makeNode(
            "null", in: fixture.scope.root, mode: S_IFCHR | 0o666,
            device: UInt64(docfs_makedev(1, 3)), caller: fixture.me)
        #expect(made.attributes?.device == UInt64(docfs_makedev(1, 3)))
        #expect(made.attributes?.mode == S_IFCHR | 0o666)
    }

    @Test("S4: a filesystem nested in Local has numbers of its own, and can be unmounted")
    func nested() async throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        for path in ["m", "plain"] {
            try Posix.makeDirectory(at: fixture.directory.number, Array(path.utf8), mode: 0o755)
        }
        let point = fixture.path + "/m"
        #expect(mount("docfs-test", point, "tmpfs", 0, "size=1m") == 0)
        defer { umount2(point, Int32(MNT_DETACH)) }
        for path in ["m/d", "m/.docfs"] {
            try Posix.makeDirectory(at: fixture.directory.number, Array(path.utf8), mode: 0o755)
        }
        try fixture.put("m/d/f", "nested")
        try fixture.put("plain/f", "plain")

        let top = try fixture.attributes("m")
        #expect(top.number.value >> 48 == 2)
        for withAttributes in [false, true] {
            let entry = try #require(
                try fixture.list(scope.root, withAttributes: withAttributes).first {
                    $0.name == "m"
                })
            #expect(entry.number == top.number)
        }
        #expect(try fixture.list(top.number).map(\.name) == ["d"])
        #expect(try scope.lookup(".docfs", in: top.number).attributes == nil)
        let file = try fixture.number("m/d/f")
        scope.retain(file)
        #expect(file.value >> 48 == 2)
        #expect(try scope.attributes(of: file).attributes?.size == 6)
        #expect(try scope.statistics(of: file).blocks == 256)
        #expect(throws: DocFSError.otherFilesystem) {
            try scope.rename(
                "f", in: try fixture.number("m/d"), to: "g", in: scope.root, mode: .replace)
        }
        #expect(throws: DocFSError.otherFilesystem) {
            try scope.link(file, as: "g", in: scope.root)
        }
        // Programs that other tests start have ours for a moment.
        try await eventually("no descriptor of ours holds it") { umount2(point, 0) == 0 }
        #expect(throws: DocFSError.stale) { try scope.attributes(of: file) }
        #expect(try fixture.list(try fixture.number("m")).isEmpty)
    }
}
