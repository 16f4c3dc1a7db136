import CFuse
import Glibc
import TestSupport
import Testing

@testable import DocFS

/// S2, S4: listing.
@Suite struct LocalListingTests {
    private func fill(_ fixture: LocalFixture, _ count: Int) throws {
        for index in 0..<count { try fixture.put("entry-\(index)", "") }
    }

    @Test(
        "A listing has every name once, with the number that stat has",
        arguments: [1, 7, 100, Int.max], [false, true])
    func complete(batch: Int, withAttributes: Bool) throws {
        let fixture = try LocalFixture()
        try fill(fixture, 300)
        try Posix.makeDirectory(at: fixture.directory.number, Array("d".utf8), mode: 0o755)
        try Posix.symlink(target: [0x78], at: fixture.directory.number, Array("l".utf8))
        let entries = try fixture.list(
            fixture.scope.root, withAttributes: withAttributes, batch: batch)
        let names = try DirectoryStream.names(at: fixture.directory.number)
        #expect(entries.map(\.name).sorted() == names.sorted())
        for entry in entries {
            let found = try #require(
                try fixture.scope.lookup(entry.name, in: fixture.scope.root).attributes)
            #expect(entry.number == found.number)
            #expect(entry.type == found.mode & S_IFMT)
            #expect((entry.attributes != nil) == withAttributes)
            #expect((entry.attributes?.number ?? entry.number) == entry.number)
        }
        #expect(Set(entries.map(\.number)).count == entries.count)
    }

    @Test(
        "Ten thousand entries are listed once each while those listed are removed",
        arguments: [true, false])
    func deleting(withAttributes: Bool) throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fill(fixture, 10_000)
        let listing = try scope.openDirectory(scope.root)
        var cookie: UInt64 = 0
        var names: [Name] = []
        while true {
            var batch: [Name] = []
            try scope.list(listing, from: cookie, withAttributes: withAttributes) { entry in
                if batch.count == 100 { return false }
                batch.append(entry.name)
                cookie = entry.cookie
                return true
            }
            if batch.isEmpty { break }
            for name in batch { try scope.unlink(name, in: scope.root) }
            names += batch
        }
        #expect(Set(names).count == 10_000)
        #expect(names.count == 10_000)
        #expect(try DirectoryStream.names(at: fixture.directory.number).isEmpty)
        try scope.syncDirectory(scope.root)
    }

    @Test("Entries that vanish between being read and being asked are left out, the rest stay")
    func vanishing() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fill(fixture, 2000)
        let listing = try scope.openDirectory(scope.root)
        var names: Set<Name> = []
        var cookie: UInt64 = 0
        try scope.list(listing, from: 0, withAttributes: true) { entry in
            names.insert(entry.name)
            cookie = entry.cookie
            return names.count < 10
        }
        // The stream has read ahead of what was handed out.
        let gone = (0..<2000).map { Name("entry-\($0)") }.filter { !names.contains($0) }.prefix(500)
        for name in gone { try Posix.unlink(at: fixture.directory.number, name.bytes) }
        try scope.list(listing, from: cookie, withAttributes: true) { entry in
            names.insert(entry.name)
            return true
        }
        #expect(names.count == 1500)
        #expect(names.isDisjoint(with: gone))
    }

    @Test("A listing goes on anywhere it was, and begins anew from 0")
    func positions() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fill(fixture, 500)
        let listing = try scope.openDirectory(scope.root)
        var cookies: [UInt64] = [0]
        var names: [Name] = []
        try scope.list(listing, from: 0, withAttributes: false) { entry in
            names.append(entry.name)
            cookies.append(entry.cookie)
            return true
        }
        for start in [499, 3, 250, 0, 251, 250] {
            var rest: [Name] = []
            try scope.list(listing, from: cookies[start], withAttributes: false) { entry in
                rest.append(entry.name)
                return true
            }
            #expect(rest == Array(names[start...]))
        }
        try fixture.put("later", "")
        var again: [Name] = []
        try scope.list(listing, from: 0, withAttributes: false) { entry in
            again.append(entry.name)
            return true
        }
        #expect(Set(again) == Set(names + ["later"]))
    }

    @Test("Two readers of one handle each get whole entries")
    func sharedHandle() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fill(fixture, 1000)
        let listing = try scope.openDirectory(scope.root)
        onThreads(4) { _ in
            var cookie: UInt64 = 0
            var seen: Set<Name> = []
            while true {
                var count = 0
                try? scope.list(listing, from: cookie, withAttributes: false) { entry in
                    if count == 10 { return false }
                    count += 1
                    seen.insert(entry.name)
                    cookie = entry.cookie
                    return true
                }
                if count == 0 { break }
            }
            #expect(seen.count == 1000)
        }
    }

    @Test("The hidden folder is nowhere, and its name cannot be taken")
    func hidden() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        let root = scope.root
        try Posix.makeDirectory(at: fixture.directory.number, Array(".docfs".utf8), mode: 0o700)
        try fixture.put("f", "")
        #expect(try fixture.list(root).map(\.name) == ["f"])
        #expect(try fixture.list(root, withAttributes: true).map(\.name) == ["f"])
        #expect(try scope.lookup(".docfs", in: root).attributes == nil)
        let number = try fixture.number("f")
        for mode in [RenameMode.replace, .noReplace, .exchange] {
            #expect(throws: DocFSError.notPermitted) {
                try scope.rename("f", in: root, to: ".docfs", in: root, mode: mode)
            }
            #expect(throws: DocFSError.notFound) {
                try scope.rename(".docfs", in: root, to: "g", in: root, mode: mode)
            }
        }
        #expect(throws: DocFSError.notPermitted) {
            try scope.makeDirectory(".docfs", in: root, mode: 0o700, caller: fixture.me)
        }
        #expect(throws: DocFSError.notPermitted) {
            try scope.makeNode(
                ".docfs", in: root, mode: S_IFREG | 0o600, device: 0, caller: fixture.me)
        }
        #expect(throws: DocFSError.notPermitted) {
            try scope.makeSymlink(".docfs", in: root, target: [0x78], caller: fixture.me)
        }
        #expect(throws: DocFSError.notPermitted) {
            try scope.create(".docfs", in: root, mode: 0o600, flags: O_RDWR, caller: fixture.me)
        }
        #expect(throws: DocFSError.notPermitted) { try scope.link(number, as: ".docfs", in: root) }
        #expect(throws: DocFSError.notFound) { try scope.unlink(".docfs", in: root) }
        #expect(throws: DocFSError.notFound) { try scope.removeDirectory(".docfs", in: root) }
        #expect(try fixture.bare(".docfs").isDirectory)

        // Further down it is a name as any other.
        let made = try scope.makeDirectory("d", in: root, mode: 0o755, caller: fixture.me)
        let below = try #require(made.attributes).number
        _ = try scope.makeDirectory(".docfs", in: below, mode: 0o755, caller: fixture.me)
        #expect(try fixture.list(below).map(\.name) == [".docfs"])
    }

    @Test("DocFS's own attributes are answered or refused, and never listed")
    func reservedAttributes() throws {
        let fixture = try LocalFixture()
        let scope = fixture.scope
        try fixture.put("f", "")
        let number = try fixture.number("f")
        let file = try Posix.open(
            at: fixture.directory.number, Array("f".utf8), flags: O_RDWR)
        try Posix.setAttribute("user.docfs.id", [1], of: file.number)
        try Posix.setAttribute("user.own", [2], of: file.number)
        #expect(
            try scope.extendedAttribute("user.docfs.scope", of: number) == Array("Local".utf8))
        #expect(throws: DocFSError.noSuchAttribute) {
            try scope.extendedAttribute("user.docfs.id", of: number)
        }
        #expect(throws: DocFSError.notPermitted) {
            try scope.setExtendedAttribute("user.docfs.pin", of: number, value: [], flags: 0)
        }
        #expect(throws: DocFSError.notPermitted) {
            try scope.removeExtendedAttribute("user.docfs.id", of: number)
        }
        for name in ["system.posix_acl_access", "system.posix_acl_default"] {
            #expect(throws: DocFSError.notOffered) {
                try scope.extendedAttribute(name, of: number)
            }
            #expect(throws: DocFSError.notOffered) {
                try scope.setExtendedAttribute(name, of: number, value: [2], flags: 0)
            }
            #expect(throws: DocFSError.notOffered) {
                try scope.removeExtendedAttribute(name, of: number)
            }
        }
        #expect(try scope.extendedAttributeNames(of: number) == ["user.own"])
        #expect(throws: DocFSError.noSuchAttribute) {
            try scope.extendedAttribute("security.capability", of: number)
        }
    }
}
