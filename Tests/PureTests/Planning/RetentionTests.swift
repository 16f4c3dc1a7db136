import Testing

@testable import DocFS

/// What may go, by the store's clock alone (S19).
struct RetentionTests {
    private static let second: UInt64 = 1_000_000_000
    private let retention = Retention(time: 1000 * second, versions: 3)

    private func at(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds, nanoseconds: 5) }

    /// Collections a tenth of the retention apart, the last of them at `seconds`.
    private func collections(_ count: Int, until seconds: Int64) -> [Timestamp] {
        (0..<count).reversed().map { at(seconds - Int64($0) * 100) }
    }

    @Test func nothingGoesBeforeTenCollections() {
        #expect(retention.limit(at: at(5000), collections(9, until: 5000)) == nil)
        #expect(retention.limit(at: at(5000), collections(10, until: 5000)) == at(4000))
    }

    @Test func tenCollectionsMustHaveSeenIt() {
        // The store's clock has jumped: all of them are younger than what it takes for old.
        let first = collections(10, until: 1_000_000)
        #expect(retention.limit(at: at(1_000_000), first) == at(999_000))
        let jumped = collections(8, until: 700) + [at(999_900), at(1_000_000)]
        #expect(retention.limit(at: at(1_000_000), jumped) == at(0))
    }

    @Test func noTimeOfTheFutureCounts() {
        let known = [at(100), at(900_000), at(200)]
        #expect(retention.collections(known, and: at(300)) == [at(100), at(200), at(300)])
        #expect(retention.pause(at: at(300), after: at(900_000)) == 0)
    }

    @Test func theLastTenAreRemembered() {
        let known = collections(10, until: 1000)
        #expect(retention.collections(known, and: at(1100)) == collections(10, until: 1100))
    }

    @Test func collectionsAreATenthApart() {
        #expect(retention.pause(at: at(300), after: nil) == 0)
        #expect(retention.pause(at: at(300), after: at(270)) == 70 * Self.second)
        #expect(retention.pause(at: at(300), after: at(200)) == 0)
        #expect(retention.pause(at: at(.max), after: at(.min)) == 0)
    }

    @Test func theNewestVersionsOfWhatIsThereStay() {
        #expect(retention.surplus(of: 3, isThere: true) == 0)
        #expect(retention.surplus(of: 5, isThere: true) == 2)
        #expect(retention.surplus(of: 3, isThere: false) == 3)
    }
}
