import Glibc
import Logging
import TestSupport

@testable import DocFS

/// A device in real time: catalog, contents, cloud scope and engine on the store that a server on
/// loopback offers, with threads as the daemon has them.
///
/// Its engine has not begun before ``start()``: what is written until then is what a user did while
/// the daemon was away.
final class StoreFuzzDevice: LivingDevice {
    let catalog: Catalog
    let contents: Contents
    let files: ContentFiles
    let scope: CloudScope
    let record: ScopeRecord
    let engine: SyncEngine
    let keeper: ContentKeeper?
    private let store: S3Store

    static let caller = Caller(user: geteuid(), group: getegid(), thread: 0)
    private static let millisecond: UInt64 = 1_000_000
    /// After which requests and reads end, in nanoseconds.
    private static let deadline = 300 * millisecond

    /// What a device is like.
    struct Traits {
        let name: String
        /// What its identity ends with.
        let number: UInt64
        /// Of the server.
        let port: UInt16
        let retention: Retention
    }

    /// Opens what is in a directory, which is there.
    init(in directory: String, _ traits: Traits, _ random: SeededRandom, _ log: Logger) throws {
        var random = random
        let clock = SystemClock()
        catalog = try Catalog(path: directory + "/catalog.sqlite")
        for name in ["contents", "local"] { mkdir("\(directory)/\(name)", 0o700) }
        let device = DeviceID(high: 0, low: traits.number)
        let flags = O_RDONLY | O_DIRECTORY
        let plain = try Posix.open(path: directory + "/local", flags: flags)
        files = ContentFiles(
            state: try Posix.open(path: directory + "/contents", flags: flags),
            local: try HiddenFolder(in: plain, of: device).contents)
        contents = try Contents(
            catalog: catalog, files: files, clock: clock, deadline: Self.deadline, boot: nil,
            makeWorkers: SharedWorkers.of)
        record = try Self.scopeRecord(catalog)
        store = try Self.store(port: traits.port)
        engine = SyncEngine(
            scope: record, catalog: catalog,
            container: Container(store: store, device: device, deviceName: traits.name),
            replica: contents,
            settings: SyncSettings(
                deviceName: traits.name, settle: 20 * Self.millisecond,
                poll: 100 * Self.millisecond, owner: geteuid(), group: getegid(),
                collection: 300 * Self.millisecond, collectedRecords: 2,
                rareLook: 200 * Self.millisecond, retention: traits.retention),
            clock: clock, executor: ThreadExecutor(name: "sync-fuzz"),
            random: SeededRandom(seed: random.next()), log: log)
        contents.setSource(engine, scope: record.id)
        let sights = Sights()
        contents.setObserver(
            CloudTreeObserver(invalidator: NoKernel(), sights: sights) { _ in })
        scope = CloudScope(
            scope: record, catalog: catalog, contents: contents, handles: OpenFiles(),
            sights: sights, clock: clock, random: SeededRandom(seed: random.next())
        ) { [engine] in engine.noteVisit(to: $0) }
        keeper = ContentKeeper(
            contents, limit: 1 << 40, worker: SharedWorkers.of("keeper", 1),
            sleeper: SharedWorkers.of("keeper-later", 1))
    }

    private static func scopeRecord(_ catalog: Catalog) throws -> ScopeRecord {
        if let known = try catalog.read({ (read) throws(DocFSError) in try read.scopes() }).first {
            return known
        }
        return try catalog.write { (writer) throws(DocFSError) in
            try writer.addScope(
                named: "Cloud", owner: geteuid(), group: getegid(), at: Posix.wallTime())
        }
    }

    private static func store(port: UInt16) throws -> S3Store {
        let address = S3Address(
            bucket: "fuzz", prefix: "",
            endpoint: HTTPOrigin(isSecure: false, host: "127.0.0.1", port: port),
            region: "us-east-1", style: .path)
        let keys = ["AWS_ACCESS_KEY_ID": "docfs", "AWS_SECRET_ACCESS_KEY": "docfssecret"]
        return S3Store(
            address,
            credentials: S3CredentialSource(file: nil, profile: nil, environment: keys),
            try HTTPTransport(authorities: nil, silence: deadline))
    }

    // MARK: Life

    func start() { Task { [engine] in await engine.start() } }

    /// Ends syncing as the daemon does: what the store still owes is given up after a second.
    ///
    /// - Returns: whether all was over within two seconds, during which this process ran.
    func stop() -> Bool {
        let isOver = Monitor(false)
        Task { [engine] in
            await engine.stop()
            isOver.withLock { $0 = true }
        }
        // A busy computer counts more slowly.
        for tick in 0..<200 {
            if isOver.wait(nanoseconds: 10 * Self.millisecond, until: { $0 ? $0 : nil }) != nil {
                return true
            }
            if tick == 100 {
                store.close()
                Task { [engine] in await engine.giveUpStore() }
            }
        }
        return isOver.withLock { $0 }
    }

    /// Lets everything go, after ``stop()``.
    func leave() {
        store.close()
        try? contents.leave()
        contents.setSource(nil, scope: record.id)
        contents.setObserver(nil)
        try? catalog.leave()
    }

