internal import Synchronization

/// The text of one SQL statement, which each connection prepares once.
///
/// There are as many as the program has in its text: nobody makes one for each use.
final class Query: Sendable {
    let sql: String
    /// Where connections keep its statement.
    let number: Int

    private static let count = Atomic(0)

    init(_ sql: String) {
        self.sql = sql
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
