import Testing

@testable import DocFS

// S14a
@Suite("When a document gets into a conflict again")
struct FormerSiblingTests {
    @Test("Every row of the page about planning holds")
    func table() throws {
        let fates: [FormerSibling.Fate: String] = [
            .stays: "stays", .isAwaited: "is waited for", .isUpdated: "is updated",
        ]
        let rows = try PlanningPage().formerSiblings
        #expect(rows.count >= 11)
        for row in rows {
            let former = FormerSibling(
                isAsMade: row[0] == "yes", isOpened: row[1] == "yes", isStored: row[2] == "yes",
                isBeingSent: row[2] == "on its way", hasSameBasis: row[3] == "the same version",
                age: try #require(Int64(row[4])))
            #expect(fates[former.fate] == row[5], "\(row)")
        }
    }
}
