internal import Foundation
internal import Testing

@testable import DocFS

/// R1, R3, R6, R7: random trees, perturbed on both sides and planned in any order, come to rest.
struct PlanningPerturbedTests {
    private static let runsPerSlice = 5000
    /// 20,000 trees, or the slices that the environment asks for.
    private static let slices = {
        let first = number("DOCFS_PLANNER_FIRST") ?? 0
        return first..<first + (number("DOCFS_PLANNER_SLICES") ?? 4)
    }()

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test("Perturbed trees agree again and lose no bytes", arguments: slices)
    func random(_ slice: Int) {
        var failed = 0
        for seed in 0..<Self.runsPerSlice {
            let run = PerturbedRun(seed: UInt64(slice * Self.runsPerSlice + seed))
            if run.outcome().failures.isEmpty { continue }
            // What is printed is the code of another run for PlanningStoryTests.
            let shrunk = run.shrunk()
            Issue.record("\(shrunk.outcome().failures.joined(separator: "; "))\n\(shrunk)")
            failed += 1
            if failed == 3 { return }
        }
    }
}
