/// Documents that programs have open for writing, and of which another device has saved a version
/// since: it is shown when they are closed (S9).
struct OutdatedDocuments: Sendable {
    struct Document: Sendable {
        var path: ItemPath
        /// Who saved the newer version; `nil` where no record tells, and for another program's.
        var saver: Saver?
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
        shown.sort { $0.path < $1.path }
        shown = Array(shown.prefix(Self.limit))
    }
}
