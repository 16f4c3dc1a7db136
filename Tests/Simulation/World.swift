import CFuse
import DocFS
import Glibc
import Logging
import TestSupport

/// One run: a store, devices, their users, and what has to hold at the end.
final class World: @unchecked Sendable {
    let scheduler: Scheduler
    let store: MemoryStore
    let ledger: Ledger
    let kept: KeptBodies
    /// For how long the container keeps bodies, in nanoseconds.
    let retention: UInt64
    /// Bytes of documents that a device keeps though the store has them too.
    var cache: UInt64 { script.cache }
    let directory: String
    var daemons: [Daemon] = []
    /// Conflict versions, as they were when users turned to them.
    var turnedTo: [LocalItem] = []
    /// What they wrote into them.
    var byHand: [ItemID: Set<String>] = [:]
    let script: Script
    private let isTold: Bool
    private var random: SeededRandom
    private(set) var devices: [Device] = []
    private var sights: [Sight] = []
    private(set) var failure: String?
    /// What this run was excused from.
    var excuses = Excuses()
    private(set) var story: [String] = []
    /// FNV-1a of the story (R11).
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325

    /// What an earlier run left, for others to begin with.
    struct Remains {
        let store: MemoryStore
        let ledger: Ledger
        /// Has a state directory for each device.
        let directory: String
    }

    private let beginning: Remains?

    init(
        seed: UInt64, script: Script, beginning: Remains? = nil, directory: String, isTold: Bool
    ) {
        self.script = script
        self.beginning = beginning
        self.directory = directory
        self.isTold = isTold
        var capabilities: StoreCapabilities = script.isOfObjects ? .objects : .whole
        capabilities.events = !script.isOfObjects
        capabilities.cheapListing = !script.isOfObjects
        let scheduler = Scheduler(seed: seed)
        self.scheduler = scheduler
        // Like nobody else's.
        let clock = { @Sendable in
            Timestamp(
                seconds: 1_500_000_000 + Int64(scheduler.now / 1_000_000_000),
                nanoseconds: UInt32(scheduler.now % 1_000_000_000))
        }
        store =
            beginning.map { MemoryStore(copying: $0.store, clock: clock) }
            ?? MemoryStore(capabilities: capabilities, clock: clock)
        ledger = beginning.map { Ledger(copying: $0.ledger) } ?? Ledger()
        retention = script.retention ?? Self.longRetention
        kept = KeptBodies(time: retention) { scheduler.now }
        SharedPool.shared.scheduler = scheduler
        random = SeededRandom(seed: seed ^ 0x5EED)
    }

    /// Longer than any run, in nanoseconds.
    private static let longRetention: UInt64 = 1_000_000_000_000_000_000

    /// What a user did to the one document of a modelled run.
    private struct Sight {
        let device: Int
        let before: String?
        /// What it is afterwards, or what it may be.
        let after: Set<String?>
        /// The step writes, perhaps what was there.
        let writes: Bool
        let isKilled: Bool
    }

    // MARK: The story

    func note(_ words: String) {
        let line = "\(scheduler.now / 1_000_000) ms  \(words)"
        for byte in line.utf8 { trace = (trace ^ UInt64(byte)) &* 0x100_0000_01B3 }
        if isTold { story.append(line) }
    }

    /// What is of interest to who reads the story, and no part of the trace.
    func tell(_ words: String) {
        if isTold { story.append("\(scheduler.now / 1_000_000) ms  \(words)") }
    }

    func fail(_ words: String) {
        note("FAILS  \(words)")
        if failure == nil { failure = words }
    }

    func log(_ name: String) -> Logger {
        guard isTold else {
            return Logger(label: name) { _ in SwiftLogNoOpLogHandler() }
        }
        return Logger(label: name) { _ in StoryHandler(name, self) }
    }

    // MARK: A run

    func run() {
        mkdir(directory, 0o700)
        CrashPoint.observe { [self] point in
            guard let process = scheduler.current else { return }
            devices.first { $0.process === process }?.passed(point)
        }
        do {
            for number in 0..<script.devices {
                let name = Script.names[number]
                if let beginning {
                    copyTree("\(beginning.directory)/\(name)", "\(directory)/\(name)-0")
                }
                devices.append(
                    try Device(name, number: UInt64(number + 1), world: self, seed: random.next()))
            }
            for device in devices {
                device.network.faults = script.faults
                // The model has no word for what comes back by itself.
                device.network.holdsBack = !script.isModelled
            }
            for step in script.steps {
                pass(milliseconds: step.pause)
                try watch(step)
                if failure != nil { break }
            }
            if failure == nil { try finish() }
        } catch {
            fail("the run itself: \(error)")
        }
        CrashPoint.observe(nil)
    }

