internal import Synchronization
internal import Testing

@testable import DocFS

/// Calls that are under way at once.
final class AtOnceTests: Sendable {
    private struct Calls {
        var running = 0
        var most = 0
        var begun = 0
    }

    private let calls = Mutex(Calls())

    /// Waits until `count` are under way, within reason.
    private func run(until count: Int) async {
        calls.withLock { calls in
            calls.begun += 1
            calls.running += 1
            calls.most = max(calls.most, calls.running)
        }
        for _ in 0..<60_000 where calls.withLock({ $0.most }) < count {
            // Until the others come.
            try? await Task.sleep(nanoseconds: 2_000_000)
        }
        calls.withLock { $0.running -= 1 }
    }

    @Test func soManyRunAndTheirOutcomesAreInOrder() async throws {
        let doubled = try await Array(0..<20).map(atOnce: 8) {
            (number) async throws(DocFSError) in
            await self.run(until: 8)
            return number * 2
        }
        #expect(doubled == (0..<20).map { $0 * 2 })
        #expect(calls.withLock { $0.most } == 8)
    }

    @Test func nothingIsBegunAfterAnError() async throws {
        await #expect(throws: DocFSError.notFound) {
            _ = try await Array(0..<20).map(atOnce: 2) { (number) async throws(DocFSError) in
                await self.run(until: 1)
                if number > 0 { throw .notFound }
            }
        }
        // The first may have been followed by one more before the second failed.
        #expect(calls.withLock { $0.begun } <= 3)
        #expect(calls.withLock { $0.running } == 0)
    }

    @Test func ofNothingNothingComes() async throws {
        let none = try await [Int]().map(atOnce: 8) { (number) async throws(DocFSError) in number }
        #expect(none.isEmpty)
    }
}
