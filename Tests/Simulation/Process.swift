import CFuse
import DocFS
import Glibc
import Logging
import SimulatedDisk
import TestSupport

/// One process of a device's daemon, from its start until it is killed or ends.
final class Process: @unchecked Sendable {
    /// Its state directory.
    let directory: String
    /// What `Local/` shows: a plain directory that outlives the process.
    let local: String
    /// Killed: nothing that it still does reaches anybody.
    private(set) var isDead = false
    /// Nothing can be written any more.
    var isDiskFull = false

    init(_ directory: String, local: String) {
        self.directory = directory
        self.local = local
    }

    /// As `kill -9` at this very moment: what is on the disk stays as it is, for the next process.
    ///
    /// What still runs of this one changes nothing any more.
    func kill(leaving remains: String) {
        guard !isDead else { return }
        simulated_disk_set_full(0)
        copyTree(directory, remains)
        isDead = true
    }
}

/// What runs in a process.
///
/// Everything in it is real but the store, the threads and the clock; the state directory is one.
final class Daemon: @unchecked Sendable {
    let process: Process
    let device: DeviceID
    let catalog: Catalog
    let contents: Contents
    let files: ContentFiles
    let scope: CloudScope
    /// The whole mount, with `Local/`.
    let namespace: Namespace
    let record: ScopeRecord
    let engine: SyncEngine
    /// Brings what is pinned, and drops what is too much.
    var keeper: ContentKeeper?

    static let settle: UInt64 = 1_000_000_000
    static let poll: UInt64 = 20_000_000_000
    static let collection: UInt64 = 60_000_000_000
    /// So many earlier versions of a document are kept however old they are.
    static let keptVersions = 1
    private static let rareLook: UInt64 = 20_000_000_000
    static let caller = Caller(user: geteuid(), group: getegid(), thread: 0)

    /// Opens what is in the directory and begins to sync.
    ///
    /// - Parameter retention: nanoseconds.
    init(
        _ process: Process, name: String, number: UInt64, store: any CloudStore,
        clock: SimulatedClock, _ scheduler: Scheduler, retention: UInt64,
        cache: UInt64, seed: UInt64, running: RunningPrograms, log: Logger,
        renewed: @escaping @Sendable (DeviceID) -> Void
    ) throws {
        self.process = process
        scheduler.current = process
        defer { scheduler.current = nil }
        var random = SeededRandom(seed: seed)
        let path = process.directory + "/catalog.sqlite"
        if access(path, F_OK) != 0 { try Self.emptyCatalog.get().write(to: path) }
        catalog = try Catalog(path: path)
        mkdir(process.directory + "/contents", 0o700)
        device = DeviceID(high: 0, low: number)
        let identity = CurrentDevice(device, whenRenewed: renewed)
        let flags = O_RDONLY | O_DIRECTORY
        let state = try Posix.open(path: process.directory + "/contents", flags: flags)
        let plain = try Posix.open(path: process.local, flags: flags)
        let hidden = try HiddenFolder(in: plain, of: device)
        files = ContentFiles(state: state, local: hidden.contents)
        contents = try Contents(
            catalog: catalog, files: files, clock: clock, deadline: 60_000_000_000, boot: nil
        ) { _, limit in SimulatedWorkers(scheduler, owner: process, limit: limit) }
        record = try Self.scopeRecord(clock, catalog)
        let sights = Sights(
            identify: { number in
                let isRunning = running.numbers.contains(number)
                return isRunning ? Sights.Program(process: number, started: 0) : nil
            }, now: { clock.now() })
        let handles = OpenFiles()
        let local = try LocalScope(
            root: plain, hidden: HiddenFolder.name, invalidator: NoKernel())
        let transfers = try Transfers(
            local: local, catalog: catalog, contents: contents, hidden: hidden, handles: handles,
            invalidator: NoKernel(), clock: clock,
            workers: SimulatedWorkers(scheduler, owner: process, limit: 1),
            lateWorkers: SimulatedWorkers(scheduler, owner: process, limit: 1),
            linkWorkers: SimulatedWorkers(scheduler, owner: process, limit: 1))
        contents.setObserver(
            CloudTreeObserver(invalidator: NoKernel(), sights: sights) { _ in
                transfers.lookAgain()
            })
        engine = SyncEngine(
            scope: record, catalog: catalog,
            container: Container(store: store, device: identity, deviceName: name),
            replica: contents,
            settings: SyncSettings(
                deviceName: name, settle: Self.settle, poll: Self.poll,
                owner: geteuid(), group: getegid(), collection: Self.collection,
                collectedRecords: 4, rareLook: Self.rareLook,
                retention: Retention(time: retention, versions: Self.keptVersions),
                fetchFirst: .here),
            clock: clock, executor: SimulatedExecutor(scheduler, owner: process), random: random,
            log: log)
        contents.setSource(engine, scope: record.id)
        scope = CloudScope(
            scope: record, catalog: catalog, contents: contents, handles: handles,
            sights: sights, clock: clock, random: SeededRandom(seed: random.next())
        ) { [engine] in engine.noteVisit(to: $0) }
        namespace = Namespace(
            local: local, clouds: [scope], catalog: catalog, transfers: transfers,
            owner: geteuid(), group: getegid(), born: .zero)
        var left: DocFSError?
        try transfers.recover([scope]) { left = left ?? $0 }
        if let left { throw left }
        transfers.lookAgain()
        keeper = ContentKeeper(
            contents, limit: cache, worker: SimulatedWorkers(scheduler, owner: process, limit: 1),
            sleeper: SimulatedWorkers(scheduler, owner: process, limit: 1))
        keeper?.start()
        Task { [engine] in await engine.start() }
    }

