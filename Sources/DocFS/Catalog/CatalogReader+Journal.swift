/// Effects on the store that were intended and not yet acknowledged.
extension CatalogReader {
    private static let journalColumns = "operation, scope, item, effect"
    private static let journal = Query("SELECT \(journalColumns) FROM journal WHERE scope = ?")
    private static let journalled = Query(
        "SELECT \(journalColumns) FROM journal WHERE operation = ?", in: .journal)

    /// The effects that were intended and not yet acknowledged.
    package func journal(scope: Int64) throws(DocFSError) -> [JournalEntry] {
        try connection.all(Self.journal, { $0.bind(scope) }, Self.journalEntry)
    }

    /// The effect of that operation, if it was intended and is not yet acknowledged.
    package func journalled(_ operation: OperationID) throws(DocFSError) -> JournalEntry? {
        try connection.first(
            Self.journalled, { $0.bind(operation) }, Self.journalEntry)
    }

    /// Whether any effect is in the journal.
    package func hasJournal() throws(DocFSError) -> Bool { try !connection.isEmpty(.journal) }

    private static func journalEntry(_ row: Statement) -> JournalEntry {
        JournalEntry(
            operation: row.identifier(OperationID.self) ?? OperationID(high: 0, low: 0),
            scope: row.int(), item: row.identifier(ItemID.self) ?? .root, effect: row.bytes())
    }

    private static let isJournalled = Query(
        "SELECT 1 FROM journal WHERE scope = ? AND item = ? LIMIT 1", in: .journal)

    /// Whether an effect on `item` was intended and is not yet acknowledged.
    package func isJournalled(_ item: ItemID, scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.isJournalled, key(item, scope))
    }
}
