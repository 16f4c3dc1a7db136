import Testing

@testable import DocFS

/// What is known of bodies in the store that may be those that the log has.
struct DoubtfulBodiesTests {
    private let path = ItemPath("doc")
    private let digest = SHA256.digest(of: [])

    private func body(_ token: String) -> Body {
        Body(size: 3, digest: nil, revision: Revision(token))
    }

    private func isTold(_ answer: DoubtfulBodies.Answer?) -> Bool {
        if case .digest(let found)? = answer { return found == digest }
        return false
    }

    // S33
    @Test("What was read of a body says nothing of the one that took its place meanwhile")
    func anotherMeanwhile() {
        var doubts = DoubtfulBodies()
        _ = doubts.answer(for: path, body("1"))
        let first = doubts.next()
        #expect(first?.body == body("1"))
        doubts.forget(path)
        _ = doubts.answer(for: path, body("2"))
        doubts.finish(path, body("1"), with: .digest(digest))
        let early = doubts.answer(for: path, body("2"))
        #expect(!isTold(early))
        let second = doubts.next()
        #expect(second?.body == body("2"))
        doubts.finish(path, body("2"), with: .digest(digest))
        let late = doubts.answer(for: path, body("2"))
        #expect(isTold(late))
    }

    // S33
    @Test("A body that can never be read is taken as another one in the end")
    func neverRead() {
        var doubts = DoubtfulBodies()
        var reads = 0
        var isUnknown = false
        while reads < 100, !isUnknown {
            if case .unknown? = doubts.answer(for: path, body("1")) {
                isUnknown = true
            } else if doubts.next() != nil {
                reads += 1
                doubts.finish(path, body("1"), with: nil)
            }
        }
        #expect(isUnknown)
        #expect(reads == 4)
    }
}
