/// The attributes `user.docfs.*` of documents, scopes and the mount: answered, never listed, and
/// some of them set.
///
/// Called from any thread. Says what the catalog and the contents know, and decides nothing.
struct DocumentAttributes: Sendable {
    /// The fact that the preference is kept as.
    private static let preferredScope = "preferredScope"

    let scopes: [ScopeRecord]
    let catalog: Catalog
    let documents: any DocumentControl
    /// What names begin with that stand for others, by scope.
    let escapes: [Int64: [Name]]
    /// Whose mount it is.
    let owner: UInt32
    /// What this device is called.
    let device: String
    /// The kinds of documents that the user makes.
    let types: [DocumentType]

    // MARK: Looking

    func value(_ name: String, of number: FileNumber) throws(DocFSError) -> [UInt8] {
        guard let attribute = DocumentAttribute(rawValue: name) else { throw .noSuchAttribute }
        if number.isLocal, attribute == .scope { return Array("Local".utf8) }
        if number == .root, attribute == .preference { return try preferred() }
        if number == .root, attribute == .farewell {
            return Array("\(documents.farewell / .seconds(1))".utf8)
        }
        guard number.isCatalogRow else { throw .noSuchAttribute }
        let text = try catalog.readConsistently { (read) throws(DocFSError) in
            guard let row = try read.local(Int64(number.value)) else { throw .stale }
            return try value(attribute, of: row, in: read)
        }
        return Array(text.utf8)
    }

    private func value(_ attribute: DocumentAttribute, of row: LocalItem, in read: CatalogReader)
        throws(DocFSError) -> String
    {
        let isContainer = scope(of: row)?.root == row.ino
        if attribute.subject == .container, !isContainer { throw .noSuchAttribute }
        switch attribute {
        case .scope: return scope(of: row)?.name ?? ""
        case .id: return row.item.description
        case .download: return download(of: row)
        case .downloadPercent: return "\(downloadPercent(of: row))"
        case .downloading: return "\(isDownloading(row))"
        case .upload: return try upload(of: row, in: read).rawValue
        case .uploadPercent:
            if try upload(of: row, in: read) == .uploaded { return "100" }
            return "\(documents.uploadPercent(of: row.ino) ?? 0)"
        case .state:
            return try states(
                of: row, conflicts: conflicts(of: row, in: read), isPending: true,
                awaitsNewer: newer(of: row, in: read) != nil, in: read
            ).joined(separator: ",")
        case .conflicts: return "\(try conflicts(of: row, in: read))"
        case .error:
            if let error = try error(of: row, in: read) { return ShownText.line(error) }
            return ShownText.line(try newer(of: row, in: read)?.error ?? "")
        case .revision:
            let base = try read.state(.base, of: row.item, scope: row.scope)
            return base?.content.revision?.token ?? ""
        case .device: return try saver(of: row, in: read)
        case .conflictOf:
            guard let mark = row.conflictOf else { throw .noSuchAttribute }
            return mark.document.description
        case .conflictBase:
            guard let mark = row.conflictOf else { throw .noSuchAttribute }
            return try base(of: mark, scope: row.scope, in: read)
        case .type: return type(of: row)
        case .pin: return Self.word(row.pin)
        case .bytes, .bytesHere, .bytesWaiting, .escaped:
            return "\(try count(attribute, in: row.scope, read))"
        case .confirmation, .mending, .emptying, .preference, .farewell: throw .noSuchAttribute
        }
    }

    /// What is counted of a whole container.
    private func count(
        _ attribute: DocumentAttribute, in scope: Int64, _ read: CatalogReader
    ) throws(DocFSError) -> UInt64 {
        switch attribute {
        case .bytes: try read.usage(scope: scope).all
        case .bytesHere: try read.usage(scope: scope).here
        case .bytesWaiting: try read.waitingBytes(scope: scope)
        default: UInt64(try escaped(in: scope, read))
        }
    }

