internal import Synchronization

/// The text of one SQL statement, which each connection prepares once.
///
/// There are as many as the program has in its text: nobody makes one for each use.
final class Query: Sendable {
    let sql: String
    /// The table without whose rows the statement finds and changes nothing.
    let table: SparseTable?
    /// The tables that it may insert into.
    let filled: [SparseTable]
    /// Where connections keep its statement.
    let number: Int

    private static let count = Atomic(0)

    init(_ sql: String, in table: SparseTable? = nil) {
        self.sql = sql
        self.table = table
        filled = SparseTable.filled(by: sql)
        number = Self.count.add(1, ordering: .relaxed).oldValue
    }
}

/// Binds what most tables are keyed by: a scope, then an item.
func key(_ item: ItemID, _ scope: Int64) -> (Statement) -> Void {
    { statement in
        statement.bind(scope)
        statement.bind(item)
    }
}
