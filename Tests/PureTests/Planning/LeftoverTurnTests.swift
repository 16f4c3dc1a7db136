import Testing

@testable import DocFS

/// Leftovers go in groups, and none waits for ever (S25).
struct LeftoverTurnTests {
    private static func document(_ path: ItemPath) -> Leftover {
        Leftover(place: path, revision: Revision("1"))
    }

    private static func directory(_ path: ItemPath) -> Leftover {
        Leftover(place: path, revision: nil)
    }

    @Test("S25: documents go first, then directories, deepest first, and each group at once")
    func order() {
        let leftovers = [
            Self.directory("a"), Self.directory("a/b"), Self.document("a/b/x"),
            Self.directory("a/c"), Self.document("a/y"), Self.directory("a/b/d"),
            Self.document("z"),
        ]
        let groups = LeftoverTurn.groups(of: leftovers.map { ($0, 1) }, size: 2)
        let places = groups.map { $0.map(\.place) }
        #expect(
            places == [["a/b/x", "a/y"], ["z"], ["a/b/d"], ["a/b", "a/c"], ["a"]])
    }

    @Test("S25: of more than have their turn those go that have been due for longest")
    func turn() {
        let leftovers = (0..<10).map { Self.document(ItemPath("\($0)")) }
        // One that was tried in vain is due later than the others, whatever its name.
        let due = leftovers.map { ($0, $0.place < "4" ? UInt64(2) : 1) }
        let first = LeftoverTurn.groups(of: due, limit: 6, size: 8)
        #expect(first == [Array(leftovers[4...])])
        let all = LeftoverTurn.groups(of: due, limit: 10, size: 8)
        #expect(all.map(\.count) == [8, 2])
        #expect(Set(all.joined()) == Set(leftovers))
    }

    @Test("S25: a directory whose turn it is waits for what is below it")
    func directoryBehind() {
        let due = [(Self.directory("a"), UInt64(1)), (Self.document("a/x"), UInt64(1))]
        #expect(LeftoverTurn.groups(of: due, limit: 1, size: 8) == [[Self.document("a/x")]])
    }

    @Test func nothingIsDue() { #expect(LeftoverTurn.groups(of: [], size: 8).isEmpty) }
}
