/// The text of one SQL statement; its identity is the key under which connections prepare it once.
final class Query: Sendable {
    let sql: String

    init(_ sql: String) { self.sql = sql }
}

/// Binds what most tables are keyed by: a scope, then an item.
func key(_ item: ItemID, _ scope: Int64) -> (Statement) -> Void {
    { statement in
        statement.bind(scope)
        statement.bind(item.bytes)
    }
}
