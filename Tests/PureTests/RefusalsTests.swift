internal import Testing

@testable import DocFS

/// How long a read that failed for no fault of the document's is remembered (S32).
struct RefusalsTests {
    @Test("A refusal is news once, and another reason is news again")
    func news() {
        var refusals = Refusals()
        let news = [
            refusals.add(1, 1, .deadline), refusals.add(1, 1, .deadline),
            refusals.add(1, 1, .offline("away")),
        ]
        #expect(news == [true, false, true])
        #expect(refusals.reason(of: 1, scope: 1) == .offline("away"))
        #expect(refusals.reason(of: 2, scope: 1) == nil)
    }

    @Test("It is over once its scope is in reach, and news again when it comes back")
    func end() {
        var refusals = Refusals()
        _ = refusals.add(1, 1, .offline("away"))
        _ = refusals.add(2, 2, .offline("away"))
        refusals.end(scope: 1)
        #expect(refusals.reason(of: 1, scope: 1) == nil)
        #expect(refusals.reason(of: 2, scope: 2) == .offline("away"))
        let isNews = refusals.add(1, 1, .offline("away"))
        #expect(isNews)
    }

    @Test("A scope that was silent is so no more once it has sent anything, and not before")
    func silence() {
        var refusals = Refusals()
        for ino in 1...3 as ClosedRange<Int64> { _ = refusals.add(ino, 1, .deadline) }
        _ = refusals.add(4, 1, .credentialsRefused("no"))
        refusals.end(scope: 1)
        #expect(refusals.reason(of: 4, scope: 1) == nil)
        #expect(refusals.reason(of: 1, scope: 1) == .deadline)
        _ = refusals.add(4, 1, .credentialsRefused("no"))
        refusals.end(2, scope: 1)
        let left = (1...4 as ClosedRange<Int64>).filter { refusals.reason(of: $0, scope: 1) != nil }
        #expect(left == [4])
    }

    @Test("A thousand documents of a scope are remembered, and leave room for those of others")
    func capacity() {
        var refusals = Refusals()
        let news = (0..<1_002 as Range<Int64>).filter { refusals.add($0, 1, .deadline) }
        #expect(news == Array(0..<1_000))
        let others = refusals.add(1_001, 2, .deadline)
        // One that is known may still have another reason.
        let another = refusals.add(7, 1, .offline("away"))
        #expect(others && another)
    }

    @Test("The log has each failure of a document once, until its bytes come")
    func log() {
        var refusals = Refusals()
        var logged = [
            refusals.log(1, .diskFull), refusals.log(1, .diskFull), refusals.log(1, .deadline),
        ]
        refusals.end(1)
        logged.append(refusals.log(1, .deadline))
        #expect(logged == [true, false, true, true])
        let news = (2..<1_003 as Range<Int64>).filter { refusals.log($0, .deadline) }
        #expect(news == Array(2..<1_001))
    }
}