    /// What the earlier version is called that both sides of a conflict were made from; empty where
    /// it is not kept, or nobody knows.
    private func base(of mark: ConflictMark, scope: Int64, in read: CatalogReader)
        throws(DocFSError) -> String
    {
        guard let base = mark.base, let document = try read.local(item: mark.document, scope: scope)
        else { return "" }
        let versions = try VersionName.versions(of: document, in: read)
        return versions.first { $0.record.revision == base }?.name.description ?? ""
    }

    /// The key of a document's type; empty where it is of none.
    func type(of row: LocalItem) -> String {
        row.isFile ? types.type(of: row.name)?.key ?? "" : ""
    }

    /// The device that saved the bytes that are shown; empty where nobody knows.
    private func saver(of row: LocalItem, in read: CatalogReader) throws(DocFSError) -> String {
        if row.kind == .directory { return "" }
        if row.divergence != .none || row.isExcluded || row.basis == nil { return device }
        return ShownText.line(try read.saver(of: row)?.device ?? "")
    }

    /// How many names stand for those of the store that Linux cannot hold (S30).
    private func escaped(in scope: Int64, _ read: CatalogReader) throws(DocFSError) -> Int {
        var count = 0
        for mark in escapes[scope] ?? [] {
            count += try read.countNames(beginning: mark, scope: scope)
        }
        return count
    }

    /// Empty until somebody has chosen.
    private func preferred() throws(DocFSError) -> [UInt8] {
        try catalog.read { (read) throws(DocFSError) in try read.fact(Self.preferredScope) ?? [] }
    }

    private func scope(of row: LocalItem) -> ScopeRecord? { scopes.first { $0.id == row.scope } }

    func download(of row: LocalItem) -> String {
        Self.word(row.isFile ? documents.state(of: row) : .current)
    }

    func downloadPercent(of row: LocalItem) -> Int {
        row.isFile ? documents.percent(of: row) : 100
    }

    /// From the first request for bytes on, before any of them has come.
    func isDownloading(_ row: LocalItem) -> Bool {
        row.isFile && row.state != .current && documents.isComing(row.ino)
    }

    private static func word(_ state: ContentState) -> String {
        switch state {
        case .none: "none"
        case .partial: "partial"
        case .current: "current"
        }
    }

    static func word(_ pin: PinState) -> String {
        switch pin {
        case .inherited: "inherited"
        case .pinned: "pinned"
        case .unpinned: "unpinned"
        }
    }

    /// What is wrong with a document, or was when it was read last; `nil` for nothing.
    ///
    /// Who cannot have a document's bytes now learns of the earlier version that is here.
    func error(of row: LocalItem, in read: CatalogReader) throws(DocFSError) -> String? {
        if let error = row.error { return error }
        guard let refusal = documents.refusal(of: row) else { return nil }
        guard
            let earlier = try read.namelessRow(.earlier, of: row.item, scope: row.scope),
            earlier.state == .current, let scope = scope(of: row),
            let path = try read.path(of: row.ino, root: scope.root)
        else { return refusal }
        let place = ".docfs/versions/\(scope.name)/\(PathText.plain(path))"
        return "\(refusal); an earlier version is on this computer: \(place)"
    }

    // MARK: Uploads

    private enum Upload: String {
        case uploaded, waiting, uploading, error, excluded
    }

    /// The same as the attribute, without a look at what is as it should be.
    func upload(of item: ListedItem, in read: CatalogReader) throws(DocFSError) -> String {
        let mayBeAhead = item.isPending || item.row.divergence != .none || item.row.isExcluded
        let isStored = !mayBeAhead && item.row.kind != nil
        return try (isStored ? .uploaded : upload(of: item.row, in: read)).rawValue
    }

    private func upload(of row: LocalItem, in read: CatalogReader) throws(DocFSError) -> Upload {
        if row.isExcluded || row.kind == nil { return .excluded }
        guard try read.isAhead(row) else { return .uploaded }
        if try read.isJournalled(row.item, scope: row.scope) { return .uploading }
        return row.error == nil ? .waiting : .error
    }

