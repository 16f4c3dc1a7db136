import CFuse
import Glibc
import Testing

@testable import DocFS

// S14a
@Suite("What each process has seen")
struct SightsTests {
    private let sights = Sights()
    private let item = ItemID(high: 7, low: 7)
    private let first = Revision("first")
    private let me = getpid()

    private func base() -> Revision? { sights.base(of: item, for: me) { _ in false } }

    @Test("Who read the device's body saves upon it; who read an earlier one, upon that")
    func outdated() {
        #expect(sights.opened(item, under: 10, by: me) == nil)
        #expect(base() == nil)
        #expect(sights.areCurrent)
        sights.outdate(item, first, unless: 11)
        #expect(!sights.areCurrent)
        #expect(base() == first)
        // The base is the version that was read, not the one that went last.
        sights.outdate(item, Revision("second"), unless: 12)
        #expect(base() == first)
    }

    @Test("Reading the whole of the new body is knowing it, opening it is not")
    func reopened() throws {
        _ = sights.opened(item, under: 10, by: me)
        sights.outdate(item, first, unless: 11)
        let reading = try #require(sights.opened(item, under: 11, by: me))
        reading.served(0..<60, of: 100)
        #expect(base() == first)
        reading.served(60..<160, of: 100)
        #expect(base() == nil)
        #expect(sights.areCurrent)
        // Told late of what it has read already.
        sights.outdate(item, first, unless: 11)
        #expect(base() == nil)
    }

    @Test("What was read before yet another version arrived is not knowing that")
    func readTooEarly() throws {
        _ = sights.opened(item, under: 10, by: me)
        sights.outdate(item, first, unless: 11)
        let reading = try #require(sights.opened(item, under: 11, by: me))
        sights.outdate(item, Revision("second"), unless: 12)
        reading.served(0..<100, of: 100)
        #expect(base() == first)
    }

    @Test("The files that a program wrote while it is behind are looked at for copies")
    func copies() throws {
        sights.wrote(20, by: me)
        _ = sights.opened(item, under: 10, by: me)
        sights.outdate(item, first, unless: 11)
        sights.wrote(21, by: me)
        sights.wrote(22, by: getppid())
        let reading = try #require(sights.opened(item, under: 11, by: me))
        reading.served(0..<100, of: 100)
        var asked: [Int64] = []
        func save() -> Revision? {
            asked = []
            return sights.base(of: item, for: me) { ino in
                asked.append(ino)
                return ino == 21
            }
        }
        #expect(save() == first)
        #expect(asked == [21])
        // Nobody asks where nothing was read.
        #expect(save() == first)
        #expect(asked.isEmpty)
        // The backup stood for that reading.
        reading.served(0..<100, of: 100)
        #expect(save() == nil)
    }

    @Test("Who opened the former body is behind, though nobody told of it")
    func former() {
        sights.openedFormer(item, madeFrom: first, by: me)
        #expect(base() == first)
    }

    @Test("Who opened what is shown again, when an edit gives way to it, knows it")
    func shownAgain() {
        _ = sights.opened(item, at: Revision("second"), under: 10, by: me)
        sights.outdate(item, first, by: Revision("second"), unless: 11)
        #expect(sights.areCurrent)
        // What it opened is the base, whatever the edit was made from that gives way.
        sights.outdate(item, first, by: Revision("third"), unless: 12)
        #expect(base() == Revision("second"))
    }

    @Test("What was opened just before it was replaced is not what is shown")
    func tooEarly() throws {
        _ = sights.opened(item, under: 10, by: me)
        sights.outdate(item, first, unless: 11)
        let reading = try #require(sights.opened(item, under: 10, by: me))
        sights.openedTooEarly(item, under: 10, madeFrom: first, by: me)
        reading.served(0..<100, of: 100)
        #expect(base() == first)
    }

    @Test("Nor is it where nobody knew of the program when it was replaced")
    func muchTooEarly() {
        sights.outdate(item, first, unless: 11)
        #expect(sights.arrivals == 1)
        _ = sights.opened(item, under: 10, by: me)
        sights.openedTooEarly(item, under: 10, madeFrom: first, by: me)
        #expect(base() == first)
    }

    @Test("A backup of an earlier save stands for no later reading")
    func earlierCopies() throws {
        _ = sights.opened(item, under: 10, by: me)
        sights.outdate(item, first, unless: 11)
        sights.wrote(21, by: me)
        #expect(base() == first)
        let reading = try #require(sights.opened(item, under: 11, by: me))
        reading.served(0..<100, of: 100)
        #expect(sights.base(of: item, for: me) { _ in true } == nil)
    }

    @Test("Who has ended is behind nothing")
    func ended() throws {
        var child = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
        defer { for argument in arguments { free(argument) } }
        try #require(posix_spawnp(&child, "sleep", nil, nil, &arguments, environ) == 0)
        _ = sights.opened(item, under: 10, by: child)
        sights.outdate(item, first, unless: 11)
        #expect(!sights.areCurrent)
        kill(child, SIGKILL)
        waitpid(child, nil, 0)
        sights.outdate(item, first, unless: 12)
        #expect(sights.areCurrent)
    }

    @Test("Nobody else's sight counts, nor that of a document nobody opened")
    func others() {
        _ = sights.opened(item, under: 10, by: me)
        sights.outdate(item, first, unless: 11)
        #expect(sights.base(of: item, for: getppid()) { _ in false } == nil)
        #expect(sights.base(of: item, for: 0) { _ in false } == nil)
        #expect(sights.base(of: ItemID(high: 8, low: 8), for: me) { _ in false } == nil)
        #expect(base() == first)
    }

    @Test("All threads of a process have one sight")
    func threads() {
        _ = sights.opened(item, under: 10, by: docfs_gettid())
        sights.outdate(item, first, unless: 11)
        #expect(base() == first)
    }
}