    /// A catalog with nothing in it, whose tables are made once for all runs.
    private static let emptyCatalog = Result {
        let path = "/dev/shm/docfs-simulate.\(getpid()).empty"
        try Catalog(path: path).leave()
        defer { for end in ["", "-wal", "-shm", "-sealed"] { unlink(path + end) } }
        return try FileBytes(path)
    }

    private static func scopeRecord(_ clock: SimulatedClock, _ catalog: Catalog) throws
        -> ScopeRecord
    {
        if let known = try catalog.read({ (read) throws(DocFSError) in try read.scopes() }).first {
            return known
        }
        let now = clock.wallTime()
        return try catalog.write { (writer) throws(DocFSError) in
            try writer.addScope(named: "Cloud", owner: geteuid(), group: getegid(), at: now)
        }
    }

    func emptyTrash() throws(DocFSError) { try engine.emptyTrash(below: .root) }

    func remove(_ version: VersionRecord) throws(DocFSError) { try engine.remove(version) }

    /// Lets what is left of a killed process, or a whole one, come to its end.
    func end() {
        keeper = nil
        Task { [engine, contents, record] in
            await engine.stop()
            // Each holds the other.
            contents.setSource(nil, scope: record.id)
            contents.setObserver(nil)
        }
    }
}

/// No mount: there is no kernel whose memory could be wrong.
struct NoKernel: KernelInvalidator {
    func entryChanged(in parent: FileNumber, _ name: Name) {}
    func entryRemoved(in parent: FileNumber, _ name: Name, child: FileNumber) {}
    func entryUnused(in parent: FileNumber, _ name: Name, child: FileNumber) {}
    func attributesChanged(of number: FileNumber) {}
    func contentChanged(of number: FileNumber) {}
    func renumbered(_ old: FileNumber, to new: FileNumber) {}
}

/// The bytes of a small file.
private struct FileBytes {
    private let bytes: [UInt8]

    init(_ path: String) throws {
        let file = try Posix.open(path: path, flags: O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: Int(try Posix.status(of: file.number).size))
        guard pread(file.number, &bytes, bytes.count, 0) == bytes.count else {
            throw DocFSError.corrupt(path)
        }
        self.bytes = bytes
    }

    func write(to path: String) throws {
        let file = try Posix.open(path: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        guard pwrite(file.number, bytes, bytes.count, 0) == bytes.count else {
            throw DocFSError.diskFull
        }
    }
}

// MARK: Directories

/// Copies a directory with what is in it, one level of directories deep after another.
func copyTree(_ source: String, _ destination: String) {
    mkdir(destination, 0o700)
    for (name, isDirectory) in entries(source) {
        let from = "\(source)/\(name)"
        if isDirectory {
            copyTree(from, "\(destination)/\(name)")
        } else if !name.hasSuffix("-shm") {
            copyFile(from, "\(destination)/\(name)")
        }
    }
}

func removeTree(_ path: String) {
    for (name, isDirectory) in entries(path) {
        if isDirectory { removeTree("\(path)/\(name)") } else { unlink("\(path)/\(name)") }
    }
    rmdir(path)
}

func entries(_ path: String) -> [(String, Bool)] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var found: [(String, Bool)] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { found.append((name, entry.pointee.d_type == DT_DIR)) }
    }
    return found
}

/// SEEK_DATA and SEEK_HOLE of lseek(2), which Swift does not see.
private let seekData: Int32 = 3
private let seekHole: Int32 = 4

private func copyFile(_ source: String, _ destination: String) {
    let from = open(source, O_RDONLY)
    let to = open(destination, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    defer {
        close(from)
        close(to)
    }
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    var status = stat()
    fstat(from, &status)
    // What was never written of a placeholder takes no time.
    var hole: off_t = 0
    while case let data = lseek(from, hole, seekData), data >= 0 {
        hole = lseek(from, data, seekHole)
        for offset in stride(from: data, to: hole, by: bytes.count) {
            let count = pread(from, &bytes, min(bytes.count, Int(hole - offset)), offset)
            precondition(
                pwrite(to, bytes, count, offset) == count, "no room for the state of a device")
        }
    }
    ftruncate(to, status.st_size)
    // What tells of an edit goes along: its label, and the file's time.
    if let label = try? Posix.attribute(EditLabel.attribute, of: from) {
        try? Posix.setAttribute(EditLabel.attribute, label, of: to)
    }
    _ = withUnsafePointer(to: (status.st_atim, status.st_mtim)) { times in
        times.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(to, $0) }
    }
}
