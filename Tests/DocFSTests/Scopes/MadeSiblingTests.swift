import CFuse
import Glibc
import Testing

@testable import DocFS

// S14a
@Suite("Conflict versions that were made here")
struct MadeSiblingTests {
    private static let document = ItemID(high: 1, low: 2)

    private static func made(_ fixture: CloudFixture, _ row: LocalItem) throws -> MadeSibling? {
        try fixture.catalog.read { (read) throws(DocFSError) in
            try read.madeSibling(of: document, scope: row.scope)
        }
    }

    @Test("It is known who has opened one, of whatever it is one, and who has changed it")
    func touched() throws {
        let name = try #require(Posix.name(ofThread: docfs_gettid()))
        let fixture = try CloudFixture(readers: KnownReaders(indexers: [name]))
        try fixture.put("sibling", "what was saved here")
        var row = try fixture.row("sibling")
        // The conflict version of a conflict version belongs to the document of that.
        row.conflictOf = ConflictMark(of: ItemID(high: 9, low: 9))
        let sibling = row
        try fixture.catalog.write { (write) throws(DocFSError) in
            try write.update(sibling)
            try write.setMadeSibling(
                MadeSibling(sibling, of: Self.document, madeFrom: Revision("r1")),
                scope: sibling.scope)
        }
        let fresh = try #require(try Self.made(fixture, row))
        row = try fixture.row("sibling")
        #expect(fresh.basis == Revision("r1") && !fresh.isOpened && fresh.isUntouched(row))

        // An indexer goes by nothing.
        let me = Caller(user: geteuid(), group: getegid(), thread: docfs_gettid())
        let looks = try fixture.scope.open(
            try fixture.number("sibling"), flags: O_RDONLY, caller: me)
        try fixture.close(looks.0)
        #expect(try Self.made(fixture, row)?.isOpened == false)

        let reader = try fixture.open("sibling")
        try fixture.close(reader)
        let opened = try #require(try Self.made(fixture, row))
        row = try fixture.row("sibling")
        #expect(opened.isOpened && opened.isUntouched(row))

        let file = try fixture.open("sibling", O_WRONLY)
        try fixture.write(file, [1], at: 0)
        try fixture.close(file)
        row = try fixture.row("sibling")
        #expect(!opened.isUntouched(row))
    }
}
