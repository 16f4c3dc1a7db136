import Testing

@testable import DocFS

// S17, S24
@Suite("Where a conflict version belongs when it or its document has moved")
struct ConflictPlacementTests {
    @Test("Every row of the page about planning holds")
    func table() throws {
        let words: [ConflictPlacement: String] = [
            .linked: "is linked", .follows: "follows", .waits: "waits", .detached: "is detached",
        ]
        let scopes: [String: Int64] = [
            "Local": 0, "a container": 1, "the same": 1, "another container": 2,
        ]
        let rows = try PlanningPage().placements
        #expect(rows.count >= 14)
        for row in rows {
            let placement = ConflictPlacement(
                document: scopes[row[0]], version: try #require(scopes[row[1]]),
                movedAlone: row[2] == "yes", hasOwnName: row[3] == "yes")
            #expect(words[placement] == row[4], "\(row)")
        }
    }

    @Test("Within its container it keeps its mark beside its document, under its own name")
    func withinAContainer() {
        func keepsMark(_ hasOwnName: Bool, _ directory: Int64?, _ document: Int64?) -> Bool {
            ConflictPlacement.keepsMark(
                hasOwnName: hasOwnName, directory: directory, document: document)
        }
        #expect(keepsMark(true, 7, 7))
        #expect(!keepsMark(true, 8, 7))
        #expect(!keepsMark(false, 7, 7))
        #expect(!keepsMark(true, 7, nil))
        #expect(!keepsMark(true, nil, nil))
    }
}
