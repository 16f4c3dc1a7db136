import Testing

@testable import DocFS

/// Which body both sides of a conflict were made from (S16).
struct ConflictMarkTests {
    private let document = ItemID(high: 0, low: 1)
    private let sibling = ItemID(high: 0, low: 2)

    @Test("Those of a conflict version were made from what they were, not from what the store's is")
    func ofSibling() {
        let remote = ConflictMark(of: document, madeFrom: Revision("2"))
        let own = ConflictMark(of: document, madeFrom: Revision("1"))
        func mark(_ own: ConflictMark?) -> ConflictMark {
            ConflictMark(aside: sibling, remote: remote, own: own, madeFrom: Revision("s"))
        }
        #expect(mark(own) == own)
        #expect(mark(ConflictMark(of: document)) == ConflictMark(of: document))
        #expect(mark(nil) == ConflictMark(of: document))
        let other = ConflictMark(of: sibling, madeFrom: Revision("1"))
        #expect(mark(other) == ConflictMark(of: document))
    }
}
