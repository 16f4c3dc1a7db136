internal import Testing

@testable import DocFS

/// When rows that lost their names go.
struct ContentTableTests {
    @Test("A row that the kernel has come to know just before it goes stays until it forgets it")
    func knownLate() {
        var table = ContentTable()
        table.unlinked = [1, 2]
        var taken = [table.takeIfUnneeded(1), table.takeIfUnneeded(2)]
        #expect(taken == [true, true])
        // The answer of a lookup that was under way.
        table.known.insert(1)
        let mayGo = [table.mayGo(1), table.mayGo(2)]
        #expect(mayGo == [false, true])
        taken = [table.takeIfUnneeded(1)]
        #expect(taken == [false])
        table.known.remove(1)
        taken = [table.takeIfUnneeded(1), table.mayGo(1)]
        #expect(taken == [true, true])
    }
}
