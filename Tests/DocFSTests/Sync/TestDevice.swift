import DocFS
import Foundation
import Logging
import Synchronization
import TestSupport

/// The same numbers in every run, so that what identifiers decide is decided alike.
struct DeviceRandom: RandomNumberGenerator, Sendable {
    private let state: Shared<SeededRandom>

    /// - Parameter name: other numbers for each.
    init(_ name: String) {
        let seed = name.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 1_099_511_628_211
        }
        state = Shared(SeededRandom(seed: seed))
    }

    func next() -> UInt64 { state.value.withLock { $0.next() } }
}

/// One device: a real catalog and engine on a shared store, with the least of a mount on top.
final class TestDevice: Sendable {
    let name: String
    let catalog: Catalog
    let replica: TestReplica
    let engine: SyncEngine
    let scope: ScopeRecord
    private let settings: SyncSettings
    private let identity: CurrentDevice
    private let random: DeviceRandom
    /// Who it is in the change log.
    var device: DeviceID { identity.id }
    private let clock: any SyncClock
    let store: any CloudStore
    private let place: TestDirectory
    var directory: String { place.path }

    /// - Parameters:
    ///   - poll: nanoseconds between two looks into the log.
    ///   - collection: nanoseconds between two snapshots of it, which two records are worth.
    ///   - staleness: nanoseconds in which the store may answer with what was there before.
    convenience init(
        _ name: String, store: any CloudStore, clock: any SyncClock = SystemClock(),
        poll: UInt64 = 1_000_000_000, collection: UInt64? = nil,
        retention: Retention = Retention(time: 86_400_000_000_000, versions: 10),
        fetchFirst: FetchFirst = .never, staleness: UInt64 = 0
    ) throws {
        let place = try TestDirectory()
        let catalog = try Catalog(path: place.path + "/catalog.sqlite")
        let scope = try catalog.write { (write) throws(DocFSError) in
            try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero)
        }
        var random = DeviceRandom(name)
        let device = DeviceID(using: &random)
        var settings = SyncSettings(
            deviceName: name, settle: 50_000_000, poll: poll, owner: 0, group: 0,
            staleness: staleness, putBackPause: 50_000_000, retention: retention,
            fetchFirst: fetchFirst)
        if let collection {
            settings.collection = collection
            settings.collectedRecords = 2
        }
        self.init(
            name, store: store, device: device, settings: settings, clock: clock,
            catalog: catalog, scope: scope,
            replica: TestReplica { bytes in SHA256.digest(of: bytes) },
            place: place, random: random)
    }

    private init(
        _ name: String, store: any CloudStore, device: DeviceID, settings: SyncSettings,
        clock: any SyncClock, catalog: Catalog, scope: ScopeRecord, replica: TestReplica,
        place: TestDirectory, random: DeviceRandom
    ) {
        self.name = name
        self.catalog = catalog
        self.replica = replica
        self.scope = scope
        self.settings = settings
        self.clock = clock
        self.store = store
        self.place = place
        self.random = random
        identity = CurrentDevice(device)
        engine = SyncEngine(
            scope: scope, catalog: catalog,
            container: Container(
                store: store, privateLog: store as? any PrivateLog, device: identity,
                deviceName: name),
            replica: replica, settings: settings, clock: clock,
            executor: ThreadExecutor(name: "sync-\(name)"), random: random,
            log: Logger(label: name))
    }

    /// The same device after its daemon, which has stopped, began anew.
    ///
    /// - Parameter store: by which it reaches its container then; `nil`: as before.
    func restarted(on store: (any CloudStore)? = nil) throws -> TestDevice {
        let scope = try catalog.read { (read) throws(DocFSError) in try read.scopes() }
        return TestDevice(
            name, store: store ?? self.store, device: device, settings: settings, clock: clock,
            catalog: catalog, scope: scope[0], replica: replica, place: place, random: random)
    }

    /// A copy of all that this device knows, which takes itself for the very same; nothing may
    /// change meanwhile.
    func copy() throws -> TestDevice {
        let copy = try TestDirectory()
        for file in ["/catalog.sqlite", "/catalog.sqlite-wal"]
        where FileManager.default.fileExists(atPath: directory + file) {
            try FileManager.default.copyItem(atPath: directory + file, toPath: copy.path + file)
        }
        let catalog = try Catalog(path: copy.path + "/catalog.sqlite")
        let scope = try catalog.read { (read) throws(DocFSError) in try read.scopes() }
        return TestDevice(
            name, store: store, device: device, settings: settings, clock: clock, catalog: catalog,
            scope: scope[0], replica: replica.copy(), place: copy,
            random: DeviceRandom("copy of \(name)"))
    }

    // MARK: What a user does

    /// Writes a document by its path; its directory must be there.
    ///
    /// - Parameter basis: what it was made from; `nil` for what is shown.
    func write(_ path: String, _ text: String, madeFrom basis: Revision? = nil) throws {
        let bytes = Array(text.utf8)
        let (parent, name) = try place(path)
        let catalog = catalog
        let scope = scope
        let now = SystemClock().wallTime()
        let (replica, numbers) = (replica, random)
        // The bytes are there before anybody sees the row: else those of before would be sent.
        try catalog.write { (write) throws(DocFSError) in
            if var row = try write.read.child(name, of: parent) {
                row.divergence = .written
                row.generation += 1
                row.basis = basis ?? row.basis
                row.size = UInt64(bytes.count)
                row.modified = now
                row.state = .current
                try write.update(row)
                try write.markPending(row.item, scope: scope.id)
                return replica.setBody(bytes, of: row.ino)
            }
            var random = numbers
            var row = LocalItem(
                scope: scope.id, item: ItemID(using: &random), parent: parent, name: name,
                mode: LocalItem.typeFile | 0o644, owner: 0, group: 0, modified: now, changed: now)
            row.divergence = .written
            row.size = UInt64(bytes.count)
            try write.markPending(row.item, scope: scope.id)
            replica.setBody(bytes, of: try write.insert(row))
        }
    }

    func changeMode(_ path: String, _ mode: UInt32) throws {
        let (parent, name) = try place(path)
        let scope = scope
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.child(name, of: parent) else { throw .notFound }
            row.mode = row.type | mode
            try write.update(row)
            try write.markPending(row.item, scope: scope.id)
        }
    }

    func makeDirectory(_ path: String) throws {
        let (parent, name) = try place(path)
        let scope = scope
        let numbers = random
        let now = SystemClock().wallTime()
        try catalog.write { (write) throws(DocFSError) in
            var random = numbers
            var row = LocalItem(
                scope: scope.id, item: ItemID(using: &random), parent: parent, name: name,
                mode: LocalItem.typeDirectory | 0o755, owner: 0, group: 0, modified: now,
                changed: now)
            row.links = 2
            try write.insert(row)
            try write.markPending(row.item, scope: scope.id)
        }
    }

    func remove(_ path: String) throws {
        let (parent, name) = try place(path)
        let scope = scope
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.child(name, of: parent) else { throw .notFound }
            row.parent = nil
            try write.update(row)
            try write.markPending(row.item, scope: scope.id)
        }
    }

    /// Takes a document to `Local/`, from where nothing was sent yet, and returns its item.
    func handOver(_ path: String) throws -> ItemID {
        let (parent, name) = try place(path)
        let scope = scope
        return try catalog.write { (write) throws(DocFSError) in
            guard let row = try write.read.child(name, of: parent) else { throw .notFound }
            try write.delete(row.ino)
            try write.addHandover(of: row.item, scope: scope.id, to: nil)
            return row.item
        }
    }

    /// Renames to a name that is free.
    func rename(_ path: String, _ newPath: String) throws {
        let (parent, name) = try place(path)
        let (newParent, newName) = try place(newPath)
        let scope = scope
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.child(name, of: parent) else { throw .notFound }
            row.parent = newParent
            row.name = newName
            try write.update(row)
            try write.markPending(row.item, scope: scope.id)
        }
    }

    /// Renames over another document, which gets the bytes.
    func renameOver(_ path: String, _ newPath: String) throws {
        let (parent, name) = try place(path)
        let (newParent, newName) = try place(newPath)
        let scope = scope
        let replica = replica
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.child(name, of: parent),
                var other = try write.read.child(newName, of: newParent)
            else { throw .notFound }
            if let bytes = replica.body(of: row.ino) { replica.setBody(bytes, of: other.ino) }
            other.divergence = .stored
            other.generation = max(row.generation, other.generation) + 1
            other.sourceItem = row.sourceItem
            other.sourceRevision = row.sourceRevision
            other.sourceDigest = row.sourceDigest
            other.sourceSize = row.sourceSize
            other.state = row.state
            other.size = row.size
            other.wanted = row.size
            row.parent = nil
            for changed in [row, other] {
                try write.update(changed)
                try write.markPending(changed.item, scope: scope.id)
            }
        }
    }

    /// The bytes of a document come here.
    func bring(_ text: String, of path: String) throws {
        let (parent, name) = try place(path)
        let replica = replica
        try catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.child(name, of: parent) else { throw .notFound }
            row.state = .current
            replica.setBody(Array(text.utf8), of: row.ino)
            try write.update(row)
        }
    }

    /// Whether the bytes of a document are here.
    func isHere(_ path: String) throws -> Bool {
        let (parent, name) = try place(path)
        return try catalog.read { (read) throws(DocFSError) in
            try read.child(name, of: parent)?.state == .current
        }
    }

    /// Opens a document for writing; the answer closes it.
    func open(_ path: String) throws -> () -> Void {
        let (parent, name) = try place(path)
        let row = try catalog.read { (read) throws(DocFSError) in
            try read.child(name, of: parent)
        }
        guard let row else { throw DocFSError.notFound }
        replica.setWriter(true, of: row.ino)
        return { [replica] in replica.setWriter(false, of: row.ino) }
    }

    /// What went wrong last with a document, in words.
    func error(of path: String) throws -> String? {
        let (parent, name) = try place(path)
        return try catalog.read { (read) throws(DocFSError) in
            try read.child(name, of: parent)?.error
        }
    }

    /// The earlier bodies of a document that the container keeps, as this device knows them.
    func versions(of path: String) throws -> [VersionRecord] {
        let (parent, name) = try place(path)
        let scope = scope
        return try catalog.read { (read) throws(DocFSError) in
            guard let row = try read.child(name, of: parent) else { throw .notFound }
            return try read.versions(of: row.item, scope: scope.id)
        }
    }

    /// The deleted documents that the container keeps, as this device knows them.
    var trash: [TrashRecord] {
        get throws {
            try catalog.read { (read) throws(DocFSError) in
                try read.trash(scope: scope.id, after: nil, limit: 1000)
            }
        }
    }

    /// Whether the log, as far as this device has read it, has something at a path.
    func isRecorded(_ path: ItemPath) throws -> Bool {
        try catalog.read { (read) throws(DocFSError) in
            try read.remoteItem(at: path, scope: scope.id) != nil
        }
    }

    private func place(_ path: String) throws -> (Int64, Name) {
        let path = ItemPath(path)
        var directory = scope.root
        for name in path.components.dropLast() {
            let row = try catalog.read { (read) throws(DocFSError) in
                try read.child(name, of: directory)
            }
            guard let row else { throw DocFSError.notFound }
            directory = row.ino
        }
        return (directory, path.name!)
    }

    // MARK: What a user sees

    /// Every document by its path, with the bytes that a reader would get.
    func tree() async throws -> [String: String] {
        var found: [String: String] = [:]
        var rest = [(scope.root, "")]
        while let (directory, prefix) = rest.popLast() {
            let rows = try catalog.read { (read) throws(DocFSError) in
                try read.children(of: directory)
            }
            for row in rows {
                let path = prefix + row.name.description
                if row.isDirectory {
                    found[path + "/"] = ""
                    rest.append((row.ino, path + "/"))
                } else {
                    found[path] = try await text(row)
                }
            }
        }
        return found
    }

    private func text(_ row: LocalItem) async throws -> String {
        if row.state == .current, let bytes = replica.body(of: row.ino) {
            return String(decoding: bytes, as: UTF8.self)
        }
        guard row.size > 0, let item = row.sourceItem, let revision = row.sourceRevision else {
            return ""
        }
        let sink = TestSink(size: Int(row.size))
        try await engine.fetch(item, revision: revision, range: 0..<row.size, into: sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    var isAtRest: Bool {
        get throws {
            let counts = try catalog.read { (read) throws(DocFSError) in
                try read.counts(scope: scope.id)
            }
            return counts.pending == 0 && counts.journal == 0
        }
    }

    /// How many effects the journal tells of.
    var intents: Int {
        get throws {
            try catalog.read { (read) throws(DocFSError) in
                try read.counts(scope: scope.id).journal
            }
        }
    }
}

/// A directory of the tests, until nobody uses it any more.
final class TestDirectory: Sendable {
    let path: String

    init(path: String) { self.path = path }

    /// One that is made.
    convenience init() throws {
        self.init(path: NSTemporaryDirectory() + "docfs-sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
