import Glibc
import Synchronization
import Testing

@testable import DocFS

@Suite struct InodeTableTests {
    /// A table, and what its scope was told.
    private final class Fixture: Sendable {
        private final class Log: Sendable { let words = Mutex<[String]>([]) }

        let table: InodeTable
        private let log: Log

        init() {
            let log = Log()
            self.log = log
            table = InodeTable(
                known: { number in log.words.withLock { $0.append("+\(number.value)") } },
                unknown: { number in log.words.withLock { $0.append("-\(number.value)") } })
        }

        /// `+` for every number that became known, `-` for every one that was forgotten.
        var words: [String] { log.words.withLock { $0 } }
    }

    @Test func theRootIsAlwaysKnownAndNeverForgotten() throws {
        let fixture = Fixture()
        fixture.table.forget(InodeTable.rootNode, 1_000)
        #expect(try fixture.table.number(of: InodeTable.rootNode) == .root)
        #expect(fixture.table.remember(.root).node == InodeTable.rootNode)
        #expect(fixture.words == [])
    }

    @Test func aFileKeepsItsNodeUntilTheLastLookupIsForgotten() throws {
        let fixture = Fixture()
        let node = fixture.table.remember(FileNumber(70)).node
        #expect(fixture.table.remember(FileNumber(70)).node == node)
        fixture.table.forget(node)
        #expect(try fixture.table.number(of: node) == FileNumber(70))
        fixture.table.forget(node)
        #expect(throws: DocFSError.stale) { try fixture.table.number(of: node) }
        #expect(fixture.words == ["+70", "-70"])
        #expect(fixture.table.count == 0)
    }

    @Test func aNodeIsNeverUsedTwice() {
        let fixture = Fixture()
        let first = fixture.table.remember(FileNumber(70)).node
        fixture.table.forget(first)
        #expect(fixture.table.remember(FileNumber(70)).node != first)
    }

    @Test func forgettingMoreThanWasLookedUpForgetsOnce() {
        let fixture = Fixture()
        let node = fixture.table.remember(FileNumber(70)).node
        fixture.table.forget(node, 9)
        fixture.table.forget(node, 1)
        #expect(fixture.words == ["+70", "-70"])
    }

    // S24: the kernel's inode goes on, its file lives elsewhere now. 70 and 134 share a shard.
    @Test(arguments: [UInt64(71), 134, 6])
    func aRenumberedFileKeepsItsNode(new: UInt64) throws {
        let fixture = Fixture()
        let node = fixture.table.remember(FileNumber(70)).node
        fixture.table.renumber(FileNumber(70), to: FileNumber(new))
        #expect(try fixture.table.number(of: node) == FileNumber(new))
        #expect(fixture.table.nodes(of: FileNumber(70)) == [])
        #expect(fixture.table.nodes(of: FileNumber(new)) == [node])
        #expect(fixture.table.remember(FileNumber(new)).node == node)
        fixture.table.forget(node, 2)
        #expect(fixture.words == ["+70", "-\(new)"])
    }

    @Test func whatMovesOntoAKnownNumberIsWhatLaterLookupsMean() throws {
        let fixture = Fixture()
        let moved = fixture.table.remember(FileNumber(70)).node
        let present = fixture.table.remember(FileNumber(71)).node
        fixture.table.renumber(FileNumber(70), to: FileNumber(71))
        #expect(fixture.table.nodes(of: FileNumber(71)) == [moved, present])
        #expect(fixture.table.remember(FileNumber(71)).node == moved)
        fixture.table.forget(moved, 2)
        #expect(fixture.words == ["+70", "+71"])
        #expect(fixture.table.remember(FileNumber(71)).node == present)
        fixture.table.forget(present, 2)
        #expect(fixture.words == ["+70", "+71", "-71"])
    }

    // S4: only what nobody has open may be taken back from the kernel.
    @Test func aFileIsIdleWhileItIsKnownAndNotOpen() {
        let fixture = Fixture()
        let node = fixture.table.remember(FileNumber(70)).node
        #expect(fixture.table.isIdle(node))
        _ = fixture.table.countOpen(of: node) { nil }
        _ = fixture.table.countOpen(of: node) { nil }
        _ = fixture.table.countRelease(of: node)
        #expect(!fixture.table.isIdle(node))
        _ = fixture.table.countRelease(of: node)
        #expect(fixture.table.isIdle(node))
        fixture.table.forget(node)
        #expect(!fixture.table.isIdle(node))
    }

    @Test func aFileIsNewOnce() {
        let fixture = Fixture()
        #expect(fixture.table.remember(FileNumber(70)).isNew)
        #expect(!fixture.table.remember(FileNumber(70)).isNew)
        #expect(!fixture.table.remember(.root).isNew)
    }

    // S4
    @Test func theOldestNamesAreGivenBackInTheirOrder() {
        let cold = ColdEntries(limit: 3)
        let entries = (0..<10).map {
            ColdEntries.Entry(parent: 1, node: UInt64(10 + $0), name: Name("\($0)"))
        }
        let returned = entries.map { cold.add($0) }
        #expect(returned == [nil, nil, nil] + entries.dropLast(3).map(Optional.some))
    }

    @Test func manyThreadsLeaveNothingBehindAndTellInTurn() {
        let fixture = Fixture()
        let ends = (0..<4).map { _ in Wakeup() }
        for (index, end) in ends.enumerated() {
            OwnThread.start(name: "test-\(index)") {
                var random = SystemRandomNumberGenerator()
                for _ in 0..<5_000 {
                    let number = FileNumber(UInt64.random(in: 100..<110, using: &random))
                    let node = fixture.table.remember(number).node
                    if Int.random(in: 0..<50, using: &random) == 0 {
                        let other = UInt64.random(in: 100..<110, using: &random)
                        fixture.table.renumber(number, to: FileNumber(other))
                    }
                    fixture.table.forget(node)
                }
                end.signal()
            }
        }
        for end in ends { end.wait() }
        #expect(fixture.table.count == 0)
        for number in 100..<110 {
            #expect(fixture.table.nodes(of: FileNumber(UInt64(number))) == [])
        }
    }

    @Test func withoutMovesEveryNumberIsToldStrictlyInTurn() {
        let fixture = Fixture()
        let ends = (0..<4).map { _ in Wakeup() }
        for (index, end) in ends.enumerated() {
            OwnThread.start(name: "test-\(index)") {
                for _ in 0..<5_000 {
                    fixture.table.forget(fixture.table.remember(FileNumber(9)).node)
                }
                end.signal()
            }
        }
        for end in ends { end.wait() }
        let words = fixture.words
        #expect(words.count.isMultiple(of: 2))
        for (index, word) in words.enumerated() {
            #expect(word == (index.isMultiple(of: 2) ? "+9" : "-9"))
        }
    }
}
