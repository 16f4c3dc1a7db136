internal import Glibc
package import Logging
internal import Synchronization

/// The contents of all cloud scopes on this device: who has them open, and where their bytes come
/// from and lie.
///
/// Safe to use from any thread. Calls block on the disk and the catalog, but never on a store;
/// they must not be made from inside a transaction, except ``writer(of:)``, ``claim(_:)`` and
/// ``release(_:)``.
package final class Contents: Sendable {
    let catalog: Catalog
    let files: ContentFiles
    let clock: any SyncClock
    /// For how long a read may wait without one byte of progress, and anything else for what this
    /// device is doing, in nanoseconds.
    let deadline: UInt64
    /// For what must not hold up the shared pool, or whoever asks for it.
    let workers: any Workers
    /// For reading and hashing whole bodies.
    let hashers: any Workers
    /// For writing down what changed, many at once.
    let recorder: any Workers
    /// For what waits: fetches.
    let fetching: FetchExecutor
    /// For fetches of small documents, whose readers are answered before anything is written down.
    let arriving: FetchExecutor
    let deadlines: DeadlineWatch
    let table = Monitor(ContentTable())
    private let sources = Mutex<[Int64: any ContentSource]>([:])
    /// Rows that wait to be deleted together.
    let dropping = Mutex<[Int64]>([])
    /// What failed and is tried again, all of it together: who waits for that holds a thread.
    private let failed = Mutex<[@Sendable () -> Void]>([])
    let lagging = Mutex(Lagging())
    /// Held while what lags behind is being recorded.
    let recording = Mutex<Void>(())
    private let observer = Mutex<(any LocalTreeObserver)?>(nil)
    /// Who is told of edits that were put aside.
    let asides = Mutex(Aside.Told())
    /// Whether files have moved in from Local that its disk may still show there.
    let hasMovedIn = Mutex(false)
    /// For bringing to the disk what was written.
    let syncer: any Workers
    let isSyncing = Atomic(false)
    /// For looking at what is written past the mount.
    let unseenLooks: any Workers
    /// For looking after files that programs outside the mount write into.
    let outsideLooks: any Workers
    /// Rows of files in Local's hidden folder that were being written when an earlier process
    /// ended.
    let cutShort = Mutex<[Int64]>([])
    /// Rows of newer bodies that were asked for, as far as they have not come.
    let comingNewer = Mutex<Set<Int64>>([])
    let losses: PowerLosses
    let traffic: Traffic
    let linked: LinkedFiles
    /// Rows that ``isSuspect(_:)`` is about, with their generations.
    let suspects = Mutex<[Int64: Int64]>([:])
    /// Rows that were written into and whose other bytes could not be had.
    let lostSources = Mutex<[Int64: LostSource]>([:])
    /// Reads that failed because their containers are out of reach.
    let refusals = Mutex(Refusals())
    let log: Logger
    private let sweptLosses: Atomic<Int64>
    private let sleeps = Atomic(false)

    /// Takes over what an earlier process left: see ``recover()``.
    ///
    /// - Parameters:
    ///   - deadline: nanoseconds.
    ///   - boot: which start of the system this is; `nil` where nobody can tell.
    ///   - makeWorkers: makes so many threads of one name.
    package init(
        catalog: Catalog, files: ContentFiles, clock: any SyncClock, deadline: UInt64,
        boot: [UInt8]?,
        log: Logger = Logger(label: "contents") { _ in SwiftLogNoOpLogHandler() },
        makeWorkers: (_ name: String, _ limit: Int) -> any Workers = {
            WorkPool(name: $0, limit: $1)
        }
    ) throws(DocFSError) {
        self.catalog = catalog
        self.files = files
        self.clock = clock
        self.deadline = deadline
        self.log = log
        traffic = Traffic(clock: clock)
        linked = files.linked
        workers = makeWorkers("content", 4)
        hashers = makeWorkers("docfs-hash", 4)
        recorder = makeWorkers("recorder", 1)
        let fetchers = makeWorkers("fetch", 4)
        fetching = FetchExecutor(fetchers)
        arriving = FetchExecutor(fetchers, isShort: true)
        deadlines = DeadlineWatch(clock: clock, executor: fetching)
        syncer = makeWorkers("sync", 1)
        unseenLooks = makeWorkers("unseen", 1)
        outsideLooks = makeWorkers("outside", 1)
        losses = try PowerLosses(catalog, boot: boot)
        sweptLosses = Atomic(losses.swept)
        try recover()
        setSource(linked, scope: LinkedFiles.scope)
    }

    /// Where the placeholders of a scope get their bytes from.
    package func setSource(_ source: (any ContentSource)?, scope: Int64) {
        sources.withLock { $0[scope] = source }
    }

    /// Who is told what syncing changed.
    package func setObserver(_ observer: (any LocalTreeObserver)?) {
        self.observer.withLock { $0 = observer }
    }

    /// Content files may lie about still that the last loss of power has made strangers.
    var isUnswept: Bool { sweptLosses.load(ordering: .acquiring) < losses.count }

    func setSwept() throws(DocFSError) {
        guard isUnswept else { return }
        try losses.noteSwept(in: catalog)
        sweptLosses.store(losses.count, ordering: .releasing)
    }

    var currentObserver: (any LocalTreeObserver)? { observer.withLock { $0 } }

    // MARK: Sleep

    /// The computer is about to sleep, or awake again.
    ///
    /// Page faults that wait for bytes would keep it from sleeping: all that waits is answered, and
    /// nothing waits until it is awake (S7).
    package func setAsleep(_ isAsleep: Bool) {
        sleeps.store(isAsleep, ordering: .sequentiallyConsistent)
        guard isAsleep else { return }
        for content in table.withLock({ $0.entries.values.map(\.content) }) {
            content.failWaiters(.interrupted)
        }
    }

    var isAsleep: Bool { sleeps.load(ordering: .sequentiallyConsistent) }

    // MARK: Opening and closing

    /// Opens the content of a row.
    ///
    /// For writing it waits while the row is claimed.
    ///
    /// Returns the row as it is now. Throws `.stale` when it is gone, or lost its name and nobody
    /// else has it open.
    package func open(_ ino: Int64, forWriting: Bool) throws(DocFSError) -> (
        content: OpenContent, row: LocalItem
    ) {
        try open(ino, forWriting: forWriting, evenNameless: false)
    }

    /// - Parameter evenNameless: also that of a ``NamelessBody``, which no program may reach.
    func open(_ ino: Int64, forWriting: Bool, evenNameless: Bool) throws(DocFSError) -> (
        content: OpenContent, row: LocalItem
    ) {
        let (content, wasOpen) = try register(ino, forWriting: forWriting)
        do throws(DocFSError) {
            let row = try row(ino)
            guard row.isFile else { throw .notOffered }
            if row.parent == nil, !row.isDeparting, !wasOpen {
                guard evenNameless, try isKept(row) else { throw DocFSError.stale }
            }
            try content.load(row)
            return (content, row)
        } catch {
            unregister(content, forWriting: forWriting)
            throw error
        }
    }

    private func register(_ ino: Int64, forWriting: Bool) throws(DocFSError) -> (
        OpenContent, wasOpen: Bool
    ) {
        let opened: (OpenContent, Bool)? = table.wait(nanoseconds: deadline) { table in
            if table.closing.contains(ino) { return nil }
            if forWriting, table.claimed.contains(ino) { return nil }
            return add(ino, forWriting: forWriting, to: &table)
        }
        guard let opened else { throw .stale }
        return opened
    }

    private func add(_ ino: Int64, forWriting: Bool, to table: inout ContentTable) -> (
        OpenContent, Bool
    ) {
        var entry =
            table.entries[ino]
            ?? ContentTable.Entry(content: OpenContent(ino: ino, contents: self))
        let wasOpen = entry.isOpen
        if forWriting, entry.writers == 0 { entry.openSince = clock.now() }
        if forWriting { entry.writers += 1 } else { entry.readers += 1 }
        table.entries[ino] = entry
        return (entry.content, wasOpen)
    }

    /// Opens the content of a row that was just made with `state` current and `isUnflushed`: no
    /// bytes, and its first write is noted.
    package func openNew(_ row: LocalItem, forWriting: Bool) throws(DocFSError) -> OpenContent {
        let (content, _) = try register(row.ino, forWriting: forWriting)
        do throws(DocFSError) {
            try content.loadNew(row)
            labelSoon(row.ino)
            return content
        } catch {
            unregister(content, forWriting: forWriting)
            throw error
        }
    }

    /// Ends one open.
    package func close(_ content: OpenContent, forWriting: Bool) {
        if forWriting { recordSoon(content) }
        unregister(content, forWriting: forWriting)
    }

    private func unregister(_ content: OpenContent, forWriting: Bool) {
        let ino = content.ino
        let wasLastWriter = table.withLock { table in
            guard var entry = table.entries[ino] else { return false }
            if forWriting { entry.writers -= 1 } else { entry.readers -= 1 }
            table.entries[ino] = entry
            // Those of the mount are gone: perhaps there is none outside either.
            if forWriting, entry.writers == 1 { table.outside[ino]?.nextCheck = 0 }
            return forWriting && entry.writers == 0
        }
        content.noteUse()
        releaseIfIdle(content)
        if wasLastWriter { lastWriterLeft(ino) }
    }

    /// How long it is waited before what failed is tried again, in microseconds.
    private static let pauseAfterFailure: UInt32 = 1_000_000

    /// Runs `body` some time after a failure, holding up nobody meanwhile.
    func tryAgain(_ body: @escaping @Sendable () -> Void) {
        let isFirst = failed.withLock { failed in
            failed.append(body)
            return failed.count == 1
        }
        guard isFirst else { return }
        workers.submit(after: Self.pauseAfterFailure) { [self] in
            let bodies = failed.withLock { failed in
                defer { failed.removeAll() }
                return failed
            }
            for body in bodies { body() }
        }
    }

    /// What waited for the last writer can go on.
    private func lastWriterLeft(_ ino: Int64) {
        do throws(DocFSError) {
            let row = try row(ino)
            guard row.parent != nil, !row.isExcluded else { return }
            if row.divergence == .none { settle(ino) } else { post(.closed, of: ino) }
            catalog.announce(row.item, scope: row.scope)
        } catch .stale {
            // It is gone.
        } catch {
            tryAgain { [self] in lastWriterLeft(ino) }
        }
    }

    /// Drops a content from the table when nobody has it open and nothing is under way.
    ///
    /// Partly fetched bytes go with it.
    func releaseIfIdle(_ content: OpenContent) {
        let ino = content.ino
        let (isGone, useless): (Bool, ContentPlace?) = table.withLock { table in
            guard let entry = table.entries[ino], entry.content === content, !entry.isOpen,
                content.state.withLock({ $0.isIdle })
            else { return (false, nil) }
            table.entries[ino] = nil
            let useless = content.state.withLock { $0.uselessFile }
            // Nobody opens it anew before its old file is gone.
            if useless != nil { table.closing.insert(ino) }
            return (true, useless)
        }
        guard isGone else { return }
        if let useless {
            // One that stays makes way for the next, or is removed by the sweep.
            try? files.remove(ino, useless)
            table.withLock { _ = $0.closing.remove(ino) }
        }
        if content.state.withLock({ $0.scope }) == LinkedFiles.scope { releaseLinked(ino) }
        dropIfUnneeded(ino)
    }

    /// The rows whose contents are open for writing.
    package var openForWriting: [Int64] {
        table.withLock { table in table.entries.filter { $0.value.writers > 0 }.keys.sorted() }
    }

    /// Whether any process has the content open.
    package func isOpen(_ ino: Int64) -> Bool {
        table.withLock { $0.entries[ino]?.isOpen ?? false }
    }

    /// Whether syncing is changing the row's name or body at this moment.
    package func isClaimed(_ ino: Int64) -> Bool {
        table.withLock { $0.claimed.contains(ino) }
    }

    func openContent(_ ino: Int64) -> OpenContent? {
        table.withLock { $0.entries[ino]?.content }
    }

    /// fstatvfs(3) of the filesystem that contents lie on.
    func fileSystemStatus() throws(DocFSError) -> statvfs {
        try Posix.fileSystemStatus(of: files.stateDirectory)
    }

    // MARK: What open contents ask for

    func row(_ ino: Int64) throws(DocFSError) -> LocalItem {
        guard let row = try catalog.read({ (read) throws(DocFSError) in try read.local(ino) })
        else { throw .stale }
        return row
    }

    /// Changes a row in one transaction.
    ///
    /// Throws `.stale` when it is gone.
    func change(
        _ ino: Int64, _ body: (inout LocalItem, CatalogWriter) throws(DocFSError) -> Void
    ) throws(DocFSError) {
        try catalog.write { (transaction) throws(DocFSError) in
            guard var row = try transaction.read.local(ino) else { throw .stale }
            let old = row
            try body(&row, transaction)
            try transaction.update(row, from: old)
        }
    }

    func source(of content: OpenContent) -> (any ContentSource)? {
        guard let scope = content.state.withLock({ $0.scope }) else { return nil }
        return sources.withLock { $0[scope] }
    }

    /// Why the bytes of a content cannot be had now; `nil` when they can be asked for.
    func offlineReason(for content: OpenContent) -> DocFSError? {
        guard let source = source(of: content) else {
            return .offline("the container is not attached yet")
        }
        return source.offlineReason
    }

    /// All bytes of each of these rows are here, fetched from their sources.
    ///
    /// Does nothing for those that want another body by now.
    func recordCurrent(_ arrived: [(ino: Int64, source: BodySource?)]) throws(DocFSError) {
        let now = clock.wallTime()
        let (recorded, newer) = try catalog.write { (transaction) throws(DocFSError) in
            var recorded: [(DocumentEvent, isEdit: Bool, ino: Int64)] = []
            var newer: [LocalItem] = []
            for (ino, source) in arrived {
                guard var row = try transaction.read.local(ino), row.state != .current,
                    row.wants(source)
                else { continue }
                row.state = .current
                row.error = nil
                try transaction.setWritten([], ino: ino)
                // What was written waits for this to be sent.
                let isEdit = row.divergence == .written
                if isEdit { try transaction.markEdited(row) }
                try transaction.update(row)
                if try transaction.read.namelessBody(at: ino)?.role == .newer {
                    newer.append(row)
                }
                guard let event = try event(.downloaded, row, now, transaction.read) else {
                    continue
                }
                recorded.append((event, isEdit, ino))
            }
            return (recorded, newer)
        }
        // After a restart the engine looks for those that have come.
        for row in newer { catalog.announce(row.item, scope: row.scope, bySyncing: true) }
        for (event, isEdit, ino) in recorded {
            lostSources.withLock { _ = $0.removeValue(forKey: ino) }
            refusals.withLock { $0.end(ino) }
            if isEdit { label(ino) }
            catalog.bulletin.post(event)
        }
    }

    /// The bytes of a row that the store has too are not here any more.
    func makePlaceholder(_ ino: Int64) throws(DocFSError) -> LocalItem {
        var placeholder: LocalItem?
        try change(ino) { (row, transaction) throws(DocFSError) in
            row.state = .none
            row.wanted = row.size
            placeholder = row
            // Its bytes need not stay until newer ones have come.
            let newer = try transaction.read.namelessRow(.newer, of: row.item, scope: row.scope)
            if newer != nil { try transaction.markPending(row.item, scope: row.scope) }
        }
        guard let placeholder else { throw .stale }
        return placeholder
    }
}
