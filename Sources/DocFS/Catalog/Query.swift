/// The text of one SQL statement; its identity is the key under which connections prepare it once.
final class Query: Sendable {
    let sql: String

    init(_ sql: String) { self.sql = sql }
}
