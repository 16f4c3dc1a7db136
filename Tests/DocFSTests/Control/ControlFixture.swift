internal import Foundation
internal import Synchronization
internal import Testing

@testable import DocFS

/// A `.docfs` on a catalog of its own, with one cloud scope, for one test.
final class ControlFixture: Sendable {
    let directory: URL
    let catalog: Catalog
    let scope: ScopeRecord
    let documents = ControlDocuments()
    let bodies = ControlBodies()
    let kernel = ControlKernel()
    let control: ControlDirectory
    let me = Caller(user: 1000, group: 100, thread: 0)
    static let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 5)

    init(name: String = "Cloud", mountPoint: String = "/mnt/docs", deadline: Duration = .seconds(5))
        throws
    {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "docfs-control-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true)
        catalog = try Catalog(path: directory.appending(path: "catalog.sqlite").path)
        scope = try catalog.write { (write) throws(DocFSError) in
            try write.addScope(named: name, owner: 7, group: 8, at: Self.now)
        }
        control = try ControlDirectory(
            settings: ControlSettings(
                mountPoint: mountPoint, state: "/state", device: "here", scopes: [scope.id],
                stores: ["/srv/docs"], owner: 7,
                group: 8, born: Self.now,
                deadline: deadline,
                types: [
                    DocumentType(
                        key: "note", ending: "md", name: "Note", naming: .sequential,
                        mime: "text/markdown")
                ]),
            catalog: catalog, documents: documents, bodies: bodies, invalidator: kernel,
            wallTime: { Self.now }, groups: { $0 == 5 ? [1001] : [] })
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    // MARK: What the catalog has

    private let identities = Mutex<UInt64>(0)

    func newItem() -> ItemID {
        identities.withLock { last in
            last += 1
            return ItemID(high: 0xD0C, low: last)
        }
    }

    /// A row as if the item had been agreed on with the store.
    @discardableResult
    func add(
        _ name: Name, to parent: LocalItem? = nil, mode: UInt32 = LocalItem.typeFile | 0o640,
        isAgreed: Bool = true, _ change: (inout LocalItem) -> Void = { _ in }
    ) throws -> LocalItem {
        var row = LocalItem(
            scope: scope.id, item: newItem(), parent: parent?.ino ?? scope.root, name: name,
            mode: mode, owner: 1, group: 2, modified: Timestamp(seconds: 1_600_000_000),
            changed: Self.now)
        if row.isDirectory { row.links = 2 }
        row.basis = row.isDirectory ? nil : Revision("r1")
        change(&row)
        let made = row
        row.ino = try catalog.write { (write) throws(DocFSError) in
            let ino = try write.insert(made)
            guard isAgreed, let kind = made.kind else { return ino }
            let content: ItemContent =
                switch kind {
                case .file:
                    .file(Body(size: made.size, digest: nil, revision: Revision("r1")))
                case .directory: .directory
                case .symlink: .symlink(target: made.target ?? [], revision: Revision("r1"))
                }
            let state = ItemState(
                parent: parent?.item ?? .root, name: made.name, metadata: made.metadata,
                content: content, conflictOf: made.conflictOf)
            try write.setState(.base, of: made.item, scope: made.scope, to: state)
            try write.setState(.remote, of: made.item, scope: made.scope, to: state)
            return ino
        }
        return row
    }

    func addDirectory(_ name: Name, to parent: LocalItem? = nil) throws -> LocalItem {
        try add(name, to: parent, mode: LocalItem.typeDirectory | 0o750)
    }

    /// Something in the trash.
    @discardableResult
    func addTrash(
        _ path: ItemPath, _ content: ItemContent? = nil, size: UInt64 = 5, mode: UInt16 = 0o640,
        recorded: Int64 = 1_650_000_000, ownership: Ownership? = nil, directory: ItemID? = nil
    ) throws -> TrashRecord {
        let body = Body(size: size, digest: nil, revision: Revision("deleted"))
        let item = newItem()
        let record = TrashRecord(
            operation: OperationID(high: 1, low: item.low), item: item, path: path,
            place: ItemPath(".docfs/trash/x"),
            metadata: Metadata(
                mode: mode, modified: Timestamp(seconds: 1_500_000_000, nanoseconds: 9),
                attributes: [ExtendedAttribute(name: "user.colour", value: [1, 2])]),
            content: content ?? .file(body), recorded: recorded, ownership: ownership,
            directory: directory)
        let scope = scope
        try catalog.write { (write) throws(DocFSError) in
            try write.addTrash(record, scope: scope.id)
        }
        return record
    }

    @discardableResult
    func addVersion(
        of row: LocalItem, _ revision: String, device: String = "bob", size: UInt64 = 3,
        recorded: Int64 = 1_650_000_000, mode: UInt16? = 0o644, ownership: Ownership? = nil,
        saver: Saver? = nil
    ) throws -> VersionRecord {
        let version = VersionRecord(
            item: row.item, revision: Revision(revision), path: ItemPath("v/\(revision)"),
            size: size, digest: nil, modified: Timestamp(seconds: 1_400_000_000), device: device,
            recorded: recorded, mode: mode, ownership: ownership, saver: saver)
        try catalog.write { (write) throws(DocFSError) in
            try write.addVersion(version, scope: row.scope)
        }
        return version
    }

    func row(_ ino: Int64) throws -> LocalItem {
        let row = try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
        return try #require(row)
    }

    func row(_ path: ItemPath) throws -> LocalItem? {
        let root = scope.root
        return try catalog.read { (read) throws(DocFSError) in
            var row = try read.local(root)
            for name in path.components {
                guard let directory = row else { return nil }
                row = try read.child(name, of: directory.ino)
            }
            return row
        }
    }

    // MARK: Through the front, as the kernel would

    /// Looks up a path below `.docfs`, and remembers every number as the kernel does.
    func find(_ path: ItemPath) throws -> FileAttributes? {
        var found = try control.lookup(".docfs", in: .root).attributes
        for name in path.components {
            guard let parent = found else { return nil }
            control.retain(parent.number)
            found = try control.lookup(name, in: parent.number).attributes
        }
        if let found { control.retain(found.number) }
        return found
    }

    func stat(_ path: ItemPath) throws -> FileAttributes {
        try #require(try find(path), "no \(path)")
    }

    func list(_ path: ItemPath) throws -> [Name] {
        let directory = try control.openDirectory(try stat(path).number)
        defer { control.closeDirectory(directory) }
        var names: [Name] = []
        var cookie: UInt64 = 0
        // One name at a time, so that every cookie is used.
        while true {
            let before = names.count
            try control.list(directory, from: cookie, withAttributes: true) { entry in
                names.append(entry.name)
                cookie = entry.cookie
                return false
            }
            if names.count == before { return names.sorted() }
        }
    }

    func open(_ path: ItemPath) throws -> any ControlRequests.Handle {
        try control.open(try stat(path).number, forWriting: false, caller: me).0
    }

    func read(_ path: ItemPath) throws -> String {
        let file = try open(path)
        defer { control.close(file) }
        var text: [UInt8] = []
        while true {
            let bytes = try now(
                try control.read(file, at: UInt64(text.count), length: 7, isNonBlocking: false))
            if bytes.isEmpty { return String(decoding: text, as: UTF8.self) }
            text += bytes
        }
    }

    /// The bytes of an answer that must not wait.
    func now(_ answer: ReadAnswer) throws -> [UInt8] {
        guard case .bytes(let bytes) = answer else { throw DocFSError.wouldBlock }
        return bytes
    }

    func attribute(_ name: String, of row: LocalItem) throws -> String {
        let number = FileNumber(UInt64(row.ino))
        let bytes = try control.documentAttribute("user.docfs.\(name)", of: number)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whose mount it is.
    static let owner = Caller(user: 7, group: 8, thread: 1)

    func set(
        _ name: String, of row: LocalItem, to value: String, by caller: Caller = owner
    ) throws {
        try control.setDocumentAttribute(
            "user.docfs.\(name)", of: FileNumber(UInt64(row.ino)), value: Array(value.utf8),
            caller: caller)
    }

    func unlink(_ path: ItemPath, by caller: Caller = Caller(user: 1, group: 2, thread: 0)) throws {
        try control.unlink(
            try #require(path.name), in: try stat(path.parent).number, caller: caller)
    }

    func restore(
        _ path: ItemPath, as name: Name, in parent: Int64? = nil, isReplacing: Bool = false,
        by caller: Caller = owner
    ) throws {
        try control.restore(
            try #require(path.name), in: try stat(path.parent).number, as: name,
            in: FileNumber(UInt64(parent ?? scope.root)), isReplacing: isReplacing, caller: caller)
    }
}
