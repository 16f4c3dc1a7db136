/// Documents of which another device has saved a version that is not shown yet: programs have them
/// open for writing, or it is on its way (S9).
struct OutdatedDocuments: Sendable {
    struct Document: Sendable {
        var path: ItemPath
        /// Who saved the newer version; `nil` where no record tells, and for another program's.
        var saver: Saver?
        /// Why its bytes could not be brought, when that was tried last.
        var error: String?
    }

    /// How many are told one by one.
    private static let limit = 100

    /// Some of them, where there are many, in the order of their paths.
    private(set) var shown: [Document] = []
    /// How many of the pending items have nothing to send.
    private(set) var unedited = 0

    /// - Parameter open: the rows that programs have open for writing.
    init(
        in scope: ScopeRecord, _ health: ScopeHealth, open: Set<Int64>, _ read: CatalogReader
    ) throws(DocFSError) {
        for (item, saver) in health.outdated {
            guard let row = try read.local(item: item, scope: scope.id), row.parent != nil,
                open.contains(row.ino),
                try read.isPending(item, scope: scope.id)
            else { continue }
            if try !read.isAhead(row), try read.choice(for: item, scope: scope.id).isEmpty {
                unedited += 1
            }
            guard let path = try read.path(of: row.ino, root: scope.root) else { continue }
            shown.append(Document(path: path, saver: saver))
        }
        for item in try read.awaitingNewer(scope: scope.id, limit: Self.limit)
        where health.outdated[item] == nil {
            guard let row = try read.local(item: item, scope: scope.id),
                let path = try read.path(of: row.ino, root: scope.root)
            else { continue }
            let newer = try read.namelessRow(.newer, of: item, scope: scope.id)
            shown.append(
                Document(
                    path: path, saver: try read.saver(of: item, scope: scope.id),
                    error: newer?.error))
        }
        shown.sort { $0.path < $1.path }
        shown = Array(shown.prefix(Self.limit))
    }
}
