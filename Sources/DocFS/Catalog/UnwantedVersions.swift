/// Earlier versions that the user has removed on this device (S19), by where the container keeps
/// their bodies.
///
/// While the table `version` still has such a one, no record has announced its removal, and other
/// devices count on it; afterwards its body is on its way out of the container.
extension CatalogReader {
    private static let unwanted = Query("SELECT path FROM unwanted WHERE scope = ?")

    package func unwantedVersions(scope: Int64) throws(DocFSError) -> Set<ItemPath> {
        Set(try connection.all(Self.unwanted, { $0.bind(scope) }) { ItemPath(bytes: $0.bytes()) })
    }

    private static let isUnwanted = Query("SELECT 1 FROM unwanted WHERE scope = ? AND path = ?")

    package func isUnwanted(_ path: ItemPath, scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.isUnwanted) {
            $0.bind(scope)
            $0.bind(path.bytes)
        }
    }

    private static let needed = Query(
        """
        SELECT 1 FROM local WHERE source_revision = ?1 AND ifnull(source_scope, scope) = ?2
          AND state <> 2 AND (divergence <> 0 OR excluded = 1 OR departing = 1) LIMIT 1
        """)

    /// Whether an unsent document on this device still lacks bytes that may be those of a version.
    ///
    /// By revision alone: what moved unrecorded has its bytes among the versions of another item.
    package func isNeeded(_ revision: Revision, scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.needed) {
            $0.bind(revision.token)
            $0.bind(scope)
        }
    }
}

extension CatalogWriter {
    private static let add = Query("INSERT OR IGNORE INTO unwanted (scope, path) VALUES (?, ?)")
    private static let remove = Query("DELETE FROM unwanted WHERE scope = ? AND path = ?")

    /// The user wants the version to be gone whose body the container keeps at `path`.
    package func addUnwanted(_ path: ItemPath, scope: Int64) throws(DocFSError) {
        try run(Self.add, path, scope)
    }

    /// The container has no body at `path` any more, or another one.
    package func removeUnwanted(_ path: ItemPath, scope: Int64) throws(DocFSError) {
        try run(Self.remove, path, scope)
    }

    private func run(_ query: Query, _ path: ItemPath, _ scope: Int64) throws(DocFSError) {
        try connection.run(query) {
            $0.bind(scope)
            $0.bind(path.bytes)
        }
    }
}
