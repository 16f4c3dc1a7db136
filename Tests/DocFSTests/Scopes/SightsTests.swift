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

    @Test("Who saw the device's body saves upon it; who saw an earlier one, upon that")
    func outdated() {
        sights.opened(item, under: 10, by: me)
        #expect(sights.base(of: item, for: me) == nil)
        #expect(sights.areCurrent)
        sights.outdate(item, first, unless: 11)
        #expect(!sights.areCurrent)
        #expect(sights.base(of: item, for: me) == first)
        // The base is the version that was seen, not the one that went last.
        sights.outdate(item, Revision("second"), unless: 12)
        #expect(sights.base(of: item, for: me) == first)
    }

    @Test("Opening the new body is seeing it, after a moment")
    func reopened() {
        sights.opened(item, under: 10, by: me)
        sights.outdate(item, first, unless: 11)
        sights.opened(item, under: 11, by: me)
        // An editor that copies the document before it saves has not read it.
        #expect(sights.base(of: item, for: me) == first)
        usleep(1_050_000)
        #expect(sights.base(of: item, for: me) == nil)
        // Told late of what it has opened already.
        sights.outdate(item, first, unless: 11)
        #expect(sights.base(of: item, for: me) == nil)
    }

    @Test("Nobody else's sight counts, nor that of a document nobody opened")
    func others() {
        sights.opened(item, under: 10, by: me)
        sights.outdate(item, first, unless: 11)
        #expect(sights.base(of: item, for: getppid()) == nil)
        #expect(sights.base(of: item, for: 0) == nil)
        #expect(sights.base(of: ItemID(high: 8, low: 8), for: me) == nil)
    }

    @Test("All threads of a process have one sight")
    func threads() {
        sights.opened(item, under: 10, by: docfs_gettid())
        sights.outdate(item, first, unless: 11)
        #expect(sights.base(of: item, for: me) == first)
    }
}
