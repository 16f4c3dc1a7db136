import DocFS
import Glibc
import TestSupport

/// One damaged container, and a device that has to live with it.
///
/// The device has never seen the container, or knew it before and has edits that nobody else has.
/// It starts, comes to rest, shows everything, is edited, and starts again. All is drawn from the
/// seed.
final class FuzzCase {
    private let base: FuzzBase
    private let world: World
    private var random: SeededRandom
    private var damage: ContainerDamage
    /// The device's name; the last of the names has never seen the container.
    private let name: String
    private let isJoined: Bool
    /// What must be in the device's tree whatever the container says.
    private var required: [String]
    private(set) var finds: [String] = []
    private let alarm: ProcessorAlarm

    /// - Parameter alarm: is set anew for each ten seconds of simulated time, and for each look.
    init(
        seed: UInt64, base: FuzzBase, directory: String, alarm: ProcessorAlarm, isTold: Bool
    ) {
        self.base = base
        self.alarm = alarm
        random = SeededRandom(seed: seed)
        var script = Script(steps: [], devices: 4, retention: base.retention)
        script.isOfObjects = base.isOfObjects
        world = World(
            seed: random.next(), script: script, beginning: base.remains, directory: directory,
            isTold: isTold)
        damage = ContainerDamage(
            seed: random.next(), files: base.files, items: base.items, documents: base.documents)
        name = ["dave", "dave", "alice", "carol"].randomElement(using: &random)!
        isJoined = random.isOnce(in: 3)
        required = base.unsent[name] ?? []
        damage.run()
    }

    /// What was done to the container and who looks at it, for people.
    var words: [String] {
        let store = base.isOfObjects ? "a store of objects" : "a store that moves"
        let who = name == "dave" ? "a new device" : "\(name), who has unsent edits,"
        let joined = isJoined ? ", after bob has gone on in it" : ""
        return ["\(who) on \(store)\(joined)"] + damage.words
    }

    /// What devices said and did, where that is told.
    var story: [String] { world.story }

    /// The most memory that a case may take beside what was taken before it, in bytes.
    static let memory = 100 << 20

    func run() {
        mkdir(world.directory, 0o700)
        do {
            try apply()
            let before = ProcessMemory.resident
            ProcessMemory.forgetPeak()
            try watch()
            let grown = ProcessMemory.peak - before
            if grown > Self.memory { find("more than \(Self.memory >> 20) MiB of memory") }
            if grown > Self.memory / 4 { hasGrown = true }
        } catch {
            find("the device does not go on: \(error)")
        }
        world.tidy()
    }

    /// It took much memory, and what was given back this process has still.
    private(set) var hasGrown = false

    private func find(_ words: String) {
        world.tell("FIND  \(words)")
        if !finds.contains(words) { finds.append(words) }
    }

    // MARK: The container

    private func apply() throws {
        let store = world.store
        let changes = base.files.changes(to: damage.files)
        let objects = damage.objects
        try world.result {
            for (path, bytes) in changes {
                if let bytes {
                    try store.writeFromOutside(path, bytes)
                } else if let revision = try await store.head(path)?.revision {
                    try await store.remove(path, expecting: revision)
                }
            }
            // What the store refuses nobody can do to it.
            for object in objects { try? await Self.put(object, store) }
        }
    }

    private static func put(_ object: ContainerDamage.Object, _ store: MemoryStore) async throws {
        let path = object.path
        var metadata = object.metadata
        if object.isDirectory {
            return try await store.makeDirectory(path, metadata: metadata)
        }
        if let revision = try await store.head(path)?.revision {
            if store.capabilities.metadataInPlace {
                _ = try await store.setMetadata(path, expecting: revision, metadata)
            } else {
                _ = try await store.copy(
                    path, expecting: revision, to: path, metadata: metadata,
                    condition: .revision(revision), keeping: nil)
            }
        } else {
            metadata.digest = nil
            let write = ObjectWrite(payload: .bytes(Array("x".utf8), size: 1), metadata: metadata)
            _ = try await store.write(path, write, condition: .absent, keeping: nil)
        }
    }

    // MARK: The device

    private func start(_ name: String) throws -> Device {
        let number = Script.names.firstIndex(of: name)!
        if base.unsent[name] != nil || name == "bob" {
            copyTree("\(base.remains.directory)/\(name)", "\(world.directory)/\(name)-0")
        }
        return try Device(
            name, number: UInt64(number + 1), world: world, seed: random.next())
    }

    private func watch() throws {
        if isJoined { try join() }
        let device = try start(name)
        settle(device)
        var look = try self.look(at: device)
        hydrate(look.placeholders, device)
        edit(device, look.entries)
        settle(device)
        look = try self.look(at: device)
        device.kill()
        try device.restart()
        settle(device)
        _ = try self.look(at: device)
    }

    /// Another device goes on in the container, whether or not it can read what is in it.
    private func join() throws {
        let bob = try start("bob")
        pass(seconds: 5)
        write(bob, "joined", "bob goes on\n")
        bob.user("mkdir joined-d") { () throws(DocFSError) in try bob.makeDirectory("joined-d") }
        bob.user("rename c") { () throws(DocFSError) in try bob.rename("c", "joined-d/c") }
        pass(seconds: 15)
        bob.kill()
    }

    @discardableResult
    private func write(_ device: Device, _ path: String, _ text: String) -> Bool {
        var isWritten = false
        device.user("write \(path)") { () throws(DocFSError) in
            try device.write(path, text)
            isWritten = true
        }
        return isWritten
    }

    private func edit(_ device: Device, _ entries: [FuzzLook.Entry]) {
        let text = "written when all was damaged\n"
        if write(device, "mine", text) { required.append(text) }
        guard let entry = entries.randomElement(using: &random) else { return }
        device.user("rename \(entry.name)") { () throws(DocFSError) in
            try device.daemon.scope.rename(
                entry.name, in: entry.parent, to: "renamed", in: device.daemon.scope.root,
                mode: .noReplace, caller: Daemon.caller)
        }
    }

    private func hydrate(_ placeholders: [Int64], _ device: Device) {
        world.scheduler.current = device.process
        for ino in placeholders.prefix(8) { try? device.daemon.contents.hydrate(ino) }
        world.scheduler.current = nil
        pass(seconds: 10)
    }

    private func pass(seconds: UInt64) {
        alarm.set()
        world.scheduler.run(until: world.scheduler.now + seconds * 1_000_000_000)
        if world.scheduler.isSpinning { find("a device goes round and round") }
    }

    /// Simulated time after which a device must have come to rest, in steps of ten seconds.
    private static let patience = 60

    /// Lets time pass until nothing is left to do, or until the device says why it does nothing.
    private func settle(_ device: Device) {
        var calm = 0
        let anchor = device.anchor
        for _ in 0..<Self.patience {
            pass(seconds: 10)
            if world.scheduler.isSpinning { return }
            calm = device.isAtRest || device.complaint != nil ? calm + 1 : 0
            if calm == 2 { return }
        }
        if device.anchor &- anchor > 100 { find("records without end") }
        find("no rest: \(device.unrest.first ?? "nobody knows what for")")
        for line in device.unrest { world.tell(line) }
    }

    private func look(at device: Device) throws -> FuzzLook {
        alarm.set()
        let look = try FuzzLook(at: device.daemon)
        for words in look.finds { find(words) }
        if !device.isOnline, device.complaint == nil { find("offline without a word") }
        let texts = Set(try device.texts().map(\.text))
        for text in required where !texts.contains(text) {
            find("an edit is lost: “\(text.prefix(40).dropLast())”")
        }
        return look
    }
}
