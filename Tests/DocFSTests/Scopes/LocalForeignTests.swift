import CFuse
import Glibc
import TestSupport
import Testing

@testable import DocFS

/// S2, S4: what other programs do in the directory, and files that lose their names.
@Suite struct LocalForeignTests {
    private func rename(_ fixture: LocalFixture, _ old: String, _ new: String) throws {
        try Posix.rename(
            at: fixture.directory.number, Array(old.utf8), to: fixture.directory.number,
            Array(new.utf8))
    }

    @Test("A number whose file was renamed by others is stale until the new name is looked up")
    func foreignRename() throws {
        let fixture = try LocalFixture()
        try fixture.put("a", "text")
        let number = try fixture.number("a")
        fixture.scope.retain(number)
        try rename(fixture, "a", "b")
        #expect(throws: DocFSError.stale) { try fixture.scope.attributes(of: number) }
        #expect(try fixture.scope.lookup("a", in: fixture.scope.root).attributes == nil)
        #expect(try fixture.number("b") == number)
        #expect(try fixture.scope.attributes(of: number).attributes?.size == 4)
    }

    @Test("A name that others gave to another file never answers for the first one")
    func foreignReplacement() throws {
        let fixture = try LocalFixture()
        try fixture.put("a", "old")
        let number = try fixture.number("a")
        fixture.scope.retain(number)
        try fixture.put("new", "newer")
        try rename(fixture, "new", "a")
        #expect(throws: DocFSError.stale) { try fixture.scope.attributes(of: number) }
        #expect(throws: DocFSError.stale) {
            try fixture.scope.open(number, flags: O_RDONLY, caller: fixture.me)
        }
        let other = try fixture.number("a")
        #expect(other != number)
        #expect(try fixture.scope.attributes(of: other).attributes?.size == 5)
    }

    @Test("A directory that others moved is reached again once it is looked up, with all below it")
    func foreignDirectoryMove() throws {
        let fixture = try LocalFixture()
        try Posix.makeDirectory(at: fixture.directory.number, Array("d".utf8), mode: 0o755)
        try fixture.put("d/f", "x")
        let file = try fixture.number("d/f")
        fixture.scope.retain(file)
        try rename(fixture, "d", "e")
        // The directory is among those that keep a descriptor, so that nothing below it is lost.
        #expect(try fixture.scope.attributes(of: file).attributes?.size == 1)
        #expect(try fixture.number("e/f") == file)
        #expect(throws: DocFSError.notFound) { try fixture.number("d/f") }
    }

    @Test("A directory that others replaced by a link is not followed")
    func linkInTheWay() throws {
        let fixture = try LocalFixture(descriptors: 1)
        let scope = fixture.scope
        for path in ["d", "d/e", "other"] {
            try Posix.makeDirectory(at: fixture.directory.number, Array(path.utf8), mode: 0o755)
        }
        try fixture.put("d/e/f", "x")
        let file = try fixture.number("d/e/f")
        let directory = try fixture.number("d/e")
        for number in [file, directory, try fixture.number("d")] { scope.retain(number) }
        // The one descriptor is another directory's now.
        #expect(try scope.lookup("f", in: try fixture.number("other")).attributes == nil)
        try rename(fixture, "d", "elsewhere")
        // It even leads to the same files.
        try Posix.symlink(
            target: Array("elsewhere".utf8), at: fixture.directory.number, Array("d".utf8))
        #expect(throws: DocFSError.stale) { try scope.attributes(of: file) }
        #expect(throws: DocFSError.stale) { try scope.lookup("f", in: directory) }
        let link = try fixture.number("d")
        #expect(throws: DocFSError.stale) { try scope.lookup("f", in: link) }
        #expect(try fixture.number("elsewhere/e/f") == file)
        #expect(try scope.attributes(of: file).attributes?.size == 1)
    }

    @Test("A file with hard links is reached by whichever name is left")
    func hardLinks() throws {
        let fixture = try LocalFixture()
        try fixture.put("a", "text")
        let number = try fixture.number("a")
        fixture.scope.retain(number)
        for name in ["b", "c", "d"] as [Name] {
            let linked = try fixture.scope.link(number, as: name, in: fixture.scope.root)
            #expect(linked.attributes?.number == number)
        }
        try fixture.scope.unlink("d", in: fixture.scope.root)
        try Posix.unlink(at: fixture.directory.number, Array("c".utf8))
        try Posix.unlink(at: fixture.directory.number, Array("a".utf8))
        #expect(try fixture.scope.attributes(of: number).attributes?.links == 1)
        try fixture.scope.unlink("b", in: fixture.scope.root)
        #expect(throws: DocFSError.stale) { try fixture.scope.attributes(of: number) }
    }

    @Test("A file without a name keeps everything but names while it is open")
    func unlinkedOpen() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let (made, file, _) = try scope.create(
            "f", in: scope.root, mode: 0o600, flags: O_RDWR, caller: fixture.me)
        let number = try #require(made.attributes).number
        scope.retain(number)
        try fixture.write(file, "hello")
        try scope.unlink("f", in: scope.root)

        #expect(try scope.attributes(of: number).attributes?.links == 0)
        #expect(try scope.attributes(of: number, through: file).attributes?.size == 5)
        var change = AttributeChange()
        change.mode = 0o640
        change.size = 2
        change.modified = .set(Timestamp(seconds: 77))
        let changed = try #require(
            try scope.setAttributes(of: number, change, caller: fixture.me).attributes)
        #expect(changed.mode == S_IFREG | 0o640)
        #expect(changed.size == 2)
        #expect(changed.modified == Timestamp(seconds: 77))
        try scope.setExtendedAttribute("user.k", of: number, value: [1], flags: 0)
        #expect(try scope.extendedAttribute("user.k", of: number) == [1])
        #expect(try scope.extendedAttributeNames(of: number) == ["user.k"])
        let (second, caching) = try scope.open(number, flags: O_RDONLY, caller: fixture.me)
        #expect(caching == .keep)
        #expect(try fixture.read(second) == "he")
        #expect(throws: DocFSError.notFound) { try scope.link(number, as: "g", in: scope.root) }

        scope.close(file)
        #expect(try scope.attributes(of: number).attributes?.links == 0)
        scope.close(second)
        #expect(throws: DocFSError.stale) { try scope.attributes(of: number) }
    }

    @Test("A removed directory has attributes and lists nothing while a process works in it")
    func removedDirectory() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let made = try scope.makeDirectory(
            "d", in: scope.root, mode: 0o755, caller: fixture.me)
        let number = try #require(made.attributes).number
        scope.retain(number)
        let listing = try scope.openDirectory(number)
        try scope.removeDirectory("d", in: scope.root)
        #expect(try scope.attributes(of: number).attributes?.links == 0)
        #expect(try scope.lookup("x", in: number).attributes == nil)
        #expect(throws: DocFSError.notFound) {
            try scope.makeDirectory("x", in: number, mode: 0o755, caller: fixture.me)
        }
        var count = 0
        try scope.list(listing, from: 0, withAttributes: true) { _ in
            count += 1
            return true
        }
        #expect(count == 0)
        scope.forget(number)
        #expect(throws: DocFSError.stale) { try scope.attributes(of: number) }
    }

    @Test("A directory that was only a working directory has attributes after it was removed")
    func removedWorkingDirectory() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let made = try scope.makeDirectory(
            "d", in: scope.root, mode: 0o755, caller: fixture.me)
        let number = try #require(made.attributes).number
        scope.retain(number)
        try scope.removeDirectory("d", in: scope.root)
        #expect(try scope.attributes(of: number).attributes?.links == 0)
        scope.forget(number)
        #expect(scope.filesInMemory == 1)
    }

    @Test("S4: an inode that was given to another file is another file to the kernel")
    func reusedInode() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        var earlier: [FileNumber] = []
        // ext4 gives the inode of a removed file to the next one; where a filesystem does not, the
        // numbers differ, and there is nothing that could be confused.
        for count in 0..<20 {
            try fixture.put("f", String(repeating: "x", count: count))
            let number = try fixture.number("f")
            scope.retain(number)
            for (index, old) in earlier.enumerated() where old == number {
                earlier[index] = fixture.kernel.now(number)
                #expect(earlier[index] != number)
            }
            for old in earlier {
                #expect(throws: DocFSError.stale) { try scope.attributes(of: old) }
            }
            let (file, caching) = try scope.open(number, flags: O_RDONLY, caller: fixture.me)
            #expect(caching == .drop)
            #expect(try fixture.read(file).count == count)
            scope.close(file)
            try scope.unlink("f", in: scope.root)
            earlier.append(number)
        }
        #expect(Set(earlier).count == 20)
        for number in earlier { scope.forget(number) }
        #expect(scope.filesInMemory == 1)
    }

    @Test("S4: a directory made in the place of a removed one is not the removed one")
    func reusedDirectory() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        var current: FileNumber?
        for _ in 0..<300 {
            let made = try scope.makeDirectory(
                "d", in: scope.root, mode: 0o755, caller: fixture.me)
            let number = try #require(made.attributes).number
            if number == current {
                let old = fixture.kernel.now(number)
                #expect(old != number)
                #expect(throws: DocFSError.stale) { try scope.attributes(of: old) }
            }
            scope.retain(number)
            current = number
            _ = try scope.makeDirectory("e", in: number, mode: 0o755, caller: fixture.me)
            try scope.removeDirectory("e", in: number)
            try scope.removeDirectory("d", in: scope.root)
        }
    }

    @Test("A file that became a directory answers as a directory")
    func changedType() throws {
        let fixture = try LocalFixture()
        for _ in 0..<10 {
            try fixture.put("f", "x")
            let number = try fixture.number("f")
            fixture.scope.retain(number)
            try Posix.unlink(at: fixture.directory.number, Array("f".utf8))
            try Posix.makeDirectory(at: fixture.directory.number, Array("f".utf8), mode: 0o755)
            try fixture.put("f/g", "y")
            #expect(try fixture.attributes("f/g").size == 1)
            LocalFixture.removeTree(fixture.path + "/f")
        }
    }
}
