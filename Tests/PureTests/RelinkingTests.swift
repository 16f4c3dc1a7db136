import Testing

@testable import DocFS

// S24
@Suite("When conflict versions are looked for")
struct RelinkingTests {
    private static let second: UInt64 = 1_000_000_000
    private let document = ItemID(high: 1, low: 1)
    private let other = ItemID(high: 1, low: 2)

    @Test("A second after the last move, by one who waits")
    func afterTheLast() {
        var relinking = Relinking()
        let first = relinking.note(document, at: 0)
        let second = relinking.note(other, at: Self.second / 2)
        #expect(first == Self.second && second == nil)
        let early = relinking.take(at: Self.second)
        #expect(early.due.isEmpty && early.next == Self.second / 2)
        let late = relinking.take(at: 3 * Self.second / 2)
        #expect(Set(late.due.map(\.document)) == [document, other] && late.next == nil)
    }

    @Test("At the latest ten seconds after the first of many")
    func afterMany() {
        var relinking = Relinking()
        for half in 0..<20 {
            _ = relinking.note(document, at: UInt64(half) * Self.second / 2)
        }
        let early = relinking.take(at: 19 * Self.second / 2)
        #expect(early.due.isEmpty)
        let late = relinking.take(at: 10 * Self.second)
        #expect(late.due.count == 1)
        // The next one begins anew.
        let next = relinking.note(document, at: 11 * Self.second)
        let between = relinking.take(at: 23 * Self.second / 2)
        let due = relinking.take(at: 12 * Self.second)
        #expect(next == Self.second && between.due.isEmpty && due.due.count == 1)
    }

    @Test("What is not known yet is asked for at growing distances, and at once after a move")
    func postponed() {
        var relinking = Relinking()
        var (now, delay, waited): (UInt64, UInt64, [UInt64]) = (0, 0, [])
        for _ in 0..<9 {
            _ = relinking.postpone(document, after: delay, at: now)
            var next: UInt64 = 0
            while true {
                let taken = relinking.take(at: now + next)
                if let wish = taken.due.first {
                    waited.append(next / Self.second)
                    (now, delay) = (now + next, wish.delay)
                    break
                }
                next += taken.next ?? .max / 2
            }
        }
        #expect(waited == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        _ = relinking.postpone(document, after: delay, at: now)
        _ = relinking.note(document, at: now)
        let taken = relinking.take(at: now + Self.second)
        #expect(taken.due.count == 1)
    }
}
