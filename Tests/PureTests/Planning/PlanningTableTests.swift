internal import Testing

@testable import DocFS

/// The page about planning says what ``Planner`` does: the tables are read and held against it.
struct PlanningTableTests {
    private let page: PlanningPage

    init() throws { page = try PlanningPage() }

    @Test("The page has the rows of the test, in their order", arguments: DecisionTables.all.keys)
    func rows(_ heading: String) {
        let rows = page.decisions[heading, default: []].map(\.conditions)
        #expect(rows == DecisionTables.all[heading]?.map(\.conditions))
    }

    @Test("The page has no table that the test does not know")
    func tables() { #expect(Set(page.decisions.keys) == Set(DecisionTables.all.keys)) }

    @Test("Each row's situations have the row's step", arguments: DecisionTables.all.keys)
    func steps(_ heading: String) throws {
        let rows = try #require(page.decisions[heading])
        for (row, known) in zip(rows, DecisionTables.all[heading] ?? []) {
            #expect(!known.situations.isEmpty)
            for situation in known.situations {
                let step = situation.step
                #expect(words(for: row).contains(step.word), "\(heading): \(row.conditions)")
                guard case .wait(let reason) = step else { continue }
                #expect(row.note.contains(phrase(for: reason)), "\(heading): \(row.conditions)")
            }
        }
    }

    /// The words of the steps that a row names: where the next facet decides, nothing else is to
    /// be done in its situations.
    private func words(for row: PlanningPage.Row) -> [String] {
        row.word == "–" ? ["rest", "agree"] : [row.word]
    }

    private func phrase(for reason: Step.Reason) -> String {
        switch reason {
        case .writer: "for the writer to close"
        case .children: "its children are planned first"
        case .digest: "for the digest"
        case .departure: "for its arrival"
        }
    }

    @Test("The page says of every step once what it touches")
    func touches() {
        let steps: [Step] = [
            .create, .replace, .move, .describe, .bringHome, .remove, .sendAside, .show, .fetch,
            .retag, .refresh, .relocate, .redescribe, .hide, .divert, .revive, .keepWritten, .agree,
            .forget, .rest, .wait(.writer),
        ]
        #expect(page.touching == steps.map(\.word))
    }
}
