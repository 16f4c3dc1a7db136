/// Going through many rows, for `.docfs/items`.
extension CatalogReader {
    /// GLOB matches no blobs, as SQLite is usually built.
    private static let isNamed = "CAST(name AS TEXT) GLOB CAST(?3 AS TEXT)"

    private static let items = Query(
        """
        SELECT ino, \(LocalItem.columns), \(isNamed),
          EXISTS (SELECT 1 FROM pending p WHERE p.scope = l.scope AND p.item = l.item),
          (SELECT count(*) FROM local c WHERE c.scope = l.scope AND c.conflict_of = l.item
             AND c.parent IS NOT NULL)
            + (SELECT count(*) FROM stand_in s JOIN remote r
               ON r.scope = s.scope AND r.item = s.sibling
               WHERE s.scope = l.scope AND r.conflict_of = l.item),
          EXISTS (SELECT 1 FROM body b WHERE b.scope = l.scope AND b.item = l.item AND b.role = 1)
        FROM local l INDEXED BY local_entry
        WHERE parent = ?1 AND name > ?2 AND (\(isNamed) OR mode & 61440 = 16384)
        ORDER BY name LIMIT ?4
        """)

    /// The next rows of a directory in the order of names, of those that `pattern` names and of
    /// the directories.
    ///
    /// Names that are not asked for are passed over without a look at their rows' contents.
    ///
    /// - Parameter pattern: `*` stands for any bytes, everything else for itself.
    package func items(of parent: Int64, after name: [UInt8], pattern: Name, limit: Int)
        throws(DocFSError) -> [ListedItem]
    {
        try connection.all(
            Self.items,
            {
                $0.bind(parent)
                $0.bind(name)
                $0.bind(Self.glob(pattern))
                $0.bind(Int64(limit))
            }
        ) {
            ListedItem(
                row: LocalItem(row: $0), isNamed: $0.int() != 0, isPending: $0.int() != 0,
                conflicts: Int($0.int()), awaitsNewer: $0.int() != 0)
        }
    }

    /// What else means something to GLOB stands in brackets.
    private static func glob(_ pattern: Name) -> [UInt8] {
        pattern.bytes.flatMap { $0 == 0x3F || $0 == 0x5B ? [0x5B, $0, 0x5D] : [$0] }
    }
}