    // MARK: State

    /// The row that the newer body of a document comes to; `nil` where none is on its way.
    private func newer(of row: LocalItem, in read: CatalogReader) throws(DocFSError) -> LocalItem? {
        guard row.isFile else { return nil }
        return try read.namelessRow(.newer, of: row.item, scope: row.scope)
    }

    private func conflicts(of row: LocalItem, in read: CatalogReader) throws(DocFSError) -> Int {
        try read.conflictVersions(of: row.item, scope: row.scope).count
            + read.storedStandIns(for: row.item, scope: row.scope)
    }

    /// As UIDocument.State has it: `normal` is the word for none of the others.
    ///
    /// - Parameters:
    ///   - isPending: whether the trees of the item may disagree.
    ///   - awaitsNewer: whether a newer body is on its way.
    private func states(
        of row: LocalItem, conflicts: Int, isPending: Bool, awaitsNewer: Bool,
        in read: CatalogReader
    ) throws(DocFSError) -> [String] {
        var words: [String] = []
        if row.isFile && !documents.isOpen(row.ino) { words.append("closed") }
        if conflicts > 0 { words.append("in-conflict") }
        if row.error != nil, try read.isAhead(row) { words.append("saving-error") }
        if documents.isEditingDisabled(row.ino) { words.append("editing-disabled") }
        let waits =
            isPending && documents.isOpen(row.ino)
            && catalog.bulletin.health(of: row.scope).outdated[row.item] != nil
        if awaitsNewer || waits { words.append("outdated") }
        return words.isEmpty ? ["normal"] : words
    }

    func states(of item: ListedItem, in read: CatalogReader) throws(DocFSError) -> [String] {
        try states(
            of: item.row, conflicts: item.conflicts, isPending: item.isPending,
            awaitsNewer: item.awaitsNewer, in: read)
    }

    // MARK: Setting

    func set(_ name: String, of number: FileNumber, to value: [UInt8], by caller: Caller)
        throws(DocFSError)
    {
        guard let attribute = DocumentAttribute(rawValue: name) else { throw .notPermitted }
        if number == .root, attribute == .preference { return try setPreference(to: value) }
        if number == .root, attribute == .farewell {
            return try setFarewell(to: value, by: caller)
        }
        guard number.isCatalogRow, attribute.order != nil else { throw .notPermitted }
        switch attribute {
        case .download: try setDownload(of: Int64(number.value), to: value)
        case .pin: try setPin(of: Int64(number.value), to: value)
        case .upload: try setUpload(of: Int64(number.value), to: value)
        case .confirmation:
            try refuseOthers(caller)
            guard let scope = scopes.first(where: { UInt64($0.root) == number.value }) else {
                throw .notPermitted
            }
            // What is to be believed there is nothing that this device does.
            if !catalog.bulletin.health(of: scope.id).logIsPrivate {
                try catalog.bulletin.refuseReadOnly(scope.id)
            }
            try documents.confirmDeletes(scope: scope.id)
        case .mending:
            try refuseOthers(caller)
            guard let scope = scopes.first(where: { UInt64($0.root) == number.value }) else {
                throw .notPermitted
            }
            guard let repair = LogRepair(rawValue: String(decoding: value, as: UTF8.self)) else {
                throw .invalidArgument
            }
            try catalog.bulletin.refuseReadOnly(scope.id)
            try documents.mendLog(scope: scope.id, repair)
        case .emptying:
            try refuseOthers(caller)
            guard let scope = scopes.first(where: { UInt64($0.root) == number.value }) else {
                throw .notPermitted
            }
            let isAll = value == Array(".".utf8)
            let path = isAll ? ItemPath.root : ItemPath(bytes: value)
            guard isAll || !path.isRoot, path.components.allSatisfy(\.isValid) else {
                throw .invalidArgument
            }
            try catalog.bulletin.refuseReadOnly(scope.id)
            try documents.emptyTrash(scope: scope.id, below: path)
        default: throw .notPermitted
        }
    }

