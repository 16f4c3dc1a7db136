import CFuse
import Glibc
import TestSupport
import Testing

@testable import DocFS

/// One cloud scope over a state directory of its own, with a container in memory.
///
/// Opening it again with the same path is a restart.
final class CloudFixture: Sendable {
    let path: String
    let catalog: Catalog
    let contents: Contents
    let scope: CloudScope
    let bodies: FakeBodies
    let me = Caller(user: geteuid(), group: getegid(), thread: 0)
    private let ownsPath: Bool

    /// For how long a read waits without progress, in nanoseconds.
    static let deadline: UInt64 = 60_000_000_000

    /// - Parameters:
    ///   - earlier: a fixture whose state directory is taken over.
    ///   - boot: which start of the system this is; another one is after a loss of power.
    ///   - readers: for whom little or nothing is fetched.
    init(
        reopening earlier: CloudFixture? = nil, clock: any SyncClock = SystemClock(),
        bodies: FakeBodies = FakeBodies(), boot: String = "first",
        readers: KnownReaders = KnownReaders()
    ) throws {
        umask(0)
        self.bodies = bodies
        ownsPath = earlier == nil
        path = try earlier?.path ?? Self.makeDirectory()
        catalog = try Catalog(path: path + "/catalog")
        try? Posix.makeDirectory(at: AT_FDCWD, Array((path + "/contents").utf8), mode: 0o700)
        let directory = try Posix.open(path: path + "/contents", flags: O_RDONLY | O_DIRECTORY)
        contents = try Contents(
            catalog: catalog, files: ContentFiles(state: directory, local: nil),
            clock: clock, deadline: Self.deadline, boot: Array(boot.utf8))
        let record = try Self.scope(in: catalog)
        scope = CloudScope(
            scope: record, catalog: catalog, contents: contents, handles: OpenFiles(),
            sights: Sights(), clock: clock, readers: readers)
        contents.setSource(bodies, scope: record.id)
    }

    deinit { if ownsPath { LocalFixture.removeTree(path) } }

