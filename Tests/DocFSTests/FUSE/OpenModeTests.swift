import Testing

@testable import DocFS

@Suite struct OpenModeTests {
    @Test func theFirstHandleDecidesAndAllOthersFollow() {
        var mode = OpenMode()
        #expect(mode.open { 7 } == 7)
        #expect(mode.open { 8 } == 7)
        #expect(mode.way == .passed(backing: 7))

        var served = OpenMode()
        #expect(served.open { nil } == nil)
        #expect(served.open { 8 } == nil)
        #expect(served.way == .served)
    }

    @Test func aBackingIdIsGivenBackOnceWithTheLastHandle() {
        var mode = OpenMode()
        _ = mode.open { 7 }
        _ = mode.open { nil }
        #expect(mode.close() == nil)
        #expect(mode.handles == 1)
        #expect(mode.close() == 7)
        #expect(mode == OpenMode())
        #expect(mode.close() == nil)
    }

    @Test func aClosedNodeMayBeReachedInTheOtherWay() {
        var mode = OpenMode()
        _ = mode.open { nil }
        #expect(mode.close() == nil)
        #expect(mode.open { 9 } == 9)
        #expect(mode.close() == 9)
        #expect(mode.open { nil } == nil)
        #expect(mode.way == .served)
    }

    @Test func opensOnManyThreadsGetOneBackingId() async {
        let table = InodeTable(known: { _ in }, unknown: { _ in })
        let node = table.remember(FileNumber(1000)).node
        #expect(table.countOpen(of: node) { 3 } == 3)
        let givenBack = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var count = 0
                    for _ in 0..<500 {
                        if table.countOpen(of: node, register: { 4 }) != 3 { count += 1 }
                        if table.countRelease(of: node) != nil { count += 1 }
                    }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(givenBack == 0)
        #expect(table.countRelease(of: node) == 3)
        #expect(table.isIdle(node))
    }

    @Test func aNodeKeepsItsModeWhenItsFileMovesToAnotherScope() {
        let table = InodeTable(known: { _ in }, unknown: { _ in })
        let node = table.remember(FileNumber(1000)).node
        _ = table.countOpen(of: node) { 5 }
        table.renumber(FileNumber(1000), to: FileNumber(2000))
        #expect(table.countOpen(of: node) { nil } == 5)
        #expect(table.countRelease(of: node) == nil)
        #expect(table.countRelease(of: node) == 5)
    }
}
