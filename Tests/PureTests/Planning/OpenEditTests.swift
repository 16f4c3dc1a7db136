import Testing

@testable import DocFS

// S14
@Suite("When an open document is sent")
struct OpenEditTests {
    private static let now: UInt64 = 1_000_000_000_000_000
    private static let second: UInt64 = 1_000_000_000

    @Test("Every row of the page about planning holds")
    func table() throws {
        let rows = try PlanningPage().openEdits
        #expect(rows.count >= 15)
        for row in rows {
            var edit = OpenEdit()
            if let ago = row[3].split(separator: " ").first.flatMap({ UInt64($0) }) {
                edit.begin(at: Self.before(ago))
                edit.end(at: Self.before(ago) + (try #require(UInt64(row[4]))) * Self.second)
            }
            edit.wait(since: Self.before(try #require(UInt64(row[1]))))
            edit.wait(since: Self.now)
            if row[0] == "hurried" { edit.hurry() }
            let due = edit.due(
                isSynced: row[0] == "yes",
                openSince: Self.before(try #require(UInt64(row[2]))))
            let expected = (try #require(UInt64(row[5]))) * Self.second
            #expect(due > Self.now ? due - Self.now == expected : expected == 0, "\(row)")
        }
    }

    private static func before(_ seconds: UInt64) -> UInt64 { now - seconds * second }

    private static func due(_ edit: OpenEdit, isSynced: Bool = false) -> UInt64 {
        edit.due(isSynced: isSynced, openSince: 0)
    }

    @Test("Nothing is sent of what does not wait, and a hurry ends with what it was for")
    func quiet() {
        var edit = OpenEdit()
        #expect(Self.due(edit) == .max)
        edit.hurry()
        edit.wait(since: Self.now)
        #expect(Self.due(edit) == 0)
        edit.rest()
        #expect(Self.due(edit) == .max)
        edit.hurry()
        edit.wait(since: Self.now)
        edit.begin(at: Self.now)
        edit.end(at: Self.now + Self.second)
        edit.wait(since: Self.now + Self.second)
        #expect(Self.due(edit) == Self.now + OpenEdit.interval)
        #expect(Self.due(edit, isSynced: true) == Self.now + OpenEdit.interval)
    }

    @Test("An attempt that comes to nothing costs nothing, and a hurry meanwhile is kept")
    func attempts() {
        var edit = OpenEdit()
        edit.wait(since: Self.before(40))
        edit.begin(at: Self.now)
        #expect(edit.isTried)
        edit.cancel()
        #expect(!edit.isTried && Self.due(edit) == Self.before(10))
        #expect(Self.due(edit, isSynced: true) == 0)
        edit.begin(at: Self.now)
        edit.hurry()
        edit.end(at: Self.now + Self.second)
        edit.wait(since: Self.now + Self.second)
        #expect(Self.due(edit) == 0)
        edit.begin(at: Self.now)
        edit.cancel()
        #expect(Self.due(edit) == 0)
        // What ended long ago is not ended by what else becomes of the item.
        edit.begin(at: Self.now)
        edit.end(at: Self.now)
        edit.wait(since: Self.now)
        edit.end(at: Self.now + 100 * Self.second)
        #expect(Self.due(edit) == Self.now + OpenEdit.interval)
    }
}
