internal import Testing

@testable import DocFS

/// Planning has an answer for every combination of facets, and none breaks a rule.
struct PlanningTotalityTests {
    @Test("In every situation the step respects every rule (R1, R3, R4, R6, R7)")
    func everySituation() {
        var count = 0
        var given: Set<String> = []
        var broken: [String: (count: Int, example: Situation)] = [:]
        Situations.forEach { situation in
            count += 1
            let step = situation.step
            given.insert(step.word)
            for sentence in StepRule.broken(by: step, situation) {
                broken[sentence, default: (0, situation)].count += 1
            }
        }
        for (sentence, found) in broken {
            let (step, example) = (found.example.step, found.example)
            Issue.record("\(sentence): broken \(found.count) times, by \(step) of \(example)")
        }
        #expect(count > 2_000_000)
        #expect(given.count == 19, "every step is some situation's")
    }
}
