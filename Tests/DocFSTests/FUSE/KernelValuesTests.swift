import CFuse
import Glibc
import Testing

@testable import DocFS

@Suite struct KernelValuesTests {
    @Test func onlyWhatASetattrNamesIsChanged() {
        var wanted = stat()
        wanted.st_mode = S_IFREG | 0o4755
        wanted.st_uid = 7
        wanted.st_size = 99
        wanted.st_mtim = timespec(tv_sec: -5, tv_nsec: 3)
        let none = AttributeChange(wanted, fields: 0)
        #expect(none.mode == nil && none.owner == nil && none.group == nil && none.size == nil)
        #expect(none.accessed == .keep && none.modified == .keep)

        let some = AttributeChange(
            wanted,
            fields: FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_MTIME
                | FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW)
        #expect(some.mode == 0o4755)
        #expect(some.owner == nil)
        #expect(some.size == 99)
        #expect(some.accessed == .now)
        #expect(some.modified == .set(Timestamp(seconds: -5, nanoseconds: 3)))
    }

    @Test func flagsOfRenameAreReadOrRefused() throws {
        #expect(try RenameMode(flags: 0) == .replace)
        #expect(try RenameMode(flags: docfs_rename_noreplace) == .noReplace)
        #expect(try RenameMode(flags: docfs_rename_exchange) == .exchange)
        #expect(throws: DocFSError.invalidArgument) { try RenameMode(flags: 4) }
    }

    @Test func aWriteTakesSetIDBitsThatArePrivileges() {
        #expect(SetID.dropped(S_IFREG | 0o4755) == 0o755)
        #expect(SetID.dropped(S_IFREG | 0o6775) == 0o775)
        #expect(SetID.dropped(S_IFREG | 0o644) == nil)
        // Set-group-id without group execution is no privilege (inode(7)).
        #expect(SetID.dropped(S_IFREG | 0o2644) == nil)
        #expect(SetID.dropped(S_IFREG | 0o6644) == 0o2644)
        #expect(SetID.dropped(S_IFDIR | 0o2775) == nil)
    }

    @Test func aNameOfMoreThan255BytesIsTooLong() throws {
        #expect(try name(String(repeating: "x", count: 255)).bytes.count == 255)
        #expect(throws: DocFSError.nameTooLong) {
            try name(String(repeating: "x", count: 256))
        }
    }
}
