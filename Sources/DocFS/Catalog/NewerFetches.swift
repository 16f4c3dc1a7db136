/// How often newer bodies of a document were asked for while nobody opened it (S9).
package struct NewerFetches: Hashable, Sendable {
    package var count = 0
    /// The last ones, in a row, that gave way to yet a newer one before they were whole.
    package var superseded = 0
    /// When a program had the document open last, as far as was known then.
    package var used = Timestamp.zero

    package init() {}

    fileprivate init(row: Statement) {
        count = Int(clamping: row.int())
        superseded = Int(clamping: row.int())
        used = row.timestamp()
    }
}

extension CatalogReader {
    private static let fetches = Query(
        "SELECT count, superseded, used_s, used_n FROM fetched WHERE scope = ? AND item = ?")

    package func newerFetches(of item: ItemID, scope: Int64) throws(DocFSError) -> NewerFetches {
        try connection.first(Self.fetches, key(item, scope), NewerFetches.init(row:))
            ?? NewerFetches()
    }
}

extension CatalogWriter {
    private static let set = Query(
        """
        INSERT OR REPLACE INTO fetched (scope, item, count, superseded, used_s, used_n)
        VALUES (?, ?, ?, ?, ?, ?)
        """)

    package func setNewerFetches(of item: ItemID, scope: Int64, to fetches: NewerFetches)
        throws(DocFSError)
    {
        try connection.run(Self.set) {
            $0.bind(scope)
            $0.bind(item)
            $0.bind(Int64(fetches.count))
            $0.bind(Int64(fetches.superseded))
            $0.bind(fetches.used)
        }
    }

    private static let remove = Query("DELETE FROM fetched WHERE scope = ? AND item = ?")

    package func removeNewerFetches(of item: ItemID, scope: Int64) throws(DocFSError) {
        try connection.run(Self.remove, key(item, scope))
    }
}
