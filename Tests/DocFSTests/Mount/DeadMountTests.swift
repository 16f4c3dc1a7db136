import Glibc
import TestSupport
import Testing

@testable import DocFS

/// What is known of a mount and its daemon without touching it.
@Suite struct DeadMountTests {
    @Test func theTableOfMountsIsRead() {
        let table = MountTable(
            text: Array(
                """
                22 28 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw
                30 28 0:40 / /mnt/my\\040docs\\134x rw,relatime - fuse.docfs docfs rw,user_id=0
                31 28 0:41 / /mnt/my\\040docs\\134x rw shared:1 master:2 - fuse.docfs docfs rw
                nonsense
                40 28 254:1 / / rw - ext4 /dev/vda1 rw

                """.utf8))
        #expect(table.entries.count == 4)
        #expect(table.mount(at: "/mnt/my docs\\x")?.minor == 41, "the last is the visible one")
        #expect(table.mount(at: "/mnt/my docs\\x")?.type == "fuse.docfs")
        #expect(table.mount(at: "/")?.major == 254)
        #expect(table.mount(at: "/mnt") == nil)
    }

    @Test func thisProcessIsAlive() throws {
        let record = try MountRecord.own(point: "/m")
        #expect(record.isAlive)
        var older = record
        older.started -= 1
        #expect(!older.isAlive, "another process has that id now")
        older = record
        older.process = 0x3FFF_FFFF
        #expect(!older.isAlive)
    }

    @Test func aZombieIsDead() async throws {
        var child = pid_t()
        let arguments = [strdup("true"), nil]
        defer { free(arguments[0]) }
        try #require(posix_spawnp(&child, "true", nil, nil, arguments, environ) == 0)
        // Not waited for, it stays as a zombie.
        try await eventually("it has ended") { ProcessStatus(child)?.isEnding == true }
        waitpid(child, nil, 0)
        #expect(ProcessStatus(child)?.started == nil)
    }

    @Test func aKilledProcessThatCannotDieYetIsDead() throws {
        let stat = Array("77 (a) b) D 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0".utf8)
        let killed = Array("SigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\n".utf8)
        let living = Array("SigPnd:\t0000000000000000\nShdPnd:\t0000000000004000\n".utf8)
        #expect(ProcessStatus(stat: stat, status: killed)?.isEnding == true)
        #expect(ProcessStatus(stat: stat, status: living)?.isEnding == false)
        #expect(ProcessStatus(stat: stat, status: living)?.started == 4242)
        #expect(ProcessStatus(stat: Array("77".utf8), status: living) == nil)
    }

    @Test func aRecordIsReadAsItWasWritten() {
        let record = MountRecord(process: 5, started: 77, point: "/a\nb", connection: 40)
        #expect(MountRecord(text: record.text) == record)
        var early = record
        early.connection = nil
        #expect(MountRecord(text: early.text) == early)
        #expect(MountRecord(text: "5\n77\n40\nrelative\n") == nil)
        #expect(MountRecord(text: "5\n77\n") == nil)
        #expect(MountRecord(text: "") == nil)
    }
}
