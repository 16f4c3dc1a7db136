import CFuse
import DocFS
import Glibc
import Logging
import TestSupport

/// One device of a run: its process, and the user in front of it.
///
/// Every method that is a user's step does what a program would do by system calls, and tells the
/// ledger what was written and what was given up by somebody who saw it. Steps that the filesystem
/// refuses (no such name, name taken) are no steps.
final class Device: @unchecked Sendable {
    let name: String
    private let number: UInt64
    let world: World
    let network: Network
    private let clock: SimulatedClock
    private(set) var daemon: Daemon
    private var incarnation = 0
    private var handles: [Int: OpenFile] = [:]
    /// What programs that keep a document in memory know of it.
    var programs: [Int32: UserProgram] = [:]
    let running = RunningPrograms()
    /// What was saved here by such programs.
    var saved: Set<String> = []
    private var random: SeededRandom
    /// The process dies after so many crash points.
    private var fuse = 0
    private(set) var wasKilled = false

    init(_ name: String, number: UInt64, world: World, seed: UInt64) throws {
        self.name = name
        self.number = number
        self.world = world
        random = SeededRandom(seed: seed)
        network = Network(seed: random.next())
        // Up to ten years wrong (R12).
        let skew = Int64(bitPattern: random.next()) % 315_360_000
        clock = SimulatedClock(world.scheduler, skew: skew)
        let directory = "\(world.directory)/\(name)-0"
        // Made already where a run begins with what another one left.
        mkdir(directory, 0o700)
        mkdir("\(world.directory)/\(name)-local", 0o700)
        daemon = try Self.daemon(
            name, number, world, network, clock, running, directory, random.next())
    }

    private static func daemon(
        _ name: String, _ number: UInt64, _ world: World, _ network: Network,
        _ clock: SimulatedClock, _ running: RunningPrograms, _ directory: String, _ seed: UInt64
    ) throws -> Daemon {
        network.hangUp()
        let process = Process(directory, local: "\(world.directory)/\(name)-local")
        let store = SimulatedStore(world.store, process, network, clock, world.kept) {
            [world] words in
            world.note("\(name)  store: \(words)")
        } collected: { [world] path, text, age in
            if let age {
                let words = "“\(text.prefix(40))” after \(age / 1_000_000) ms"
                world.fail("S19: \(name) collects \(words)")
            }
            world.ledger.expire(text, from: path)
        } sent: { [world] digest, revision in
            if let digest, let revision { world.ledger.announce(digest, as: revision) }
        } renamed: { [world] old, new in
            if let old, let new { world.ledger.rename(old, new) }
        }
        let daemon = try Daemon(
            process, name: name, number: number, store: store, clock: clock, world.scheduler,
            retention: world.retention, cache: world.cache, seed: seed, running: running,
            log: world.log(name)
        ) { [world] _ in
            world.fail("S34: \(name) takes itself for another device")
        }
        world.daemons.append(daemon)
        return daemon
    }

    // MARK: Processes

    var process: Process { daemon.process }
    var isRunning: Bool { !process.isDead }
    private var remains: String { "\(world.directory)/\(name)-\(incarnation + 1)" }

    /// Kills the process when it passes the `count`-th crash point from now on.
    func arm(_ count: Int) { if isRunning { fuse = count } }

    /// The process passes a crash point.
    func passed(_ point: CrashPoint) {
        guard fuse > 0 else { return }
        fuse -= 1
        if fuse == 0 { kill("at \(point)") }
    }

    func kill(_ words: String = "") {
        guard isRunning else { return }
        fuse = 0
        wasKilled = true
        world.note("\(name)  killed \(words)")
        process.kill(leaving: remains)
        world.scheduler.lookAtDisk()
        // What is open is known to nobody any more.
        handles.removeAll()
        // Nobody would know any more what they had read: they end with it.
        programs.removeAll()
        running.numbers.removeAll()
    }

    /// Starts it again after a kill.
    func restart() throws {
        guard !isRunning else { return }
        daemon.end()
        world.note("\(name)  starts")
        let directory = remains
        incarnation += 1
        daemon = try Self.daemon(
            name, number, world, network, clock, running, directory, random.next())
    }

    // MARK: What is here

    var scope: CloudScope { daemon.scope }

    private func number(_ path: [String]) throws(DocFSError) -> FileNumber {
        var number = scope.root
        for name in path {
            guard let found = try scope.lookup(Name(name), in: number).attributes else {
                throw .notFound
            }
            number = found.number
        }
        return number
    }

