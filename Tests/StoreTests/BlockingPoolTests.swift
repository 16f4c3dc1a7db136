import Synchronization
import TestSupport
import Testing

@testable import DocFS

@Suite struct BlockingPoolTests {
    @Test func blockingWorkNeverHoldsUpOtherTasks() async throws {
        let pool = BlockingPool(threads: 2, name: "pool-test")
        let (begun, gate) = (Shared(0), Gate())
        let count = 200
        try await withThrowingTaskGroup(of: Void.self) { (group) async throws in
            for _ in 0..<count {
                group.addTask {
                    try await pool.run { (_) throws(DocFSError) in
                        begun.value.withLock { $0 += 1 }
                        gate.wait()
                    }
                }
            }
            // Whatever fails here, they end.
            defer { for _ in 0..<count { gate.open() } }
            // Two hundred tasks wait for work that cannot end before this one has its turn.
            try await eventually("two have begun") { begun.value.withLock { $0 } == 2 }
            #expect(begun.value.withLock { $0 } == 2)
            for _ in 0..<count { gate.open() }
            try await group.waitForAll()
        }
        #expect(begun.value.withLock { $0 } == count)
    }

    @Test func workThatWaitsWhenItsTaskIsCancelledIsNotBegun()
        async throws
    {
        let pool = BlockingPool(threads: 1, name: "pool-test")
        let (begun, gate, unwanted) = (Once(), Gate(), Once())
        let first = Task {
            try await pool.run { (_) throws(DocFSError) in
                _ = begun.first()
                gate.wait()
            }
        }
        try await eventually("begun") { begun.isDone }
        let second = Task {
            try await pool.run { (_) throws(DocFSError) in _ = unwanted.first() }
        }
        second.cancel()
        gate.open()
        try await first.value
        await #expect(throws: DocFSError.interrupted) { try await second.value }
        #expect(!unwanted.isDone)
    }
}
