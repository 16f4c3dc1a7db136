import Glibc
import TestSupport
import Testing

@testable import DocFS

@Suite struct StateDirectoryTests {
    /// A directory of its own for one test.
    private final class Place {
        let path: String

        init() {
            var template = Array("/tmp/docfs-test-XXXXXX".utf8CString)
            path = String(cString: mkdtemp(&template))
        }

        deinit { _ = try? Posix.run(["rm", "-rf", "--", path]) }
    }

    @Test func itIsMadeWithItsParentsAndPrivate() throws {
        let place = Place()
        let state = try StateDirectory(path: place.path + "/a/b")
        #expect(try Posix.status(of: state.directory.number).permissions == 0o700)
        let parent = try Posix.status(at: AT_FDCWD, Array((place.path + "/a").utf8))
        #expect(parent.permissions == 0o700)
    }

    @Test func anOpenOneIsMadePrivate() throws {
        let place = Place()
        chmod(place.path, 0o755)
        let state = try StateDirectory(path: place.path)
        #expect(try Posix.status(of: state.directory.number).permissions == 0o700)
    }

    @Test func aSymbolicLinkIsNotFollowed() throws {
        let place = Place()
        symlink("/tmp", place.path + "/link")
        #expect(throws: MountFailure.self) { try StateDirectory(path: place.path + "/link") }
    }

    @Test func anotherUsersIsRefused() throws {
        let place = Place()
        try #require(geteuid() == 0, "these tests run as root where they can mount")
        chown(place.path, 12345, 12345)
        #expect(
            throws: MountFailure(
                "state directory \(place.path) belongs to another user (12345)")
        ) { try StateDirectory(path: place.path) }
    }

    @Test func oneDaemonAtATime() throws {
        let place = Place()
        let state = try StateDirectory(path: place.path)
        var lock: FileLock? = try state.lock()
        let message = "state directory \(place.path) is in use by process \(getpid())"
        #expect(throws: MountFailure(message)) { try state.lock() }
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(throws: Never.self) { try state.lock() }
    }

    @Test func aKilledDaemonThatCannotEndIsNamedWithTheWayOut() throws {
        let place = Place()
        let state = try StateDirectory(path: place.path)
        let lock = try state.lock()
        func killed(_ process: Int32) -> MountRecord {
            MountRecord(process: process, started: 1, point: "/m", connection: 7)
        }
        let sentence = "state directory \(place.path) is in use by process \(getpid())"
        let control = "/sys/fs/fuse/connections"
        let advice =
            ", which was killed, and ends with its mount's connection; as root: "
            + "mount -t fusectl fusectl \(control); echo 1 >\(control)/7/abort"
        #expect(throws: MountFailure(sentence + advice)) {
            try state.lock(after: killed(getpid()))
        }
        #expect(throws: MountFailure(sentence)) { try state.lock(after: killed(getpid() + 1)) }
        withExtendedLifetime(lock) {}
    }

    @Test func whatIsNoFileAnyMoreIsNamed() throws {
        let place = Place()
        let state = try StateDirectory(path: place.path)
        #expect(throws: Never.self) { try state.checkCatalog() }
        mkdir(place.path + "/lock", 0o700)
        #expect(
            throws: MountFailure("\(place.path)/lock is not a plain file any more: move it away")
        ) { try state.lock() }
        symlink("/etc/hostname", place.path + "/catalog.sqlite-wal")
        #expect(
            throws: MountFailure(
                "\(place.path)/catalog.sqlite-wal is not a plain file any more: move it away")
        ) { try state.checkCatalog() }
        unlink(place.path + "/catalog.sqlite-wal")
        // What SQLite makes anew by itself.
        mkdir(place.path + "/catalog.sqlite-shm", 0o700)
        #expect(throws: Never.self) { try state.checkCatalog() }
        #expect(access(place.path + "/catalog.sqlite-shm", F_OK) != 0)
    }

    @Test func aRecordLeftByADeadDaemonIsNoObstacle() throws {
        let place = Place()
        let state = try StateDirectory(path: place.path)
        #expect(try DeadMount.clear(state) == nil, "nothing was ever mounted")
        let record = MountRecord(
            process: 0x3FFF_FFFF, started: 1, point: place.path + "/m", connection: 7)
        try record.save(in: state)
        #expect(MountRecord(in: state) == record)
        #expect(try DeadMount.clear(state) != nil)
        MountRecord.remove(from: state)
        #expect(MountRecord(in: state) == nil)
    }

    @Test func mountPointsThatCannotBeAreRefusedInWords() throws {
        let place = Place()
        #expect(throws: MountFailure.self) { try MountPoint.checked(place.path + "/missing") }
        #expect(throws: MountFailure("the root cannot be a mount point")) {
            try MountPoint.checked("/")
        }
        #expect(throws: MountFailure("/proc is already mounted (proc)")) {
            try MountPoint.checked("/proc")
        }
        close(creat(place.path + "/file", 0o600))
        #expect(throws: MountFailure("mount point \(place.path)/file: not a directory")) {
            try MountPoint.checked(place.path + "/file")
        }
        #expect(throws: MountFailure("mount point \(place.path): the directory is not empty")) {
            try MountPoint.checked(place.path)
        }
        mkdir(place.path + "/empty", 0o700)
        symlink("empty", place.path + "/link")
        #expect(try MountPoint.checked(place.path + "/link") == place.path + "/empty")
    }
}
