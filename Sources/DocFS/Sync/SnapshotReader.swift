/// What a snapshot is made of, page by page, out of the catalog.
///
/// The items come in the order of their identities, then what the log told beside them. No page
/// outgrows memory, whatever grows.
struct SnapshotReader {
    /// What is read, one kind after the other.
    private enum Part { case items, versions, trash, leftovers, end }

    private let scope: Int64
    private let pageSize: Int
    /// Bytes that the page under way may still take, about.
    private var space = 0
    private var part = Part.items
    private var item = ItemID.root
    private var version: VersionRecord?
    private var trash: TrashRecord?
    private var leftover: Leftover?

    /// - Parameter pageSize: the most entries of a page; fewer where they are large
    ///   (``ContainerRules/fullFile``).
    init(scope: Int64, pageSize: Int = 3_000) {
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
        space = ContainerRules.fullFile
        while room > 0, space > 0, part != .end {
            let (count, isLast) = try add(to: &page, atMost: room, from: read)
            if isLast { advance() }
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

    /// Adds what comes next of one kind, as far as there is room.
    ///
    /// - Returns: how many were added, and whether they were the last of their kind.
    private mutating func add(
        to page: inout SnapshotPage, atMost limit: Int, from read: CatalogReader
    ) throws(DocFSError) -> (count: Int, isLast: Bool) {
        switch part {
        case .items:
            let items = try read.remoteItems(scope: scope, after: item, limit: limit)
            var count = 0
            for item in items where space > 0 {
                count += 1
                self.item = item
                guard let state = try read.state(.remote, of: item, scope: scope) else { continue }
                let lodging = try read.lodging(of: item, scope: scope)
                let saver = try read.saver(of: item, scope: scope)
                page.entries.append(
                    .init(item: item, state: state, lodging: lodging, saver: saver))
                let names = state.name.bytes.count + (lodging?.length ?? 0)
                space -= ContainerRules.writtenSize(
                    state.metadata, names: names + Self.size(of: saver))
            }
            return (count, count < limit && space > 0)
        case .versions:
            let found = try read.versions(scope: scope, after: version, limit: limit)
            page.versions = fitting(found) {
                ContainerRules.writtenSize(
                    nil,
                    names: $0.path.length + Self.size(of: $0.saver) + $0.device.utf8.count * 2)
            }
            version = page.versions.last ?? version
            return (page.versions.count, page.versions.count < limit && space > 0)
        case .trash:
            let found = try read.trash(scope: scope, after: trash, limit: limit)
            page.trash = fitting(found) {
                ContainerRules.writtenSize($0.metadata, names: $0.path.length + $0.place.length)
            }
            trash = page.trash.last ?? trash
            return (page.trash.count, page.trash.count < limit && space > 0)
        case .leftovers:
            let found = try read.leftovers(scope: scope, after: leftover, limit: limit)
            page.leftovers = fitting(found) {
                ContainerRules.writtenSize(nil, names: $0.place.length)
            }
            leftover = page.leftovers.last ?? leftover
            return (page.leftovers.count, page.leftovers.count < limit && space > 0)
        case .end: return (0, true)
        }
    }

    /// Bytes of a name, as ``ContainerRules/writtenSize(_:names:)`` counts them.
    ///
    /// JSON takes twice as many for a control character.
    private static func size(of saver: Saver?) -> Int { (saver?.device.utf8.count ?? 0) * 2 }

    /// The first of `found` for which there is room; one where there is any.
    private mutating func fitting<Value>(_ found: [Value], _ size: (Value) -> Int) -> [Value] {
        var taken: [Value] = []
        for value in found where space > 0 {
            space -= size(value)
            taken.append(value)
        }
        return taken
    }
}
