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
        #expect(given.count == 20, "every step is some situation's")
    }

    @Test("An object is brought to its path where its item would rest, or wait for newer bytes")
    func lodging() {
        var counts: [String: Int] = [:]
        Situations.forEach { situation in
            var lodging = situation
            lodging.lodges = true
            let (step, known) = (lodging.step, situation.step)
            let comesHome = known == .rest || known == .fetch
            counts[known.word, default: 0] += 1
            guard step != (comesHome ? .bringHome : known) else { return }
            Issue.record("\(step) instead of \(known): \(situation)")
        }
        #expect(counts["rest", default: 0] > 0 && counts["fetch", default: 0] > 0)
    }
}
