/// Who saved the bodies that the container has.
///
/// Apart from ``ItemState``: the same body is the same whoever brought it.
extension CatalogReader {
    private static let saver = Query(
        "SELECT saver, saved FROM remote WHERE scope = ? AND item = ?")

    /// Who saved the body that the store has of an item; `nil` where no record told.
    package func saver(of item: ItemID, scope: Int64) throws(DocFSError) -> Saver? {
        try connection.first(Self.saver, key(item, scope), Saver.init(row:)) ?? nil
    }

    private static let otherSaver = Query(
        "SELECT 1 FROM remote WHERE scope = ? AND saver <> ? LIMIT 1")

    /// Whether anybody but `device` is known to have saved a document.
    ///
    /// Looks at every document, where nobody has.
    package func hasSaver(otherThan device: String, scope: Int64) throws(DocFSError) -> Bool {
        try connection.exists(Self.otherSaver) {
            $0.bind(scope)
            $0.bind(device)
        }
    }

    /// Who saved the stored body that a row was made from; `nil` where that is not known.
    package func saver(of row: LocalItem) throws(DocFSError) -> Saver? {
        guard let basis = row.basis else { return nil }
        let remote = try state(.remote, of: row.item, scope: row.scope)
        if remote?.content.revision == basis { return try saver(of: row.item, scope: row.scope) }
        return try version(of: row.item, revision: basis, scope: row.scope)?.saver
    }
}

extension CatalogWriter {
    private static let setSaver = Query(
        "UPDATE remote SET saver = ?, saved = ? WHERE scope = ? AND item = ?")

    /// Notes who saved the body that the store has of an item.
    package func setSaver(of item: ItemID, scope: Int64, to saver: Saver?) throws(DocFSError) {
        try connection.run(Self.setSaver) {
            $0.bind(saver?.device)
            $0.bind(saver?.time)
            $0.bind(scope)
            $0.bind(item)
        }
    }
}

extension Saver {
    /// Reads the columns `saver` and `saved`; `nil` where nobody knows.
    init?(row: Statement) {
        let device = row.text()
        let time = row.optionalInt()
        guard let device, let time else { return nil }
        self.init(device: device, time: time)
    }
}
