/// A table that is often empty: a transaction asks once whether it is.
///
/// To look for something in an empty table costs as much as in one of a few rows, and is done for
/// each item that is recorded or planned.
enum SparseTable: Int, CaseIterable {
    case choice, handover, journal, leftover, lodging, standIn, trash

    var name: String {
        switch self {
        case .choice: "choice"
        case .handover: "handover"
        case .journal: "journal"
        case .leftover: "leftover"
        case .lodging: "lodging"
        case .standIn: "stand_in"
        case .trash: "trash"
        }
    }

    /// Those that a statement may insert into: all that it names, unless it only selects or
    /// deletes.
    static func filled(by sql: String) -> [SparseTable] {
        let words = sql.lowercased().utf8.split { byte in
            !(0x61...0x7A).contains(byte) && byte != 0x5F
        }
        if ["select", "delete"].contains(where: { words.first?.elementsEqual($0.utf8) ?? false }) {
            return []
        }
        return allCases.filter { table in
            words.contains { $0.elementsEqual(table.name.utf8) }
        }
    }
}
