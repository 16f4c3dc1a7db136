extension CatalogWriter {
    private static let setLodging = Query(
        "INSERT OR REPLACE INTO lodging (scope, item, place) VALUES (?, ?, ?)")
    private static let removeLodging = Query(
        "DELETE FROM lodging WHERE scope = ? AND item = ?", in: .lodging)

    /// The object of `item` lies at `place`; `nil`: at its path.
    package func setLodging(of item: ItemID, scope: Int64, to place: ItemPath?)
        throws(DocFSError)
    {
        guard let place else { return try connection.run(Self.removeLodging, key(item, scope)) }
        try connection.run(Self.setLodging) {
            $0.bind(scope)
            $0.bind(item)
            $0.bind(place.bytes)
        }
    }

    private static let removeKept = ["lodging", "leftover", "version", "trash", "sole_body"].map {
        Query("DELETE FROM \($0) WHERE scope = ?")
    }

    /// Forgets what the change log told beside the remote tree.
    package func removeAllKept(scope: Int64) throws(DocFSError) {
        for query in Self.removeKept { try connection.run(query) { $0.bind(scope) } }
    }

    private static let addLeftover = Query(
        "INSERT OR REPLACE INTO leftover (scope, place, revision) VALUES (?, ?, ?)")
    private static let removeLeftover = Query(
        "DELETE FROM leftover WHERE scope = ? AND place = ?", in: .leftover)

    package func addLeftover(_ leftover: Leftover, scope: Int64) throws(DocFSError) {
        try connection.run(Self.addLeftover) {
            $0.bind(scope)
            $0.bind(leftover.place.bytes)
            $0.bind(leftover.revision?.token)
        }
    }

    package func removeLeftover(at place: ItemPath, scope: Int64) throws(DocFSError) {
        try connection.run(Self.removeLeftover) {
            $0.bind(scope)
            $0.bind(place.bytes)
        }
    }
}
