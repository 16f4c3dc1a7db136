/// Where objects lie, on stores that cannot move one: a document that was renamed lodges at its
/// former path until its object is brought home.
extension CatalogReader {
    private static let lodging = Query(
        "SELECT place FROM lodging WHERE scope = ? AND item = ?", in: .lodging)

    /// Where an item's object lies while that is not its path.
    package func lodging(of item: ItemID, scope: Int64) throws(DocFSError) -> ItemPath? {
        try connection.first(Self.lodging, key(item, scope)) { ItemPath(bytes: $0.bytes()) }
    }

    /// Where the object of an item lies; `nil` when a part of its path is not there.
    package func objectPath(of item: ItemID, scope: Int64) throws(DocFSError) -> ItemPath? {
        if let lodging = try lodging(of: item, scope: scope) { return lodging }
        return try remotePath(of: item, scope: scope)
    }

    private static let remoteResidents = Query(
        """
        SELECT item FROM remote WHERE scope = ?1 AND parent = ?2
        AND NOT EXISTS (SELECT 1 FROM lodging WHERE scope = ?1 AND item = remote.item) LIMIT ?3
        """)

    /// The items that the store has in a directory, and whose objects lie there.
    package func remoteResidents(of parent: ItemID, scope: Int64, limit: Int)
        throws(DocFSError) -> [ItemID]
    {
        try items(Self.remoteResidents, scope, parent, limit)
    }

    private static let lodger = Query(
        "SELECT item FROM lodging WHERE scope = ? AND place = ?", in: .lodging)

    /// The item whose object lodges at a path.
    package func lodger(at place: ItemPath, scope: Int64) throws(DocFSError) -> ItemID? {
        try connection.first(
            Self.lodger,
            {
                $0.bind(scope)
                $0.bind(place.bytes)
            }
        ) { $0.identifier(ItemID.self) } ?? nil
    }

    private static let lodgerBelow = Query(
        """
        SELECT item FROM lodging WHERE scope = ? AND place > ? AND place < ? ORDER BY place LIMIT 1
        """)

    /// An item whose object lodges below a path: always the same one of several.
    package func lodger(below path: ItemPath, scope: Int64) throws(DocFSError) -> ItemID? {
        try connection.first(
            Self.lodgerBelow,
            {
                $0.bind(scope)
                // From the slash to the byte behind it.
                $0.bind(path.bytes + [0x2F])
                $0.bind(path.bytes + [0x30])
            }
        ) { $0.identifier(ItemID.self) } ?? nil
    }

    private static let lodgers = Query("SELECT item, place FROM lodging WHERE scope = ?")

    /// All items whose objects are not at their paths.
    package func lodgers(scope: Int64) throws(DocFSError) -> [(item: ItemID, place: ItemPath)] {
        try connection.all(Self.lodgers, { $0.bind(scope) }) {
            ($0.identifier(ItemID.self) ?? .root, ItemPath(bytes: $0.bytes()))
        }
    }

    /// The item whose object lies at a path.
    package func objectItem(at path: ItemPath, scope: Int64) throws(DocFSError) -> ItemID? {
        if let lodger = try lodger(at: path, scope: scope) { return lodger }
        guard let item = try remoteItem(at: path, scope: scope),
            try lodging(of: item, scope: scope) == nil
        else { return nil }
        return item
    }

    private static let leftover = Query(
        "SELECT place, revision FROM leftover WHERE scope = ? AND place = ?", in: .leftover)
    private static let leftovers = Query("SELECT place, revision FROM leftover WHERE scope = ?")

    /// What an item has left behind at a path.
    package func leftover(at place: ItemPath, scope: Int64) throws(DocFSError) -> Leftover? {
        try connection.first(
            Self.leftover,
            {
                $0.bind(scope)
                $0.bind(place.bytes)
            }, Self.leftover(row:))
    }

    /// All that items have left behind.
    package func leftovers(scope: Int64) throws(DocFSError) -> [Leftover] {
        try connection.all(Self.leftovers, { $0.bind(scope) }, Self.leftover(row:))
    }

    private static let someLeftovers = Query(
        "SELECT place, revision FROM leftover WHERE scope = ? AND place > ? ORDER BY place LIMIT ?")

    /// The same, page by page.
    package func leftovers(scope: Int64, after last: Leftover?, limit: Int)
        throws(DocFSError) -> [Leftover]
    {
        try connection.all(
            Self.someLeftovers,
            {
                $0.bind(scope)
                $0.bind(last?.place.bytes ?? [])
                $0.bind(Int64(limit))
            }, Self.leftover(row:))
    }

    private static func leftover(row: Statement) -> Leftover {
        Leftover(place: ItemPath(bytes: row.bytes()), revision: row.text().map(Revision.init))
    }
}
