internal import Synchronization

/// One open `.docfs/check`: the catalog against the content files, looked at while it is read.
///
/// A line for each document that counts as wholly here and is not, and one that says how many were
/// looked at for each page of them, so that no read takes long. Any thread; read from the
/// beginning to the end only.
final class CheckReader: Sendable {
    private struct State {
        /// The number of the last row that was looked at; `nil` at the end.
        var last: Int64? = 0
        /// How many rows were looked at.
        var count = 0
        var rest: [UInt8] = []
        var position: UInt64 = 0
    }

    private static let pageSize = 1024

    private let scopes: [ScopeRecord]
    private let catalog: Catalog
    private let documents: any DocumentControl
    private let state = Mutex(State())

    init(scopes: [ScopeRecord], catalog: Catalog, documents: any DocumentControl) {
        self.scopes = scopes
        self.catalog = catalog
        self.documents = documents
    }

    func read(at offset: UInt64, length: Int) throws(DocFSError) -> [UInt8] {
        try state.withLock { (state) throws(DocFSError) in
            guard offset == state.position else { throw .invalidArgument }
            if state.rest.isEmpty { try goOn(&state) }
            let bytes = Array(state.rest.prefix(length))
            state.rest.removeFirst(bytes.count)
            state.position += UInt64(bytes.count)
            return bytes
        }
    }

    private func goOn(_ state: inout State) throws(DocFSError) {
        guard let last = state.last else { return }
        let rows = try catalog.read { (read) throws(DocFSError) in
            try read.resident(after: last, limit: Self.pageSize)
        }
        for row in rows {
            guard let scope = scopes.first(where: { $0.id == row.scope }) else { continue }
            state.count += 1
            if let damage = try documents.damage(of: row) {
                state.rest += try line(row, damage, scope)
            }
        }
        var line = JSONLine()
        line.add("checked", state.count)
        line.end()
        state.rest += line.bytes
        state.last = rows.count < Self.pageSize ? nil : rows.last?.ino
    }

    private func line(_ row: LocalItem, _ damage: BodyDamage, _ scope: ScopeRecord)
        throws(DocFSError) -> [UInt8]
    {
        let path = try catalog.readConsistently { (read) throws(DocFSError) in
            try read.path(of: row.ino, root: scope.root)
        }
        // It has gone meanwhile.
        guard let path else { return [] }
        let isText = String(validating: path.bytes, as: UTF8.self) != nil
        var line = JSONLine()
        line.add("scope", scope.name)
        line.add("path", isText ? path.bytes : Array(PathText.encoded(path.bytes).utf8))
        line.add("isEncoded", !isText)
        line.add("size", row.size)
        line.add("isMissing", damage.here == nil)
        line.add("here", damage.here ?? 0)
        line.add("isEdit", damage.isEdit)
        line.end()
        return line.bytes
    }
}
