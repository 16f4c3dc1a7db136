import Testing

@testable import DocFS

struct ThreadTurnTests {
    @Test func whatIsAddedIsDoneAtTheEnd() {
        #expect(ThreadTurn.current == nil)
        var done: [Int] = []
        let turn = ThreadTurn()
        turn.take {
            ThreadTurn.current?.add {
                done.append(1)
                ThreadTurn.current?.add { done.append(2) }
            }
            #expect(done.isEmpty)
            turn.end()
            #expect(done == [1, 2])
            turn.end()
            #expect(done == [1, 2])
        }
        #expect(ThreadTurn.current == nil)
    }
}