    /// Whether a device was killed.
    var hasKilled: Bool { devices.contains { $0.wasKilled } }

    func pass(milliseconds: UInt64) {
        scheduler.run(until: scheduler.now + milliseconds * 1_000_000)
        if scheduler.isSpinning, failure == nil {
            fail("R3: a device goes round and round and comes to no end")
            for device in devices { for line in device.unrest { tell(line) } }
        }
    }

    /// Performs a step, and notes what its user saw before and after it.
    private func watch(_ step: Script.Step) throws {
        let device = devices[step.device]
        guard script.isModelled, device.isRunning else { return try perform(step) }
        let before = device.text(at: Script.document)
        try perform(step)
        let isKilled = !device.isRunning
        var after: Set<String?> = [device.text(at: Script.document)]
        if isKilled, let text = step.action.text {
            after.formUnion([before, nil, "", text, (before ?? "") + text])
        }
        sights.append(
            Sight(
                device: step.device, before: before, after: after,
                writes: step.action.text != nil, isKilled: isKilled))
    }

    private func perform(_ step: Script.Step) throws {
        let device = devices[step.device]
        func user(_ words: String, _ body: () throws(DocFSError) -> Void) {
            device.user(words, body)
        }
        switch step.action {
        case .write(let path, let text, let isSynced):
            user("write \(path) \(quoted(text))") { () throws(DocFSError) in
                try device.write(path, text, isSynced: isSynced)
            }
        case .append(let path, let text, let isSynced):
            user("append \(path) \(quoted(text))") { () throws(DocFSError) in
                try device.append(path, text, isSynced: isSynced)
            }
        case .save(let path, let text, let isSynced):
            user("save \(path) \(quoted(text))") { () throws(DocFSError) in
                try device.save(path, text, isSynced: isSynced)
            }
        case .saveAway(let path, let text, let isSynced):
            user("save away \(path) \(quoted(text))") { () throws(DocFSError) in
                try device.saveAway(path, text, isSynced: isSynced)
            }
        case .rename(let path, let newPath):
            user("rename \(path) \(newPath)") { () throws(DocFSError) in
                try device.rename(path, newPath)
            }
        case .remove(let path):
            user("remove \(path)") { () throws(DocFSError) in try device.remove(path) }
        case .makeDirectory(let path):
            user("mkdir \(path)") { () throws(DocFSError) in try device.makeDirectory(path) }
        case .describe(let path, let mode, let word):
            user("describe \(path)") { () throws(DocFSError) in
                try device.describe(path, mode: mode, attribute: word)
            }
        case .read(let path):
            user("reads \(path)") { () throws(DocFSError) in try device.read(path) }
        case .evict(let path):
            user("evict \(path)") { () throws(DocFSError) in try device.evict(path) }
        case .pin(let path):
            user("pin \(path)") { () throws(DocFSError) in try device.pin(path, .pinned) }
        case .unpin(let path):
            user("unpin \(path)") { () throws(DocFSError) in try device.pin(path, .unpinned) }
        case .emptyTrash:
            user("empty the trash") { () throws(DocFSError) in try device.emptyTrash() }
        case .removeVersions(let path):
            user("remove versions of \(path)") { () throws(DocFSError) in
                try device.removeVersions(of: path)
            }
        case .moveOut(let path, let name):
            user("move \(path) to Local/\(name)") { () throws(DocFSError) in
                try device.moveOut(path, name)
            }
        case .moveIn(let name, let path):
            user("move Local/\(name) to \(path)") { () throws(DocFSError) in
                try device.moveIn(name, path)
            }
        case .writeLocal(let name, let text):
            user("write Local/\(name) \(quoted(text))") { () throws(DocFSError) in
                try device.writeLocal(name, text)
            }
        case .removeLocal(let name):
            user("remove Local/\(name)") { () throws(DocFSError) in try device.removeLocal(name) }
        case .open(let handle, let path):
            user("open \(path) as \(handle)") { () throws(DocFSError) in
                try device.open(path, as: handle)
            }
        case .writeThrough(let handle, let text):
            user("write through \(handle) \(quoted(text))") { () throws(DocFSError) in
                try device.write(through: handle, text)
            }
        case .close(let handle):
            user("close \(handle)") { () throws(DocFSError) in try device.close(handle: handle) }
        case .load(let path, let program):
            user("program \(program) loads \(path)") { () throws(DocFSError) in
                try device.load(path, by: program)
            }
        case .merge(let path, let entry, let program, let inPlace, let isSynced):
            user("program \(program) adds \(entry) to \(path)") { () throws(DocFSError) in
                try device.merge(
                    path, entry, by: program, inPlace: inPlace, isSynced: isSynced)
            }
        case .touchSibling(let path, let touch):
            user("\(touch) a conflict version of \(path)") { () throws(DocFSError) in
                try device.touchSibling(of: path, touch)
            }
        case .exchange(let path, let other):
            user("exchange \(path) \(other)") { () throws(DocFSError) in
                try device.exchange(path, other)
            }
        case .truncate(let path, let size):
            user("truncate \(path) \(size)") { () throws(DocFSError) in
                try device.truncate(path, to: size)
            }
        case .link(let path, let target):
            user("link \(path) \(target)") { () throws(DocFSError) in
                try device.makeLink(path, to: target)
            }
        case .foreignWrite, .foreignAppend, .foreignRemove, .foreignRename, .foreignCopy:
            performFromOutside(step.action)
        case .cut:
            note("\(device.name)  is cut off")
            device.network.cut()
        case .mend:
            note("\(device.name)  is back")
            device.network.mend()
        case .arm(let count): device.arm(count)
        case .kill: device.kill()
        case .restart: try device.restart()
        case .fillDisk: device.fillDisk()
        case .makeRoom: device.makeRoom()
        }
    }