    var isAtRest: Bool {
        let counts = try? catalog.read { [record] (read) throws(DocFSError) in
            try read.counts(scope: record.id)
        }
        return counts.map { $0.pending == 0 && $0.journal == 0 } ?? false
    }

    var isOnline: Bool { catalog.bulletin.health(of: record.id).isOnline }

    // MARK: What a user does

    private func place(_ path: String) throws(DocFSError) -> (FileNumber, Name) {
        var number = scope.root
        let parts = path.split(separator: "/").map(String.init)
        for name in parts.dropLast() {
            guard let found = try scope.lookup(Name(name), in: number).attributes else {
                throw .notFound
            }
            number = found.number
        }
        return (number, Name(parts.last ?? ""))
    }

    /// Makes a document, or writes it anew in its place, as `>path` does.
    func write(_ path: String, _ text: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        let file: OpenFile
        if let there = try scope.lookup(name, in: parent).attributes {
            file = try scope.open(
                there.number, flags: O_WRONLY | O_TRUNC, caller: Self.caller
            ).0
        } else {
            file = try scope.create(
                name, in: parent, mode: 0o644, flags: O_CREAT | O_EXCL | O_WRONLY,
                caller: Self.caller
            ).1
        }
        defer { scope.close(file) }
        let bytes = Array(text.utf8)
        _ = try scope.write(file, at: 0, length: bytes.count) {
            (descriptor) throws(DocFSError) in
            let count = pwrite(descriptor, bytes, bytes.count, 0)
            if count != bytes.count { throw .diskFull }
            return count
        }
        try scope.flush(file)
    }

    func makeDirectory(_ path: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        _ = try scope.makeDirectory(name, in: parent, mode: 0o755, caller: Self.caller)
    }

    func rename(_ path: String, _ newPath: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        let (newParent, newName) = try place(newPath)
        try scope.rename(
            name, in: parent, to: newName, in: newParent, mode: .replace, caller: Self.caller)
    }

    func remove(_ path: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        try scope.unlink(name, in: parent, caller: Self.caller)
    }

    // MARK: What is here

    /// All rows that have a name, below all directories.
    func rows() throws -> [LocalItem] {
        var found: [LocalItem] = []
        var rest = [record.root]
        while let next = rest.popLast() {
            let rows = try catalog.read { (read) throws(DocFSError) in
                try read.children(of: next)
            }
            found += rows
            rest += rows.filter(\.isDirectory).map(\.ino)
        }
        return found
    }

    /// The text at `path`, where it is a document whose bytes are here.
    func text(at path: String) throws(DocFSError) -> String? {
        let (parent, name) = try place(path)
        let row = try catalog.read { (read) throws(DocFSError) in
            try read.child(name, of: parent.row)
        }
        guard let row, row.isFile, row.state == .current else { return nil }
        return try bytes(of: row).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a document that are on this device's disk; `nil` where there is no file.
    func bytes(of row: LocalItem) throws(DocFSError) -> [UInt8]? {
        guard let file = try files.open(row.ino, row.place, isReadOnly: true) else { return nil }
        let size = Int(try Posix.status(of: file.number).size)
        return Self.bytes(file.number, at: 0, size)
    }

    private static func bytes(_ descriptor: Int32, at offset: UInt64, _ length: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(length, 1 << 20))
        let count = pread(descriptor, &bytes, bytes.count, off_t(offset))
        return Array(bytes.prefix(max(0, count)))
    }

    /// What a program reads at the beginning of a document, fetched where it is not here.
    func read(_ row: LocalItem) throws(DocFSError) -> [UInt8] {
        let (file, _) = try scope.open(
            FileNumber(UInt64(row.ino)), flags: O_RDONLY, caller: Self.caller)
        defer { scope.close(file) }
        let ended = Monitor<Result<[UInt8], DocFSError>?>(nil)
        let end: @Sendable (PendingRead.Outcome) -> Void = { outcome in
            let result: Result<[UInt8], DocFSError> =
                switch outcome {
                case .bytes(let bytes): .success(bytes)
                case .range(let descriptor, let offset, let length):
                    .success(Self.bytes(descriptor, at: offset, length))
                case .failed(let error): .failure(error)
                }
            ended.withLock { $0 = result }
        }
        switch try scope.read(file, at: 0, length: 1 << 16) {
        case .bytes(let bytes): return bytes
        case .range(let descriptor, let offset, let length):
            return Self.bytes(descriptor, at: offset, length)
        case .waiting(let pending):
            pending.whenEnded(end)
            let result = ended.wait(nanoseconds: 10_000 * Self.millisecond) { $0 }
            guard let result else { throw .deadline }
            return try result.get()
        }
    }
}

/// Threads that the devices of all cases share: those of a pool never end.
private enum SharedWorkers {
    private static let pools = Monitor<[String: WorkPool]>([:])

    static func of(_ name: String, _ limit: Int) -> any Workers {
        pools.withLock { pools in
            let pool = pools[name] ?? WorkPool(name: name, limit: limit)
            pools[name] = pool
            return pool
        }
    }
}