    func place(_ path: String) throws(DocFSError) -> (FileNumber, Name) {
        let parts = path.split(separator: "/").map(String.init)
        return (try number(Array(parts.dropLast())), Name(parts.last ?? ""))
    }

    func row(_ path: String) throws(DocFSError) -> LocalItem? {
        let (parent, name) = try place(path)
        return try daemon.catalog.read { (read) throws(DocFSError) in
            try read.child(name, of: Int64(parent.value))
        }
    }

    /// What a reader of `path` sees now; `nil` where no document is.
    func text(at path: String) -> String? {
        guard let row = try? row(path) else { return nil }
        return (try? text(row)) ?? nil
    }

    /// What somebody who opened this row would read; `nil` for what is no document.
    func text(_ row: LocalItem) throws(DocFSError) -> String? {
        guard row.isFile else { return nil }
        if row.state != .current {
            let source = sourceText(row)
            return row.state == .partial ? try text(row, writtenInto: source) : source
        }
        guard let file = try daemon.files.open(row.ino, row.place, isReadOnly: true) else {
            if row.size > 0 { world.fail("\(name): row \(row.ino) has lost its file") }
            return ""
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = pread(file.number, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// What a document will hold once the rest of it is here.
    private func text(_ row: LocalItem, writtenInto source: String) throws(DocFSError) -> String {
        guard let file = try daemon.files.open(row.ino, row.place, isReadOnly: true) else {
            return source
        }
        var bytes = Array(source.utf8.prefix(Int(row.wanted)))
        bytes += [UInt8](repeating: 0, count: max(0, Int(row.size) - bytes.count))
        let written = try daemon.catalog.read { (read) throws(DocFSError) in
            try read.written(row.ino)
        }
        for range in written + (row.wanted < row.size ? [row.wanted..<row.size] : []) {
            var part = [UInt8](repeating: 0, count: range.count)
            _ = pread(file.number, &part, part.count, off_t(range.lowerBound))
            bytes.replaceSubrange(Int(range.lowerBound)..<Int(range.upperBound), with: part)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Steps

    /// Opens a document for writing, as the kernel asks for it.
    func open(_ row: LocalItem, _ flags: Int32, by caller: Caller = Daemon.caller)
        throws(DocFSError) -> OpenFile
    {
        if daemon.contents.isClaimed(row.ino) {
            // Nothing runs while a user takes a step, so that nobody would ever release it.
            world.fail("R9: \(name) would wait for row \(row.ino) in vain")
            throw .deadline
        }
        return try scope.open(
            FileNumber(UInt64(row.ino)), flags: flags, caller: caller
        ).0
    }

    /// Runs one step of a user; false when the filesystem refused it.
    func user(_ words: String, _ body: () throws(DocFSError) -> Void) {
        guard isRunning else { return }
        world.scheduler.current = process
        defer { world.scheduler.current = nil }
        do throws(DocFSError) {
            try body()
            world.note("\(name)  \(words)\(isRunning ? "" : " (killed meanwhile)")")
        } catch {
            world.note("\(name)  \(words): \(error.sentence)")
        }
    }

    /// What was acknowledged is required, unless the process died before it could be.
    func acknowledge(_ text: String) {
        if isRunning { world.ledger.require(text, name) } else { world.ledger.announce(text) }
    }

    private func write(_ file: OpenFile, _ text: String, at offset: UInt64) throws(DocFSError) {
        let bytes = Array(text.utf8)
        _ = try scope.write(file, at: offset, length: bytes.count) {
            (descriptor) throws(DocFSError) in
            let count = pwrite(descriptor, bytes, bytes.count, off_t(offset))
            if count != bytes.count { throw .diskFull }
            return count
        }
    }

    private func close(_ file: OpenFile) throws(DocFSError) {
        defer { scope.close(file) }
        try scope.flush(file)
    }

    /// Writes, and closes whatever happens.
    func finish(
        _ file: OpenFile, _ text: String, at offset: UInt64 = 0, isSynced: Bool
    ) throws(DocFSError) {
        do throws(DocFSError) {
            try write(file, text, at: offset)
            if isSynced { try scope.sync(file, dataOnly: false) }
        } catch {
            try? close(file)
            throw error
        }
        try close(file)
    }

    /// Makes a document with its text.
    func make(
        _ name: Name, in parent: FileNumber, _ text: String, isSynced: Bool,
        by caller: Caller = Daemon.caller
    ) throws(DocFSError) {
        world.ledger.announce(text)
        let (_, file, _) = try scope.create(
            name, in: parent, mode: 0o644, flags: O_CREAT | O_EXCL | O_WRONLY, caller: caller)
        try finish(file, text, isSynced: isSynced)
    }

    /// Makes a document, or writes it anew in its place, as `>path` does.
    func write(_ path: String, _ text: String, isSynced: Bool = false) throws(DocFSError) {
        let (parent, name) = try place(path)
        if let row = try row(path) {
            guard row.isFile else { throw .isDirectory }
            let old = try self.text(row) ?? ""
            world.ledger.announce(text)
            world.ledger.release(old)
            let file = try open(row, O_WRONLY | O_TRUNC)
            try finish(file, text, isSynced: isSynced)
        } else {
            try make(name, in: parent, text, isSynced: isSynced)
        }
        acknowledge(text)
    }

    /// Writes behind its end, as `>>path` does.
    func append(_ path: String, _ text: String, isSynced: Bool = false) throws(DocFSError) {
        guard let row = try row(path), row.isFile, let old = try self.text(row),
            row.state == .current || old.utf8.count == Int(row.size)
        else { throw .notFound }
        let file = try open(row, O_WRONLY | O_APPEND)
        world.ledger.release(old)
        // What is there may be another program's by now, with another end.
        var (base, end) = (old, UInt64(old.utf8.count))
        if let content = file.content, let found = try? content.end(insteadOf: end) {
            end = found
            base =
                try self.row(path).flatMap { (row) throws(DocFSError) in
                    try self.text(row)
                } ?? old
        }
        world.ledger.release(base)
        let new = base + text
        if row.state == .current {
            world.ledger.announce(new)
        } else {
            world.ledger.announce(
                new, of: text, writtenBehind: base, isWhole: row.state == .none)
        }
        try finish(file, text, at: end, isSynced: isSynced)
        acknowledge(new)
    }

    /// Renames, as rename(2) does.
    func rename(_ path: String, _ newPath: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        let (newParent, newName) = try place(newPath)
        let replaced = try row(newPath)
        if let replaced, path != newPath, let old = try text(replaced) {
            // Refused renames give nothing up, but then nothing is required less than before.
            if try row(path)?.isDirectory == false { world.ledger.release(old) }
        }
        try scope.rename(
            name, in: parent, to: newName, in: newParent, mode: .replace, caller: Daemon.caller)
    }

    /// Saves as most editors do: a temporary file, renamed over the document.
    func save(_ path: String, _ text: String, isSynced: Bool = true) throws(DocFSError) {
        let (parent, name) = try place(path)
        if try row(path)?.isDirectory == true { throw .isDirectory }
        let temporary = Name("." + name.description + ".saving")
        do throws(DocFSError) {
            try make(temporary, in: parent, text, isSynced: isSynced)
        } catch {
            try? scope.unlink(temporary, in: parent, caller: Daemon.caller)
            throw error
        }
        if let old = try row(path).flatMap({ (row) throws(DocFSError) in try self.text(row) }) {
            world.ledger.release(old)
        }
        try scope.rename(
            temporary, in: parent, to: name, in: parent, mode: .replace, caller: Daemon.caller)
        acknowledge(text)
    }

    /// Saves as vim and emacs do: the document is renamed away, written anew, and the backup goes.
    func saveAway(_ path: String, _ text: String, isSynced: Bool = true) throws(DocFSError) {
        let (parent, name) = try place(path)
        guard let row = try row(path), row.isFile else { throw .notFound }
        let backup = Name(name.description + "~")
        let old = try self.text(row) ?? ""
        // Whose filesystem goes away meanwhile has the backup, on this device alone.
        defer { if !isRunning { world.ledger.release(old) } }
        if let former = try self.row(path + "~"), let text = try self.text(former) {
            world.ledger.release(text)
        }
        try scope.rename(
            name, in: parent, to: backup, in: parent, mode: .replace, caller: Daemon.caller)
        try make(name, in: parent, text, isSynced: isSynced)
        world.ledger.release(old)
        try scope.unlink(backup, in: parent, caller: Daemon.caller)
        acknowledge(text)
    }

    func remove(_ path: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        guard let row = try row(path) else { throw .notFound }
        if row.isDirectory {
            return try scope.removeDirectory(name, in: parent, caller: Daemon.caller)
        }
        world.ledger.release(try text(row) ?? "")
        try scope.unlink(name, in: parent, caller: Daemon.caller)
    }

    func makeDirectory(_ path: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        _ = try scope.makeDirectory(name, in: parent, mode: 0o755, caller: Daemon.caller)
    }

    func describe(_ path: String, mode: UInt32, attribute: String) throws(DocFSError) {
        guard let row = try row(path) else { throw .notFound }
        let number = FileNumber(UInt64(row.ino))
        var change = AttributeChange()
        change.mode = row.isDirectory ? mode | 0o111 : mode
        _ = try scope.setAttributes(of: number, change, caller: Daemon.caller)
        try scope.setExtendedAttribute(
            "user.mine", of: number, value: Array(attribute.utf8), flags: 0,
            caller: Daemon.caller)
    }

    func evict(_ path: String) throws(DocFSError) {
        guard let row = try row(path) else { throw .notFound }
        try daemon.contents.evict(row.ino)
    }

    /// On this device alone.
    func pin(_ path: String, _ pin: PinState) throws(DocFSError) {
        guard let found = try row(path) else { throw .notFound }
        try daemon.catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(found.ino) else { throw .stale }
            row.pin = pin
            try write.update(row)
        }
        daemon.keeper?.look()
    }

    /// For good: nobody gets back what was deleted before.
    func emptyTrash() throws(DocFSError) {
        let scope = daemon.record.id
        let unwanted = try daemon.catalog.readConsistently { (read) throws(DocFSError) in
            let records = try read.restorable(scope: scope, atOrBelow: .root)
            // What came back and was deleted again is several times in the container's trash.
            var places = records.map(\.place)
            for record in records {
                places += try read.versions(of: record.item, scope: scope).map(\.path)
            }
            return (places: places, items: records.map(\.item))
        }
        try daemon.emptyTrash()
        world.kept.empty(unwanted.places, unwanted.items)
    }

    /// Reads a document, however long that takes, and checks that nobody's bytes are torn (R4).
    func read(_ path: String) throws(DocFSError) {
        guard let row = try row(path), row.isFile else { throw .notFound }
        if let parent = row.parent {
            _ = try scope.openDirectory(FileNumber(UInt64(parent)))
        }
        let (file, _) = try scope.open(
            FileNumber(UInt64(row.ino)), flags: O_RDONLY, caller: Daemon.caller)
        let scope = scope
        let process = process
        let end: @Sendable (PendingRead.Outcome) -> Void = { [self] outcome in
            switch outcome {
            case .bytes(let bytes): check(path, String(decoding: bytes, as: UTF8.self))
            case .range(let descriptor, let offset, let length):
                var bytes = [UInt8](repeating: 0, count: length)
                let count = pread(descriptor, &bytes, length, off_t(offset))
                check(path, String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
            case .failed(let error): world.note("\(name)  read \(path): \(error.sentence)")
            }
            if !process.isDead { scope.close(file) }
        }
        switch try scope.read(file, at: 0, length: 1 << 16) {
        case .bytes(let bytes): end(.bytes(bytes))
        case .range(let descriptor, let offset, let length):
            end(.range(descriptor: descriptor, offset: offset, length: length))
        case .waiting(let pending): pending.whenEnded(end)
        }
    }

    func check(_ path: String, _ text: String) {
        world.note("\(name)  read \(path): “\(text.prefix(24))”")
        if !world.ledger.isKnown(text) {
            world.fail("R4: \(name) reads at \(path) what nobody wrote: “\(text.prefix(60))”")
        }
    }

    // MARK: A program that keeps a document open

    func open(_ path: String, as handle: Int) throws(DocFSError) {
        guard handles[handle] == nil, let row = try row(path), row.isFile, row.state == .current
        else { throw .notFound }
        handles[handle] = try open(row, O_RDWR)
    }

    func write(through handle: Int, _ text: String) throws(DocFSError) {
        guard let file = handles[handle] else { throw .badHandle }
        let row = try daemon.catalog.read { (read) throws(DocFSError) in
            try read.local(Int64(file.number.value))
        }
        guard let row, let old = try self.text(row) else { throw .stale }
        let new = old + text
        world.ledger.announce(new)
        world.ledger.release(old)
        try write(file, text, at: UInt64(old.utf8.count))
        try scope.sync(file, dataOnly: false)
        // What has no name any more goes with the last close.
        if row.parent != nil { acknowledge(new) }
    }

    func close(handle: Int) throws(DocFSError) {
        guard let file = handles.removeValue(forKey: handle) else { throw .badHandle }
        try close(file)
    }

    func closeEverything() {
        for handle in handles.keys.sorted() {
            user("close \(handle)") { () throws(DocFSError) in try close(handle: handle) }
        }
    }

    // MARK: Its disk

    /// Nothing more can be written, until ``makeRoom()``.
    func fillDisk() {
        guard isRunning else { return }
        world.note("\(name)  has a full disk")
        process.isDiskFull = true
    }

    func makeRoom() {
        guard process.isDiskFull else { return }
        world.note("\(name)  has room again")
        process.isDiskFull = false
    }
}