    private func quoted(_ text: String) -> String {
        "“\(text.prefix(24).replacingOccurrences("\n", with: "⏎"))”"
    }

    // MARK: The end

    /// Nanoseconds after which everything must have come to rest.
    private static let patience: UInt64 = 1_200_000_000_000

    private func finish() throws {
        note("everything works from now on")
        for device in devices {
            device.makeRoom()
            try device.restart()
            device.arm(0)
            device.network.faults = 0
            device.network.mend()
            device.closeEverything()
        }
        let isWhole = try comeToRest()
        if failure != nil { return }
        for device in devices {
            for path in isWhole ? try device.missingPinned() : [] {
                fail("S11: \(path) is pinned on \(device.name), and not here")
            }
            // From now on nothing is dropped.
            device.daemon.keeper = nil
            hydrateAll(device)
        }
        pass(milliseconds: 10_000)
        if isWhole { try compare() }
        if isWhole, script.isAlternating { try checkAlternation() }
        try check(isWhole)
    }

    /// Lets time pass until nothing happens any more, for longer than any device waits for news.
    ///
    /// - Returns: whether all came to rest; false as well where a document waits for a body that
    ///   another program destroyed.
    private func comeToRest() throws -> Bool {
        let begun = scheduler.now
        var calm = 0
        var former: [[String: String]] = []
        // Without events it takes a look at everything to find what other programs did, and after a
        // look of 15 seconds, on a network with faults, the next comes five minutes later.
        while calm < (script.isOfObjects ? 22 : 3) {
            if failure != nil { return false }
            pass(milliseconds: 15_000)
            let isAtRest = devices.allSatisfy(\.isAtRest)
            let trees = isAtRest ? try devices.map { try $0.tree() } : []
            calm = isAtRest && trees == former ? calm + 1 : 0
            former = trees
            if scheduler.now - begun > Self.patience / 10, !isAtRest,
                devices.allSatisfy(\.isAtRestOrBereft)
            {
                note("another program destroyed what a document was to be made of")
                excuses.runs += 1
                return false
            }
            if scheduler.now - begun > Self.patience {
                let busy = devices.filter { !$0.isAtRest }.map(\.name)
                fail("R3: no rest, \(busy) still have something to do")
                for device in devices { for line in device.unrest { tell(line) } }
                for (path, words) in objects().sorted(by: { $0.key < $1.key }) {
                    tell("store  has \(path): \(words)")
                }
                return false
            }
        }
        return true
    }

    private func hydrateAll(_ device: Device) {
        scheduler.current = device.process
        for ino in device.placeholders { try? device.daemon.contents.hydrate(ino) }
        scheduler.current = nil
    }

