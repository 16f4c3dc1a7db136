internal import Testing

@testable import DocFS

/// S6, S33: a digest counts only for the body that it was written with.
struct MarkedDigestTests {
    private let digest = Digest(bytes: [UInt8](repeating: 1, count: 32))!
    private let other = Digest(bytes: [UInt8](repeating: 2, count: 32))!

    private func isCarriedOver(recorded: Revision?, known: Body?) -> Bool {
        MarkedDigest.isCarriedOver(
            digest, at: Revision("now"), recorded: recorded, known: known)
    }

    private func body(_ digest: Digest?, _ revision: String) -> Body {
        Body(size: 1, digest: digest, revision: Revision(revision))
    }

    @Test func anOperationCountsForTheRevisionItWasRecordedWith() {
        for known in [nil, body(digest, "now"), body(other, "then"), body(nil, "then")] {
            #expect(!isCarriedOver(recorded: Revision("now"), known: known))
            #expect(isCarriedOver(recorded: Revision("then"), known: known))
        }
    }

    @Test func withoutARecordTheDigestOfTheLogDecides() {
        #expect(isCarriedOver(recorded: nil, known: body(digest, "then")))
        #expect(!isCarriedOver(recorded: nil, known: body(digest, "now")))
    }

    @Test func anEditThatIsNotRecordedYetIsItsAuthors() {
        #expect(!isCarriedOver(recorded: nil, known: nil))
        #expect(!isCarriedOver(recorded: nil, known: body(other, "then")))
        #expect(!isCarriedOver(recorded: nil, known: body(nil, "then")))
    }
}
