import DocFS
import Glibc
import Logging
import TestSupport

/// What a device asks of a very large container, and what it takes of this computer: requests and
/// bytes counted, seconds and memory measured.
///
/// Syncing and catalog are the real ones; time is simulated, so that an hour is an hour's requests.
/// The container is made up as it is asked for, so that the memory is the device's.
final class Scale {
    private let scheduler = Scheduler(seed: 1)
    private let clock: SimulatedClock
    private let directory: String
    private let documents: Int
    private let vast: VastStore
    private let store: CountingStore

    /// - Parameter directory: a new one for the catalog; it is removed afterwards.
    init(documents: Int, directory: String) {
        self.documents = documents
        self.directory = directory
        vast = VastStore(documents: documents)
        store = CountingStore(vast)
        SharedPool.shared.scheduler = scheduler
        clock = SimulatedClock(scheduler, skew: 0)
    }

    private static let second: UInt64 = 1_000_000_000
    private static let edits: UInt64 = 10_000

    func run() throws {
        mkdir(directory, 0o700)
        defer { removeTree(directory) }
        let beginning = VastContainer.beginning
        try grow(to: beginning, snapshot: beginning, floor: beginning)
        print("\(documents) documents in \(vast.container.directories) directories")
        var device = try measure("first sight, until all is shown and listed") {
            try passUntilAtRest(start())
        }
        try measure("an hour in which nothing happens") { pass(seconds: 3_600) }
        stop(device)
        let end = beginning + Self.edits
        try grow(to: end, snapshot: end - 500, floor: end - 1_000)
        pass(seconds: 30 * 86_400)
        device = try measure("after a month with \(Self.edits) edits, one record each") {
            try passUntilAtRest(start())
        }
        stop(device)
        device = try measure("the next start, until all is listed") {
            try passUntilAtRest(start())
        }
        stop(device)
    }

    /// Other devices go on.
    private func grow(to end: UInt64, snapshot: UInt64, floor: UInt64) throws {
        let done = Once()
        Task { [vast] in
            try await vast.grow(to: end, snapshot: snapshot, floor: floor)
            done.isOver = true
        }
        pass(seconds: 1)
        guard done.isOver else { throw DocFSError.corrupt("the container did not grow") }
    }

    /// What a task tells.
    private final class Once: @unchecked Sendable {
        var isOver = false
    }

    // MARK: The device

    /// One start of its daemon.
    private struct Running {
        let catalog: Catalog
        let engine: SyncEngine
        let scope: ScopeRecord
    }

    private func start() throws -> Running {
        let catalog = try Catalog(path: directory + "/catalog.sqlite")
        let known = try catalog.read { (read) throws(DocFSError) in try read.scopes() }.first
        let scope =
            try known
            ?? catalog.write { (write) throws(DocFSError) in
                try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero)
            }
        let device = DeviceID(high: 0, low: 1)
        let engine = SyncEngine(
            scope: scope, catalog: catalog,
            container: Container(store: store, device: device, deviceName: "device"),
            replica: NoContents(),
            settings: SyncSettings(
                deviceName: "device", settle: Self.second,
                poll: 5 * Self.second, owner: 0, group: 0),
            clock: clock,
            executor: SimulatedExecutor(
                scheduler, owner: Process(directory, local: directory)),
            random: SeededRandom(seed: 7),
            log: Logger(label: "device") { _ in SwiftLogNoOpLogHandler() })
        Task { await engine.start() }
        return Running(catalog: catalog, engine: engine, scope: scope)
    }

    private func stop(_ device: Running) {
        let engine = device.engine
        Task { await engine.stop() }
        pass(seconds: 10)
        try? device.catalog.leave()
    }

    private func pass(seconds: UInt64) {
        scheduler.run(until: scheduler.now + seconds * Self.second)
    }

    private func passUntilAtRest(_ device: Running) throws -> Running {
        for _ in 0..<100 {
            pass(seconds: 1)
            let counts = try device.catalog.read { (read) throws(DocFSError) in
                try read.counts(scope: device.scope.id)
            }
            if counts.pending == 0, counts.documents == documents { return device }
        }
        let problem = device.catalog.bulletin.health(of: device.scope.id).problem
        throw DocFSError.corrupt("the device comes to no rest: \(problem ?? "it is online")")
    }

    // MARK: Figures

    @discardableResult
    private func measure<Value>(_ what: String, _ body: () throws -> Value) throws -> Value {
        _ = store.take()
        ProcessMemory.forgetPeak()
        let begun = Posix.bootTime()
        let value = try body()
        let seconds = Double(Posix.bootTime() - begun) / 1e9
        let counts = store.take()
        let words = [
            "\(counts)", "\(Self.mebibytes(counts.bytesDown)) MiB of bodies down",
            "about \(Self.mebibytes(counts.bytesListed)) MiB of listings",
            "\(Int(seconds.rounded())) s", "at most \(ProcessMemory.peak >> 20) MiB of memory",
        ]
        print("\(what): \(words.joined(separator: ", "))")
        fflush(nil)
        return value
    }

    private static func mebibytes(_ bytes: UInt64) -> UInt64 { (bytes + (1 << 19)) >> 20 }
}

/// A device on which nobody reads or writes.
private struct NoContents: Replica {
    func writer(of ino: Int64) -> WriterState { .none }
    func claim(_ ino: Int64) -> Bool { true }
    func release(_ inos: [Int64]) {}
    func snapshot(of row: LocalItem) async throws(DocFSError) -> Snapshot { throw .wouldBlock }
    func isSuspect(_ row: LocalItem) -> Bool { false }
    func applied(_ notices: [LocalNotice]) {}
}
