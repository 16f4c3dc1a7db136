/// What a snapshot is made of, page by page, out of the catalog.
///
/// The items come in the order of their identities, then what the log told beside them. No page
/// outgrows memory, whatever grows.
struct SnapshotReader {
    /// What is read, one kind after the other.
    private enum Part { case items, versions, trash, leftovers, end }

    private let scope: Int64
    private let pageSize: Int
    private var part = Part.items
    private var item = ItemID.root
    private var version: VersionRecord?
    private var trash: TrashRecord?
    private var leftover: Leftover?

    /// - Parameter pageSize: the most entries of a page.
    init(scope: Int64, pageSize: Int = 20_000) {
        self.scope = scope
        self.pageSize = pageSize
    }

    /// Whether everything was read.
    var isAtEnd: Bool { part == .end }

    /// The next page; an empty one of what is empty.
    mutating func next(from catalog: Catalog) throws(DocFSError) -> SnapshotPage {
        var reader = self
        let page = try catalog.readConsistently { (read) throws(DocFSError) in
            try reader.page(from: read)
        }
        self = reader
        return page
    }

    private mutating func page(from read: CatalogReader) throws(DocFSError) -> SnapshotPage {
        var page = SnapshotPage()
        var room = pageSize
        while room > 0, part != .end {
            let count = try add(to: &page, atMost: room, from: read)
            if count < room { advance() }
            room -= count
        }
        return page
    }

    private mutating func advance() {
        switch part {
        case .items: part = .versions
        case .versions: part = .trash
        case .trash: part = .leftovers
        case .leftovers, .end: part = .end
        }
    }

    /// Adds what comes next of one kind.
    ///
    /// - Returns: how many were found: fewer than `limit` are the last.
    private mutating func add(
        to page: inout SnapshotPage, atMost limit: Int, from read: CatalogReader
    ) throws(DocFSError) -> Int {
        switch part {
        case .items:
            let items = try read.remoteItems(scope: scope, after: item, limit: limit)
            for item in items {
                guard let state = try read.state(.remote, of: item, scope: scope) else { continue }
                let lodging = try read.lodging(of: item, scope: scope)
                page.entries.append(.init(item: item, state: state, lodging: lodging))
            }
            item = items.last ?? item
            return items.count
        case .versions:
            let found = try read.versions(scope: scope, after: version, limit: limit)
            page.versions = found
            version = found.last ?? version
            return found.count
        case .trash:
            let found = try read.trash(scope: scope, after: trash, limit: limit)
            page.trash = found
            trash = found.last ?? trash
            return found.count
        case .leftovers:
            let found = try read.leftovers(scope: scope, after: leftover, limit: limit)
            page.leftovers = found
            leftover = found.last ?? leftover
            return found.count
        case .end: return 0
        }
    }
}
