/// `.docfs`: reports of the mount's state, earlier versions, the trash, and the attributes of
/// documents.
///
/// Called from any of libfuse's threads. Everything is answered from the catalog and the bulletin;
/// only the bytes of versions and of deleted documents come from a store, to reads that wait
/// without a thread. The kernel is to remember nothing of it.
package final class ControlDirectory: ControlRequests {
    let settings: ControlSettings
    let scopes: [ScopeRecord]
    let catalog: Catalog
    let documents: any DocumentControl
    let bodies: any BodyReader
    let invalidator: any KernelInvalidator
    let wallTime: @Sendable () -> Timestamp
    let groups: @Sendable (_ thread: Int32) -> [UInt32]
    let places = PlaceTable()
    let readers: EventReaders
    let attributes: DocumentAttributes

    /// Throws `.notFound` when the catalog does not know one of the scopes.
    ///
    /// - Parameter groups: the supplementary groups of a caller's thread.
    package init(
        settings: ControlSettings, catalog: Catalog, documents: any DocumentControl,
        bodies: any BodyReader, invalidator: any KernelInvalidator,
        wallTime: @escaping @Sendable () -> Timestamp,
        groups: @escaping @Sendable (_ thread: Int32) -> [UInt32]
    ) throws(DocFSError) {
        self.settings = settings
        self.catalog = catalog
        self.documents = documents
        self.bodies = bodies
        self.invalidator = invalidator
        self.wallTime = wallTime
        self.groups = groups
        scopes = try catalog.read { (read) throws(DocFSError) in
            var scopes: [ScopeRecord] = []
            for id in settings.scopes {
                guard let scope = try read.scope(id) else { throw DocFSError.notFound }
                scopes.append(scope)
            }
            return scopes
        }
        readers = EventReaders(bulletin: catalog.bulletin)
        attributes = DocumentAttributes(
            scopes: scopes, catalog: catalog, documents: documents, escapes: settings.escapes,
            owner: settings.owner, device: settings.device, types: settings.types)
    }

    // MARK: Looking

    package func lookup(_ name: Name, in parent: FileNumber) throws(DocFSError) -> LookupResult {
        guard parent != .root else { return try answer(.top) }
        let place = try places.place(of: parent)
        let found = try catalog.readConsistently { (read) throws(DocFSError) in
            try child(name, of: place, in: read)
        }
        guard let found else { return LookupResult(attributes: nil, validity: 0) }
        return try answer(found)
    }

    package func attributes(of number: FileNumber) throws(DocFSError) -> LookupResult {
        try answer(try places.place(of: number))
    }

    private func answer(_ place: ControlPlace) throws(DocFSError) -> LookupResult {
        let attributes = try catalog.readConsistently { (read) throws(DocFSError) in
            try self.attributes(of: place, in: read)
        }
        return LookupResult(attributes: attributes, validity: 0)
    }

    package func readLink(_ number: FileNumber) throws(DocFSError) -> [UInt8] {
        guard case .deleted(let scope, let operation, let item) = try places.place(of: number)
        else { throw .invalidArgument }
        let record = try catalog.read { (read) throws(DocFSError) in
            try read.trash(of: item, operation: operation, scope: scope)
        }
        guard case .symlink(let target, _) = record?.content else { throw .stale }
        return target
    }

    package func retain(_ number: FileNumber) { places.retain(number) }

    package func forget(_ number: FileNumber) { places.forget(number) }

    // MARK: Open files

    package func open(_ number: FileNumber, forWriting: Bool, caller: Caller) throws(DocFSError)
        -> (any Handle, Caching)
    {
        if forWriting { throw .notPermitted }
        return (try open(try places.place(of: number)), .direct)
    }

    private func open(_ place: ControlPlace) throws(DocFSError) -> any Handle {
        switch place {
        case .report(.status): return ControlText(try status().text)
        case .report(.statusJSON): return ControlText(try status().json)
        case .report(.conflicts): return ControlText(try conflicts())
        case .report(.check):
            return CheckReader(scopes: scopes, catalog: catalog, documents: documents)
        case .report(.events):
            let names = [(DocumentEvent.local, "Local")] + scopes.map { ($0.id, $0.name) }
            return readers.open(names: Dictionary(uniqueKeysWithValues: names))
        case .version, .deleted:
            let body = try catalog.read { (read) throws(DocFSError) in
                try self.body(of: place, in: read)
            }
            guard let body else { throw .stale }
            return BodyFile(body: body, reader: bodies, deadline: settings.deadline)
        case .itemList(let ino, let pattern):
            return ItemReader(
                below: ino, pattern: pattern, catalog: catalog,
                lines: ItemLine(attributes: attributes))
        case .top, .items, .itemsBelow, .versions, .trash, .mirror, .trashDirectory:
            throw .isDirectory
        }
    }

    /// How everything is doing.
    func status() throws(DocFSError) -> StatusReport {
        try StatusReport(
            settings: settings, scopes: scopes, catalog: catalog, documents: documents)
    }

    /// A line for each conflict version: the document's path, a tab, the sibling's.
    private func conflicts() throws(DocFSError) -> String {
        try catalog.readConsistently { (read) throws(DocFSError) in
            var text = ""
            for scope in scopes {
                for sibling in try read.conflictVersions(scope: scope.id) {
                    let row = try sibling.conflictOf.flatMap { (mark) throws(DocFSError) in
                        try read.local(item: mark.document, scope: scope.id)
                    }
                    let document = try row.flatMap { (row) throws(DocFSError) in
                        try line(row, scope, read)
                    }
                    guard let path = try line(sibling, scope, read) else { continue }
                    text += "\(document ?? "")\t\(path)\n"
                }
                for item in try read.documentsOfStandIns(scope: scope.id) {
                    guard let row = try read.local(item: item, scope: scope.id),
                        let document = try line(row, scope, read)
                    else { continue }
                    text += "\(document)\t\n"
                }
            }
            return text
        }
    }

    /// A row's path from the mount's root.
    private func line(_ row: LocalItem, _ scope: ScopeRecord, _ read: CatalogReader)
        throws(DocFSError) -> String?
    {
        try read.path(of: row.ino, root: scope.root).map {
            PathText.line(ItemPath([Name(scope.name)]).appending($0))
        }
    }

    package func read(
        _ file: any Handle, at offset: UInt64, length: Int, isNonBlocking: Bool
    ) throws(DocFSError) -> ReadAnswer {
        switch file {
        case let text as ControlText: return .bytes(text.read(at: offset, length: length))
        case let items as ItemReader: return .bytes(try items.read(at: offset, length: length))
        case let check as CheckReader: return .bytes(try check.read(at: offset, length: length))
        case let events as EventReader:
            return try events.read(length: length, isNonBlocking: isNonBlocking)
        case let body as BodyFile: return try body.read(at: offset, length: length)
        default: throw .badHandle
        }
    }

    package func poll(_ file: any Handle, wake: (@Sendable () -> Void)?) -> Bool {
        guard let events = file as? EventReader else { return true }
        return events.poll(wake: wake)
    }

    package func close(_ file: any Handle) {
        switch file {
        case let events as EventReader: readers.close(events)
        case let body as BodyFile: body.close()
        default: break
        }
    }

    // MARK: Attributes of documents

    package func documentAttribute(_ name: String, of number: FileNumber) throws(DocFSError)
        -> [UInt8]
    {
        try attributes.value(name, of: number)
    }

    package func setDocumentAttribute(
        _ name: String, of number: FileNumber, value: [UInt8], caller: Caller
    ) throws(DocFSError) {
        try attributes.set(name, of: number, to: value, by: caller)
    }
}
