import CFuse
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// What moves across scopes (S24) are made of, and moves under many threads.
@Suite struct LocalMoveTests {
    private func hiddenFolder(_ fixture: LocalFixture) throws -> Descriptor {
        try Posix.makeDirectory(at: fixture.directory.number, Array(".docfs".utf8), mode: 0o700)
        return try Posix.open(
            at: fixture.directory.number, Array(".docfs".utf8), flags: O_RDONLY | O_DIRECTORY)
    }

    @Test("A file leaves with its open handles, and comes back")
    func file() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let hidden = try hiddenFolder(fixture)
        try fixture.put("f", "text")
        let number = try fixture.number("f")
        scope.retain(number)
        let (file, _) = try scope.open(number, flags: O_RDWR, caller: fixture.me)
        #expect(try scope.status(of: "f", in: scope.root).size == 4)

        try scope.detach("f", in: scope.root, into: hidden.number, as: Array("c1".utf8))
        #expect(try scope.lookup("f", in: scope.root).attributes == nil)
        try fixture.write(file, "more", at: 4)
        #expect(try scope.attributes(of: number).attributes?.size == 8)
        #expect(scope.openFiles(of: number).count == 1)

        let back = try scope.attach(
            from: hidden.number, Array("c1".utf8), as: "g", in: scope.root, mode: .noReplace)
        #expect(back.number == number)
        #expect(back.size == 8)
        #expect(try fixture.number("g") == number)
        #expect(scope.openFiles(of: number).count == 1)
        #expect(file.number == number)
        scope.close(file)
        #expect(try fixture.attributes("g").size == 8)
    }

    @Test("A handle given to another scope is not Local's any more, and one that comes is")
    func handles() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let hidden = try hiddenFolder(fixture)
        try fixture.put("f", "text")
        let number = try fixture.number("f")
        scope.retain(number)
        let (file, _) = try scope.open(number, flags: O_RDWR, caller: fixture.me)
        let descriptor = try #require(file.descriptor)
        try scope.detach("f", in: scope.root, into: hidden.number, as: Array("c1".utf8))
        for open in scope.openFiles(of: number) {
            scope.release(open, from: number)
            open.move(to: FileNumber(42), descriptor: nil, content: nil)
        }
        #expect(scope.openFiles(of: number).isEmpty)
        #expect(throws: DocFSError.stale) { try scope.attributes(of: number) }

        let back = try scope.attach(
            from: hidden.number, Array("c1".utf8), as: "f", in: scope.root, mode: .replace)
        scope.retain(back.number)
        #expect(throws: DocFSError.badHandle) { try scope.adopt(file) }
        file.move(to: back.number, descriptor: descriptor, content: nil)
        try scope.adopt(file)
        #expect(scope.openFiles(of: back.number).count == 1)
        try scope.unlink("f", in: scope.root)
        #expect(try scope.attributes(of: back.number).attributes?.links == 0)
        scope.close(file)
    }

    @Test("A directory leaves with everything in it, whose numbers are known")
    func directory() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let hidden = try hiddenFolder(fixture)
        for path in ["d", "d/e", "x"] {
            try Posix.makeDirectory(at: fixture.directory.number, Array(path.utf8), mode: 0o755)
        }
        for path in ["d/e/f", "d/g", "x/y"] { try fixture.put(path, path) }
        let paths = ["d", "d/e", "d/e/f", "d/g", "x", "x/y"]
        let numbers = try paths.map { path in
            let number = try fixture.number(path)
            scope.retain(number)
            return number
        }
        #expect(Set(scope.numbersInMemory(below: numbers[0])) == Set(numbers[0...3]))
        #expect(Set(scope.numbersInMemory(below: scope.root)) == Set(numbers + [scope.root]))
        let (file, _) = try scope.open(numbers[2], flags: O_RDWR, caller: fixture.me)
        try scope.detach("d", in: scope.root, into: hidden.number, as: Array("c2".utf8))
        #expect(try scope.attributes(of: numbers[2]).attributes?.size == 5)
        #expect(throws: DocFSError.notFound) { try fixture.number("d/g") }
        let back = try scope.attach(
            from: hidden.number, Array("c2".utf8), as: "z", in: numbers[4], mode: .replace)
        #expect(back.number == numbers[0])
        #expect(try fixture.number("x/z/e/f") == numbers[2])
        #expect(try fixture.read(file) == "d/e/f")
        scope.close(file)
    }

    @Test("What comes may replace, refuse or exchange what is there")
    func modes() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let hidden = try hiddenFolder(fixture)
        try fixture.put("f", "here")
        try fixture.put(".docfs/c", "incoming")
        #expect(throws: DocFSError.exists) {
            try scope.attach(
                from: hidden.number, Array("c".utf8), as: "f", in: scope.root, mode: .noReplace)
        }
        let old = try fixture.number("f")
        scope.retain(old)
        let exchanged = try scope.attach(
            from: hidden.number, Array("c".utf8), as: "f", in: scope.root, mode: .exchange)
        #expect(exchanged.size == 8)
        #expect(try fixture.bare(".docfs/c").size == 4)
        #expect(throws: DocFSError.stale) { try scope.attributes(of: old) }
        let replaced = try scope.attach(
            from: hidden.number, Array("c".utf8), as: "f", in: scope.root, mode: .replace)
        #expect(replaced.number == old)
        #expect(try scope.attributes(of: old).attributes?.size == 4)
        #expect(throws: DocFSError.notPermitted) {
            try scope.attach(
                from: hidden.number, Array("c".utf8), as: ".docfs", in: scope.root, mode: .replace)
        }
    }

    @Test("Both files of an exchange are reached without being looked up again")
    func exchange() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try Posix.makeDirectory(at: fixture.directory.number, Array("d".utf8), mode: 0o755)
        try fixture.put("d/f", "inside")
        try fixture.put("g", "outside")
        let numbers = try ["d", "d/f", "g"].map { path in
            let number = try fixture.number(path)
            scope.retain(number)
            return number
        }
        try scope.rename("d", in: scope.root, to: "g", in: scope.root, mode: .exchange)
        #expect(try numbers.map { try scope.attributes(of: $0).attributes?.number } == numbers)
        try scope.rename("f", in: numbers[0], to: "d", in: scope.root, mode: .exchange)
        #expect(try numbers.map { try scope.attributes(of: $0).attributes?.number } == numbers)
        #expect(try fixture.attributes("g/f").size == 7)
    }

    @Test("A rename from one name of a file to another does nothing, as rename(2) says")
    func renameToItself() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fixture.put("a", "x")
        let number = try fixture.number("a")
        scope.retain(number)
        _ = try scope.link(number, as: "b", in: scope.root)
        try scope.rename("a", in: scope.root, to: "b", in: scope.root, mode: .replace)
        try scope.unlink("b", in: scope.root)
        #expect(try scope.attributes(of: number).attributes?.links == 1)
    }

    @Test("A status from before a rename does not bring the old name back")
    func outdatedName() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fixture.put("a", "x")
        let number = try fixture.number("a")
        scope.retain(number)
        let generation = scope.table.generation
        let status = try fixture.bare("a")
        try scope.rename("a", in: scope.root, to: "b", in: scope.root, mode: .replace)
        guard
            case .outdated = scope.table.record(
                status, "a", in: scope.root, generation: generation)
        else {
            Issue.record("the old name was noted")
            return
        }
        #expect(try scope.attributes(of: number).attributes?.size == 1)
        guard
            case .number(number) = scope.table.record(
                status, "b", in: scope.root, generation: generation)
        else {
            Issue.record("the new name was not noted")
            return
        }
    }

    @Test("Who finds nothing under a name that is just moving waits for the new one")
    func waitsForMove() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fixture.put("a", "x")
        let number = try fixture.number("a")
        scope.retain(number)
        let isMoving = Atomic(false)
        let size = Mutex<UInt64?>(nil)
        onThreads(2) { index in
            if index == 0 {
                try? scope.whileMoving { () throws(DocFSError) in
                    let root = fixture.directory.number
                    try Posix.rename(at: root, Array("a".utf8), to: root, Array("b".utf8))
                    isMoving.store(true, ordering: .releasing)
                    // Time enough for the other one to look before it is told.
                    usleep(100_000)
                    let status = try Posix.status(at: root, Array("b".utf8))
                    scope.table.moved("a", in: scope.root, to: "b", in: scope.root, status)
                }
            } else {
                // Until the other thread has renamed it.
                while !isMoving.load(ordering: .acquiring) { usleep(100) }
                let found = try? scope.attributes(of: number).attributes
                size.withLock { $0 = found?.size }
            }
        }
        #expect(size.withLock { $0 } == 1)
    }

    @Test("A directory that is being renamed all the time never loses what is in it")
    func renamedUnderReaders() throws {
        let fixture = try LocalFixture(descriptors: 1)
        let scope = fixture.scope
        for path in ["a", "a/e", "other"] {
            try Posix.makeDirectory(at: fixture.directory.number, Array(path.utf8), mode: 0o755)
        }
        try fixture.put("a/e/f", "text")
        let other = try fixture.number("other")
        let directory = try fixture.number("a/e")
        let number = try fixture.number("a/e/f")
        for number in [other, directory, number] { scope.retain(number) }
        let failures = Mutex<[String]>([])
        onThreads(4) { index in
            do {
                for round in 0..<400 {
                    switch index {
                    case 0:
                        let isThere = round % 2 == 0
                        try scope.rename(
                            isThere ? "a" : "b", in: isThere ? scope.root : other,
                            to: isThere ? "b" : "a", in: isThere ? other : scope.root,
                            mode: .replace)
                    case 1: _ = try scope.lookup("x", in: other)
                    case 2: _ = try scope.attributes(of: number)
                    default: _ = try scope.lookup("f", in: directory)
                    }
                }
            } catch {
                failures.withLock { $0.append("\(index): \(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try fixture.number("a/e/f") == number)
    }
}