    /// Looks whether all devices and the store have the same (R3).
    private func compare() throws {
        let first = try devices[0].tree()
        let objects = Set(objects().keys)
        for path in objects.symmetricDifference(first.keys).sorted() {
            fail("R3: \(path) is \(objects.contains(path) ? "only" : "not") in the store")
        }
        for device in devices {
            let tree = try device.tree()
            for path in Set(first.keys).union(tree.keys).sorted() where first[path] != tree[path] {
                fail(
                    "R3: \(path) is \(first[path] ?? "not there") on \(devices[0].name), "
                        + "\(tree[path] ?? "not there") on \(device.name)")
            }
            excuses.bodies += device.bereft
            if let missing = device.placeholders.first {
                fail("R3: \(device.name) cannot read the document of row \(missing)")
                tell(device.description(of: missing))
            }
        }
        note("\(first.count) entries at the end")
    }

    /// - Parameter isWhole: devices came to rest; else what one has counts for all.
    private func check(_ isWhole: Bool) throws {
        let local = devices.flatMap { $0.localTexts() }
        let all = isWhole ? [] : try devices.flatMap { try $0.texts() }
        let siblings = try devices.flatMap { try $0.siblings() }
        let former = formerConflicts(siblings + turnedTo)
        for device in devices {
            // What moved to Local is on that device alone.
            let texts = (isWhole ? try device.texts() : all) + local
            for (path, text) in texts where !ledger.isKnown(text) {
                fail("R4: \(device.name) has at \(path) what nobody wrote: “\(text.prefix(60))”")
            }
            let here = Set(texts.map(\.text))
            for lost in ledger.lost(among: former.values.reduce(here) { $0.union($1) }) {
                fail("R1: lost on \(device.name): \(lost)")
            }
        }
        if Set(script.steps.map(\.device)).count == 1 {
            // Two users may move one document to two places.
            let texts = Set(try devices[0].texts().map(\.text))
            for (path, text) in local where texts.contains(text) {
                fail("R5: \(path) is in the cloud scope as well: “\(text.prefix(40))”")
            }
        }
        excuses.texts = ledger.excused.count
        excuses.acknowledged = ledger.acknowledged.count
        if script.isModelled, isWhole { try explain() }
    }

    /// Looks for a way in which the model can have come to what users saw (R2, R7).
    private func explain() throws {
        let siblings = try devices[0].siblings(of: Script.document)
        let isDeleted = sights.contains { $0.after.contains { $0 == nil } }
        let aside = isDeleted ? try devices[0].setAside(from: Script.document) : siblings
        let conflicts = Set(try aside.compactMap { try devices[0].text($0) })
        let former = formerTexts(of: siblings).values.reduce(Set()) { $0.union($1) }
        excuses.models += 1
        var model = DocumentModel(
            devices: devices.count, conflicts: conflicts, former: former)
        if !ledger.excused.isEmpty {
            return giveUp("the model has no word for what is left of an append to a lost body")
        }
        for sight in sights {
            let isExplained = model.read(sight.before, on: sight.device)
            if model.isUndecided { return giveUp() }
            guard isExplained else {
                return fail(
                    "R2: nothing explains what \(devices[sight.device].name) sees: "
                        + "“\(sight.before?.prefix(40) ?? "nothing")”, "
                        + "conflicts at the end: \(conflicts.map { $0.prefix(40) }.sorted())")
            }
            if sight.writes || sight.after != [sight.before] {
                model.write(sight.after, on: sight.device, mayFail: sight.isKilled)
            }
        }
        let value = devices[0].text(at: Script.document)
        let isExplained = model.rests(at: value)
        if model.isUndecided { return giveUp() }
        if !isExplained {
            fail(
                "R2: nothing explains the end: “\(value?.prefix(40) ?? "nothing")”, "
                    + "conflicts: \(conflicts.map { $0.prefix(40) }.sorted())")
        }
    }

    private func giveUp(_ words: String = "the model has too many explanations") {
        note(words)
        excuses.undecided += 1
    }

    /// What the devices have in the end, all in order and ended, under `directory`.
    func remains(in directory: String) -> Remains {
        mkdir(directory, 0o700)
        for device in devices { copyTree(device.process.directory, "\(directory)/\(device.name)") }
        return Remains(store: MemoryStore(copying: store), ledger: ledger, directory: directory)
    }

    /// Ends all devices.
    func tidy() {
        scheduler.calmDown()
        for daemon in daemons { daemon.end() }
        pass(milliseconds: 200_000)
        daemons.removeAll()
        devices.removeAll()
        removeTree(directory)
    }
}

/// What the engine says belongs into the story, not into the trace: its words may change.
private struct StoryHandler: LogHandler {
    private let name: String
    private let world: World
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .debug

    init(_ name: String, _ world: World) {
        self.name = name
        self.world = world
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { world.tell("\(name)  log: \(event.message)") }
}