    /// What concerns everybody's documents is for the mount's owner and root.
    private func refuseOthers(_ caller: Caller) throws(DocFSError) {
        guard caller.user == owner || caller.user == 0 else { throw .notPermitted }
    }

    private func setPreference(to value: [UInt8]) throws(DocFSError) {
        let names = ["Local"] + scopes.map(\.name)
        guard names.contains(where: { Array($0.utf8) == value }) else { throw .invalidArgument }
        try catalog.write { (write) throws(DocFSError) in
            try write.setFact(Self.preferredScope, value)
        }
    }

    private func setFarewell(to value: [UInt8], by caller: Caller) throws(DocFSError) {
        try refuseOthers(caller)
        guard let seconds = Double(String(decoding: value, as: UTF8.self)),
            (0...1_000_000).contains(seconds)
        else { throw .invalidArgument }
        documents.farewell = .milliseconds(Int64(seconds * 1000))
    }

    private func setDownload(of ino: Int64, to value: [UInt8]) throws(DocFSError) {
        let isWanted: Bool
        switch value {
        case Array("current".utf8): isWanted = true
        case Array("none".utf8): isWanted = false
        default: throw .invalidArgument
        }
        let (isPinned, awaited) = try catalog.readConsistently {
            (read) throws(DocFSError) -> (Bool, Int64?) in
            guard let row = try read.local(ino) else { throw DocFSError.stale }
            guard row.isFile else { throw DocFSError.notOffered }
            // A newer version has just taken its place.
            if try read.namelessBody(at: ino) != nil { throw DocFSError.stale }
            return (try read.isPinned(row), try newer(of: row, in: read)?.ino)
        }
        if isWanted { return try documents.hydrate(awaited ?? ino) }
        if isPinned { throw .busy }
        try documents.evict(ino)
    }

    /// What waits at a document, or at and below a directory, is sent at once (S14).
    private func setUpload(of ino: Int64, to value: [UInt8]) throws(DocFSError) {
        guard value == Array("now".utf8) else { throw .invalidArgument }
        let (items, scope) = try catalog.readConsistently { (read) throws(DocFSError) in
            guard let row = try read.local(ino) else { throw DocFSError.stale }
            return (try waiting(at: row, in: read), row.scope)
        }
        documents.sendNow(items, scope: scope)
    }

    /// - Returns: `nil` for everything in the scope, also what has no name any more.
    private func waiting(at top: LocalItem, in read: CatalogReader) throws(DocFSError)
        -> Set<ItemID>?
    {
        if scopes.contains(where: { $0.root == top.ino }) { return nil }
        // First those that it is in, which may be new as well.
        var waiting: Set<ItemID> = [top.item]
        var above = try top.parent.flatMap { (ino) throws(DocFSError) in try read.local(ino) }
        while let row = above, let parent = row.parent {
            waiting.insert(row.item)
            above = try read.local(parent)
        }
        guard top.isDirectory else { return waiting }
        for item in try read.pending(scope: top.scope) {
            var above = try read.local(item: item, scope: top.scope)
            while let row = above, row.ino != top.ino {
                above = try row.parent.flatMap { (ino) throws(DocFSError) in try read.local(ino) }
            }
            if above != nil { waiting.insert(item) }
        }
        return waiting
    }

    private func setPin(of ino: Int64, to value: [UInt8]) throws(DocFSError) {
        let pins: [PinState] = [.inherited, .pinned, .unpinned]
        guard let pin = pins.first(where: { Array(Self.word($0).utf8) == value }) else {
            throw .invalidArgument
        }
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(ino) else { throw DocFSError.stale }
            row.pin = pin
            try write.update(row)
        }
        documents.pinChanged(of: ino, to: pin)
    }
}
