import CFuse
import Glibc
import TestSupport
import Testing

@testable import DocFS

/// S4: numbers, and what lookups add to memory.
@Suite struct LocalMemoryTests {
    @Test("All that the kernel forgot is given back")
    func forgotten() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        var numbers: [FileNumber] = []
        for directory in 0..<10 {
            let made = try scope.makeDirectory(
                Name("d\(directory)"), in: scope.root, mode: 0o755, caller: fixture.me)
            let parent = try #require(made.attributes).number
            scope.retain(parent)
            numbers.append(parent)
            for count in 0..<100 { try fixture.put("d\(directory)/f\(count)", "x") }
            for entry in try fixture.list(parent, withAttributes: true) {
                scope.retain(entry.number)
                scope.retain(entry.number)
                numbers.append(entry.number)
            }
        }
        #expect(scope.filesInMemory == 1011)
        // Parents first: they stay as long as something below them is known.
        for number in numbers { scope.forget(number) }
        #expect(scope.filesInMemory == 1011)
        for number in numbers.reversed() { scope.forget(number, count: 5) }
        #expect(scope.filesInMemory == 1)
    }

    @Test("What was looked up and never retained stays bounded")
    func floating() throws {
        let fixture = try LocalFixture()
        for count in 0..<9000 {
            try fixture.put("f", "")
            try Posix.rename(
                at: fixture.directory.number, Array("f".utf8), to: fixture.directory.number,
                Array("f\(count)".utf8))
        }
        #expect(try fixture.list(fixture.scope.root, withAttributes: true).count == 9000)
        #expect(fixture.scope.filesInMemory <= 8193)
        // Still reached: the ones that were answered last.
        let last = try #require(try fixture.list(fixture.scope.root, withAttributes: true).last)
        fixture.scope.retain(last.number)
        #expect(try fixture.scope.attributes(of: last.number).attributes?.number == last.number)
    }

    @Test("Open files hold their number, and closing gives it back")
    func openFiles() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fixture.put("f", "x")
        let number = try fixture.number("f")
        scope.retain(number)
        let (file, _) = try scope.open(number, flags: O_RDONLY, caller: fixture.me)
        #expect(scope.openFiles(of: number).count == 1)
        scope.forget(number)
        #expect(try scope.attributes(of: number).attributes?.size == 1)
        scope.close(file)
        #expect(scope.filesInMemory == 1)
        #expect(throws: DocFSError.stale) { try scope.attributes(of: number) }
    }

    @Test("A directory deeper than any path is reached from the root again")
    func deep() throws {
        let fixture = try LocalFixture(descriptors: 2)
        let scope = fixture.scope
        let name = Name(String(repeating: "d", count: 255))
        var parent = scope.root
        var numbers: [FileNumber] = []
        for _ in 0..<400 {
            let made = try scope.makeDirectory(name, in: parent, mode: 0o755, caller: fixture.me)
            parent = try #require(made.attributes).number
            scope.retain(parent)
            numbers.append(parent)
        }
        let (made, file, _) = try scope.create(
            "f", in: parent, mode: 0o600, flags: O_RDWR, caller: fixture.me)
        let number = try #require(made.attributes).number
        scope.retain(number)
        try fixture.write(file, "deep")
        scope.close(file)
        // The descriptors are other directories' now.
        for name in ["x", "y"] as [Name] {
            let made = try scope.makeDirectory(
                name, in: scope.root, mode: 0o755, caller: fixture.me)
            _ = try scope.lookup("z", in: try #require(made.attributes).number)
        }
        #expect(try scope.attributes(of: number).attributes?.size == 4)
        let (again, _) = try scope.open(number, flags: O_RDONLY, caller: fixture.me)
        #expect(try fixture.read(again) == "deep")
        scope.close(again)
        for (depth, number) in numbers.enumerated().reversed() where depth % 37 == 0 {
            #expect(try scope.attributes(of: number).attributes?.number == number)
        }
        try scope.unlink("f", in: parent)
        for depth in numbers.indices.reversed() {
            try scope.removeDirectory(name, in: depth == 0 ? scope.root : numbers[depth - 1])
        }
        for number in numbers + [number] { scope.forget(number) }
        #expect(scope.filesInMemory <= 3)
    }

    @Test("Descriptors stay bounded, however many directories are used")
    func descriptors() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        func count() throws -> Int {
            let path = Array("/proc/self/task/\(docfs_gettid())/fd".utf8)
            let directory = try Posix.open(at: AT_FDCWD, path, flags: O_RDONLY)
            return try DirectoryStream.names(at: directory.number).count
        }
        let before = try count()
        for index in 0..<600 {
            let made = try scope.makeDirectory(
                Name("d\(index)"), in: scope.root, mode: 0o755, caller: fixture.me)
            let number = try #require(made.attributes).number
            scope.retain(number)
            #expect(try scope.lookup("x", in: number).attributes == nil)
        }
        // Other tests run at the same time and hold some too.
        #expect(try count() - before < 256 * 2)
    }

    @Test("Numbers of one device are the inode with the device above it")
    func plainNumbers() throws {
        let fixture = try LocalFixture()
        try fixture.put("f", "")
        let number = try fixture.number("f")
        #expect(number.value == 1 << 48 | (try fixture.bare("f").inode))
        #expect(number.isLocal)
        #expect(fixture.scope.number(of: try fixture.bare("f")) == number)
        #expect(fixture.scope.root.value == 1 << 48 | (try fixture.bare("").inode))
    }

    @Test(
        "Every inode on every device has a number of Local",
        arguments: [0, 1, 4711, 0x3FFE] as [UInt64])
    func range(index: UInt64) {
        for inode in [1, 2, 1 << 47, 1 << 48 - 1, 1 << 48, 1 << 63, .max] as [UInt64] {
            let number = LocalNumbers.number(of: inode, on: index)
            #expect(number.isLocal)
            #expect(LocalNumbers.next(after: number).isLocal)
            #expect(LocalNumbers.next(after: number) != number)
        }
        #expect(
            LocalNumbers.number(of: 5, on: index) != LocalNumbers.number(of: 5, on: index ^ 1))
    }

    @Test("Devices are numbered once, by who knows their lasting index")
    func deviceIndices() {
        let lasting = LocalNumbers(rootDevice: 7) { device in device * 10 }
        #expect(lasting.index(of: 7) == 0)
        #expect(lasting.index(of: 8) == 80)
        #expect(lasting.index(of: 8) == 80)
        let counted = LocalNumbers(rootDevice: 7, assign: nil)
        #expect([8, 9, 8, 7, 10].map(counted.index(of:)) == [1, 2, 1, 0, 3])
    }

    @Test("Two great inodes that fold to one number get two")
    func folded() throws {
        let fixture = try LocalFixture()
        let table = fixture.scope.table
        var status = try fixture.bare("")
        status.mode = S_IFREG | 0o600
        func record(_ inode: UInt64, _ name: Name) throws -> FileNumber {
            status.inode = inode
            guard case .number(let number) = table.record(status, name, in: fixture.scope.root)
            else { throw DocFSError.stale }
            return number
        }
        // The product of the folding only depends on the low 64 bits: these two differ by what is
        // lost when its lowest 16 are cut.
        let inverse: UInt64 = 0xF1DE_83E1_9937_733D
        #expect(inverse &* 0x9E37_79B9_7F4A_7C15 == 1)
        let one: UInt64 = inverse &* (0xABCD_EF01_2345 << 16 | 1)
        let two: UInt64 = inverse &* (0xABCD_EF01_2345 << 16 | 2)
        try #require(one >> 48 != 0 && two >> 48 != 0)
        let first = try record(one, "one")
        table.retain(first)
        let second = try record(two, "two")
        table.retain(second)
        #expect(LocalNumbers.number(of: one, on: 0) == LocalNumbers.number(of: two, on: 0))
        #expect(first != second)
        #expect(try record(one, "one") == first)
        #expect(try record(two, "two") == second)
        table.forget(first, 1)
        #expect(try record(two, "two") == second)
    }
}
