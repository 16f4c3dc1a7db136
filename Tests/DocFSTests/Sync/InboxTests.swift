import Testing

@testable import DocFS

/// What the user changed, until it has settled.
struct InboxTests {
    private let clock = StillClock()
    private let item = ItemID(high: 0, low: 1)
    private static let tenth: UInt64 = 100_000_000

    // S14
    @Test("An item that is never left alone is handed over every thirty seconds all the same")
    func neverLeftAlone() {
        let inbox = Inbox(clock: clock, settle: 1_000_000_000)
        var taken: [Int] = []
        for tick in 0..<650 {
            inbox.itemsBecamePending([item], bySyncing: false)
            let news = inbox.take()
            if news.changed[item] != nil {
                taken.append(tick)
                #expect(news.overdue == [item])
            }
            clock.advance(nanoseconds: Self.tenth)
        }
        #expect(taken == [300, 601])
        // Left alone, it is settled as any other.
        clock.advance(nanoseconds: 1_000_000_000)
        let news = inbox.take()
        #expect(news.changed[item] != nil)
        #expect(news.overdue.isEmpty)
    }

    // S14
    @Test("What the user wants to be sent now does not settle, and what is changed after that does")
    func hurried() {
        let inbox = Inbox(clock: clock, settle: 1_000_000_000)
        let other = ItemID(high: 0, low: 2)
        inbox.itemsBecamePending([item, other], bySyncing: false)
        inbox.hurry([item])
        #expect(inbox.withdraw([item, other]).keys.sorted() == [other])
        var news = inbox.take()
        #expect((news.hurried, news.allIsHurried) == ([item], false))
        #expect(news.changed.isEmpty)
        inbox.itemsBecamePending([item], bySyncing: false)
        #expect(inbox.take().hurried.isEmpty)
        #expect(inbox.nextSettled == clock.now() + 1_000_000_000)
        inbox.hurry(nil)
        #expect(inbox.nextSettled == nil)
        news = inbox.take()
        #expect(news.allIsHurried)
        #expect(inbox.unsettledCount == 0)
    }

    @Test("What syncing made pending is told of once, unless it becomes so again meanwhile")
    func withdrawn() {
        let inbox = Inbox(clock: clock, settle: 1_000_000_000)
        let other = ItemID(high: 0, low: 2)
        inbox.itemsBecamePending([item, other], bySyncing: true)
        #expect(inbox.withdraw([item]).isEmpty)
        #expect(inbox.take().pending == [other])
        #expect(inbox.withdraw([item]).isEmpty)
        inbox.itemsBecamePending([item], bySyncing: true)
        #expect(inbox.take().pending == [item])
        // The user's changes wait until they have settled all the same.
        inbox.itemsBecamePending([item], bySyncing: false)
        #expect(inbox.withdraw([item]).keys.sorted() == [item])
        clock.advance(nanoseconds: 1_000_000_000)
        #expect(inbox.take().changed[item] != nil)
    }

    @Test("An item is in the queue once, at its earlier place, and again once it was taken")
    func queuedOnce() {
        var queue = ItemsToPlan()
        let items = (1...3).map { ItemID(high: 0, low: $0) }
        queue += items
        queue.append(items[1])
        #expect(Array(queue.take(atMost: 2)) == Array(items[..<2]))
        queue += [items[2], items[0], items[0]]
        #expect(!queue.isEmpty)
        #expect(Array(queue.take(atMost: 8)) == [items[2], items[0]])
        #expect(queue.isEmpty)
        #expect(queue.take(atMost: 8).isEmpty)
    }

    @Test(
        "S29: changes of one save are told of together, whatever else goes on, and none waits long")
    func toldTogether() {
        let inbox = Inbox(clock: clock, settle: 1_000_000_000) { true }
        let items = (1...3).map { ItemID(high: 1, low: $0) }
        inbox.itemsBecamePending([items[0]], bySyncing: false)
        clock.advance(nanoseconds: 2 * Self.tenth)
        inbox.itemsBecamePending([items[1]], bySyncing: false)
        clock.advance(nanoseconds: 8 * Self.tenth)
        inbox.itemsBecamePending([items[2]], bySyncing: false)
        clock.advance(nanoseconds: 3 * Self.tenth)
        #expect(inbox.takeUntold().isEmpty, "the second one may still be changed")
        clock.advance(nanoseconds: 2 * Self.tenth)
        #expect(inbox.takeUntold() == [items[0], items[1]])
        #expect(inbox.untold(among: items) == [items[2]])
        // One after the other, without end.
        var told: [Int] = []
        for tick in 0..<50 {
            inbox.itemsBecamePending([ItemID(high: 2, low: UInt64(tick))], bySyncing: false)
            told.append(inbox.takeUntold().count)
            clock.advance(nanoseconds: Self.tenth)
        }
        #expect(told.reduce(0, +) > 25)
    }

    @Test("S29: where nobody reads, nothing is kept to be told")
    func untold() {
        let inbox = Inbox(clock: clock, settle: 1_000_000_000)
        inbox.itemsBecamePending([item], bySyncing: false)
        #expect(inbox.untold(among: [item]).isEmpty && inbox.nextUntold == nil)
    }

    // S14
    @Test("What is left alone is handed over when it has settled, and not before")
    func settled() {
        let inbox = Inbox(clock: clock, settle: 1_000_000_000)
        inbox.itemsBecamePending([item], bySyncing: false)
        clock.advance(nanoseconds: 999_999_999)
        #expect(inbox.take().changed.isEmpty)
        clock.advance(nanoseconds: 1)
        let news = inbox.take()
        #expect(news.changed.keys.sorted() == [item])
        #expect(news.overdue.isEmpty)
    }
}
