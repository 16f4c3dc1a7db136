internal import Foundation

/// The tables of the page about planning, Documentation.docc/Planning.md.
struct PlanningPage {
    /// One row: what it is about, the step's word, and what else it says of the step.
    struct Row: Equatable {
        let conditions: [String]
        let word: String
        let note: String
    }

    /// The rows of each section's table with a column "step", by the section's heading.
    let decisions: [String: [Row]]
    /// The steps of the table that says what they touch, in its order.
    let touching: [String]
    /// What is at a place and what takes it, by what becomes of the first.
    let rooms: [[String]]
    /// What a program did, and what its last save was made from.
    let saves: [(happenings: [String], madeFrom: String)]
    /// What is known of the edit of an open document, and in how many seconds it is sent.
    let openEdits: [[String]]
    /// What is known of the conflict version that was made last, and what becomes of it.
    let formerSiblings: [[String]]
    /// Where a conflict version and its document are, and what the version does.
    let placements: [[String]]

    init() throws {
        let files = try Repository.files(below: "Sources/DocFS/Documentation.docc/Planning.md")
        var decisions: [String: [Row]] = [:]
        var touching: [String] = []
        var rooms: [[String]] = []
        var saves: [(happenings: [String], madeFrom: String)] = []
        var openEdits: [[String]] = []
        var formerSiblings: [[String]] = []
        var placements: [[String]] = []
        for (heading, table) in Self.tables(of: files.first?.source ?? "") {
            guard let header = table.first else { continue }
            if let column = header.firstIndex(of: "step") {
                decisions[heading] = table.dropFirst().map { Self.row($0, step: column) }
            } else if header.contains("becomes") {
                rooms += table.dropFirst()
            } else if header.contains("the save was made from") {
                saves = table.dropFirst().map { ($0[0].components(separatedBy: ", "), $0[1]) }
            } else if header.contains("is sent in") {
                openEdits += table.dropFirst()
            } else if header.contains("as made") {
                formerSiblings += table.dropFirst()
            } else if header.contains("it then") {
                placements += table.dropFirst()
            } else {
                touching += table.dropFirst().flatMap { $0[0].components(separatedBy: ", ") }
            }
        }
        self.decisions = decisions
        self.touching = touching
        self.rooms = rooms
        self.saves = saves
        self.openEdits = openEdits
        self.formerSiblings = formerSiblings
        self.placements = placements
    }

    private static func row(_ cells: [String], step column: Int) -> Row {
        let parts = cells[column].components(separatedBy: ": ")
        return Row(
            conditions: Array(cells[..<column]), word: parts[0],
            note: (parts.dropFirst() + cells[(column + 1)...]).joined(separator: " "))
    }

    /// The cells of each section's table, the header's first, the line below it left out.
    private static func tables(of page: String) -> [(heading: String, table: [[String]])] {
        var tables: [(heading: String, table: [[String]])] = []
        for line in page.components(separatedBy: "\n") {
            if line.hasPrefix("## ") {
                tables.append((String(line.dropFirst(3)), []))
            } else if line.hasPrefix("| "), !line.hasPrefix("| ---"), !tables.isEmpty {
                let cells = line.dropFirst().dropLast().components(separatedBy: "|")
                tables[tables.count - 1].table.append(
                    cells.map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
        return tables
    }
}