    private static func makeDirectory() throws -> String {
        var template = Array("/tmp/docfs-cloud-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Posix.lastError() }
        return String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func scope(in catalog: Catalog) throws -> ScopeRecord {
        if let known = try catalog.read({ (read) throws(DocFSError) in try read.scopes() }).first {
            return known
        }
        let now = SystemClock().wallTime()
        return try catalog.write { (writer) throws(DocFSError) in
            try writer.addScope(named: "Cloud", owner: geteuid(), group: getegid(), at: now)
        }
    }

    // MARK: The container

    static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        let words = (0..<(count + 7) / 8).map { _ in random.next() }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }

    static func digest(_ bytes: [UInt8]) -> DocFS.Digest {
        SHA256.digest(of: bytes)
    }

    /// A document that the store has and this device does not.
    @discardableResult
    func addPlaceholder(_ name: String, _ bytes: [UInt8], in parent: FileNumber? = nil) throws
        -> LocalItem
    {
        let revision = Revision("r-\(name)-\(bytes.count)")
        bodies.change { $0.bodies[revision] = bytes }
        var random = SystemRandomNumberGenerator()
        let time = Timestamp(seconds: 1_000_000, nanoseconds: 5)
        var row = LocalItem(
            scope: scope.id, item: ItemID(using: &random), parent: (parent ?? scope.root).row,
            name: Name(name), mode: 0o100644, owner: geteuid(), group: getegid(),
            modified: time, changed: time)
        row.size = UInt64(bytes.count)
        row.wanted = row.size
        row.state = .none
        row.basis = revision
        row.sourceItem = row.item
        row.sourceRevision = revision
        row.sourceDigest = Self.digest(bytes)
        row.sourceSize = row.size
        let state = ItemState(
            parent: .root, name: row.name, metadata: row.metadata,
            content: .file(
                Body(size: row.size, digest: row.sourceDigest, revision: revision)))
        let made = row
        let ino = try catalog.write { (writer) throws(DocFSError) in
            try writer.setState(.base, of: made.item, scope: made.scope, to: state)
            try writer.setState(.remote, of: made.item, scope: made.scope, to: state)
            return try writer.insert(made)
        }
        row.ino = ino
        return row
    }

    /// What syncing does once the store has taken what is here.
    func acknowledge(_ path: String) throws {
        let old = try row(path)
        let file = try? Posix.open(path: contentPath(old), flags: O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: Int(old.size))
        if let file { _ = pread(file.number, &bytes, bytes.count, 0) }
        try agree(path, String(decoding: bytes, as: UTF8.self))
    }

    /// What syncing does once it knows that the store has `text` of a document.
    func agree(_ path: String, _ text: String) throws {
        let old = try row(path)
        let revision = Revision("up-\(old.ino)-\(old.generation)")
        let body = Array(text.utf8)
        bodies.change { $0.bodies[revision] = body }
        try catalog.write { (writer) throws(DocFSError) in
            guard var row = try writer.read.local(old.ino) else { throw .notFound }
            let size = UInt64(body.count)
            let content: ItemContent =
                row.isFile
                ? .file(Body(size: size, digest: Self.digest(body), revision: revision))
                : .directory
            let state = ItemState(
                parent: .root, name: row.name, metadata: row.metadata, content: content)
            row.isUnflushed = false
            row.rebase(onto: state)
            row.size = row.isFile ? size : row.size
            try writer.setState(.base, of: row.item, scope: row.scope, to: state)
            try writer.clearPending(row.item, scope: row.scope)
            try writer.update(row)
        }
    }

    // MARK: Looking behind

    func row(_ path: String) throws -> LocalItem {
        let ino = try number(path).row
        return try #require(try row(ino))
    }

    func row(_ ino: Int64) throws -> LocalItem? {
        try catalog.read { (read) throws(DocFSError) in try read.local(ino) }
    }

    func isPending(_ item: ItemID) throws -> Bool {
        try catalog.read { (read) throws(DocFSError) in
            try read.isPending(item, scope: scope.id)
        }
    }

    /// Forgets what is to be planned, so that a test sees what comes new.
    func clearPending() throws {
        let scope = scope.id
        try catalog.write { (writer) throws(DocFSError) in
            for item in try writer.read.pending(scope: scope) {
                try writer.clearPending(item, scope: scope)
            }
        }
    }

    func contentPath(_ row: LocalItem) -> String {
        let low = UInt8(row.ino & 0xFF)
        let hex = String(low, radix: 16)
        return "\(path)/contents/\(hex.count == 1 ? "0" : "")\(hex)/\(row.ino)"
    }

    // MARK: As the kernel would

    func number(_ path: String) throws -> FileNumber {
        var number = scope.root
        for name in path.split(separator: "/") {
            guard let found = try scope.lookup(Name(String(name)), in: number).attributes else {
                throw DocFSError.notFound
            }
            number = found.number
        }
        return number
    }

    func attributes(_ path: String) throws -> FileAttributes {
        try #require(try scope.attributes(of: try number(path)).attributes)
    }

    func open(_ path: String, _ flags: Int32 = O_RDONLY) throws -> OpenFile {
        try scope.open(try number(path), flags: flags, caller: me).0
    }

    /// Makes a document with these bytes and closes it.
    func put(_ path: String, _ bytes: [UInt8]) throws {
        let components = path.split(separator: "/")
        let parent = try number(components.dropLast().joined(separator: "/"))
        let (_, file, _) = try scope.create(
            Name(String(components.last!)), in: parent, mode: 0o644,
            flags: O_CREAT | O_EXCL | O_WRONLY, caller: me)
        try write(file, bytes)
        try close(file)
    }

    func put(_ path: String, _ text: String) throws { try put(path, Array(text.utf8)) }

    @discardableResult
    func write(_ file: OpenFile, _ bytes: [UInt8], at offset: UInt64 = 0) throws -> Int {
        try scope.write(file, at: offset, length: bytes.count) {
            (descriptor) throws(DocFSError) in
            Int(try Posix.check { pwrite(descriptor, bytes, bytes.count, off_t(offset)) })
        }
    }

    func close(_ file: OpenFile) throws {
        try scope.flush(file)
        contents.recordEverything()
        scope.close(file)
    }

    /// One read(2), however long it takes.
    func read(_ file: OpenFile, at offset: UInt64, length: Int) async throws -> [UInt8] {
        switch try scope.read(file, at: offset, length: length) {
        case .bytes(let bytes): return bytes
        case .range(let descriptor, let offset, let length):
            return try Self.read(descriptor, offset, length)
        case .waiting(let pending):
            let outcome = await withCheckedContinuation { continuation in
                pending.whenEnded { continuation.resume(returning: $0) }
            }
            switch outcome {
            case .range(let descriptor, let offset, let length):
                return try Self.read(descriptor, offset, length)
            case .failed(let error): throw error
            case .bytes(let bytes): return bytes
            }
        }
    }

    private static func read(_ descriptor: Int32, _ offset: UInt64, _ length: Int) throws
        -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = try bytes.withUnsafeMutableBytes {
            try Posix.read(descriptor, into: $0, at: offset)
        }
        return Array(bytes.prefix(count))
    }

    /// All bytes of an open document.
    func readAll(_ file: OpenFile, piece: Int = 131_072) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let next = try await read(file, at: UInt64(bytes.count), length: piece)
            if next.isEmpty { return bytes }
            bytes += next
        }
    }

    /// All bytes of a document.
    func readAll(_ path: String) async throws -> [UInt8] {
        let file = try open(path)
        defer { scope.close(file) }
        return try await readAll(file)
    }

    func text(_ path: String) async throws -> String {
        String(decoding: try await readAll(path), as: UTF8.self)
    }

    /// Runs what blocks on a thread of its own, never on the shared pool.
    static func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value)
        async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            OwnThread.start(name: "test") { continuation.resume(with: Result { try body() }) }
        }
    }
}
