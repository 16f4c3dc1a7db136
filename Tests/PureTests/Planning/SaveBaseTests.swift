import Testing

@testable import DocFS

// S14a
@Suite("What a save is made from")
struct SaveBaseTests {
    /// A program, what it knows, and the versions that others put in the document's place.
    private struct Program {
        var base = SaveBase()
        /// Nothing is known of who has never opened the document.
        var isKnown = false
        var shown = 1
        var loaded = 1
        var read = 1
        var saved = 0
        var copies = 0
        var hasJustRead = false
        /// What the last save was made from.
        var madeFrom: Revision?

        private static func revision(_ version: Int) -> Revision { Revision("v\(version)") }

        mutating func happens(_ word: String) throws {
            switch word {
            case "loads": (loaded, read, isKnown) = (shown, shown, true)
            case "arrival":
                if isKnown {
                    base.arrived(insteadOf: Self.revision(shown), justRead: hasJustRead)
                }
                shown += 1
                copies = 0
                hasJustRead = false
            case "reads":
                base.read()
                read = shown
                hasJustRead = true
            case "reads a part": break
            case "copies": copies += 1
            case "waits": hasJustRead = false
            case "opens again":
                if !hasJustRead, copies == 0 { base.rested() }
            case "saves":
                madeFrom = base.saved(copies: copies)
                copies = 0
                // A conflict version is not what is shown.
                if madeFrom == nil { (shown, saved) = (shown + 1, shown + 1) }
            default: throw UnknownWord(word: word)
            }
        }

        /// In the page's words.
        var answer: String {
            switch madeFrom {
            case nil: "what is shown"
            case Self.revision(saved): "what it saved"
            case Self.revision(loaded): "what it loaded"
            case Self.revision(read): "what it read"
            case let other?: "\(other)"
            }
        }
    }

    private struct UnknownWord: Error {
        let word: String
    }

    @Test("Every row of the page about planning holds")
    func table() throws {
        let rows = try PlanningPage().saves
        #expect(rows.count >= 20)
        for row in rows {
            var program = Program()
            for word in row.happenings { try program.happens(word) }
            #expect(program.answer == row.madeFrom, "\(row.happenings)")
        }
    }
}
