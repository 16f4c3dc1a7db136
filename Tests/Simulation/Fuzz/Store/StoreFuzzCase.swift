import Glibc
import Logging
import TestSupport

@testable import DocFS

/// A server that cannot be trusted, and a device that has to live with it for a second and a half.
///
/// The device has never seen the container, knows it and has edits that nobody else has, or makes
/// one. It syncs, is edited, reads, ends, is looked at; in a third of the cases it starts once
/// more.
/// Server, documents and edits are drawn from the seed; threads and time are real, so that a case
/// is not the same each time.
final class StoreFuzzCase: FuzzedCase {
    private enum Beginning: CaseIterable { case new, known, empty }

    private let base: StoreFuzzBase
    private let directory: String
    private let alarm: ProcessorAlarm
    private let beginning: Beginning
    private let isRestarted: Bool
    private let plan: DamagingServer.Plan
    private let server: DamagingServer
    private let traits: (name: String, number: UInt64, retention: Retention)
    private let notes: Notes?
    private var random: SeededRandom
    /// What must be here, unless the server has had it.
    private var required: [String] = []
    private(set) var finds: [String] = []
    private(set) var hasGrown = false

    /// Milliseconds of a device's life, in each of its two halves.
    private static let half = 500
    /// Requests of one case: far more than a device has reason to make.
    private static let requests = 3_000
    /// The most memory that a case may take beside what was taken before it, in bytes.
    private static let memory = 100 << 20

    /// - Parameter tell: is told of each answer that is damaged.
    init(
        seed: UInt64, base: StoreFuzzBase, directory: String, alarm: ProcessorAlarm, isTold: Bool,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.base = base
        self.directory = directory
        self.alarm = alarm
        random = SeededRandom(seed: seed)
        beginning = [.new, .new, .known, .known, .empty].randomElement(using: &random)!
        isRestarted = random.isOnce(in: 3)
        plan = DamagingServer.Plan(
            seed: random.next(), rarity: [2, 4, 8, 8, 20, 50].randomElement(using: &random)!,
            spared: [0, 0, 6, 12, 30, 60].randomElement(using: &random)!,
            isStubborn: random.isOnce(in: 3))
        var objects = beginning == .empty ? S3ServerObjects([.replace, .remove]) : base.objects
        Self.add(&objects, &random)
        notes = isTold ? Notes() : nil
        server = DamagingServer(objects, plan, tell: tell)
        let isForgetful = random.isOnce(in: 3)
        traits = (
            beginning == .known ? "alice" : "dave", beginning == .known ? 1 : 4,
            Retention(time: isForgetful ? 200_000_000 : .max / 4, versions: 10)
        )
    }

    var words: [String] {
        let who =
            switch beginning {
            case .new: "a new device"
            case .known: "a device that knows the container, and has unsent edits"
            case .empty: "a device that makes a container"
            }
        let stubborn = plan.isStubborn ? ", each time alike" : ""
        return [
            "\(who); one of \(plan.rarity) answers is damaged\(stubborn), after \(plan.spared); "
                + (isRestarted ? "started twice" : "started once")
        ]
    }

    var story: [String] { notes?.lines ?? [] }

    /// Objects of other programs.
    private static func add(_ objects: inout S3ServerObjects, _ random: inout SeededRandom) {
        let keys = [
            "foreign", "foreign.txt", "folder/", "folder/x", "other/y/z", "a//b", "//", "..",
            "d/../x", "a\nb", "\u{1B}[31mred", "d/\u{1}", "e\u{301}", "\u{E9}", "docfs-key=a",
            "docfs-bytes=%FF", ".docfs/foreign", ".docfs/log/x", ".docfs/trash/y", "a/", "d", "e/",
            String(repeating: "n", count: 300), "deep/" + String(repeating: "d/", count: 300) + "x",
        ]
        for _ in 0..<random.next() % 6 {
            let key = keys.randomElement(using: &random)!
            let body = Array("\(key.prefix(20)), of another program\n".utf8)
            objects.put(
                Array(key.utf8), key.hasSuffix("/") ? [] : body,
                at: Posix.wallTime().seconds - Int64(random.next() % 100_000))
        }
    }

    private func find(_ words: String) {
        notes?.add("FIND  \(words)")
        if !finds.contains(words) { finds.append(words) }
    }

    func run() {
        mkdir(directory, 0o700)
        if beginning == .known { copyTree(base.directory, directory) }
        let before = ProcessMemory.resident
        ProcessMemory.forgetPeak()
        do {
            let listening = try S3Server { [server] in server.reply(to: $0) }
            defer { listening.stop() }
            try live(listening.port)
            if isRestarted { try live(listening.port) }
        } catch {
            find("the device does not go on: \(error)")
        }
        let grown = ProcessMemory.peak - before
        if grown > Self.memory { find("more than \(Self.memory >> 20) MiB of memory") }
        if grown > Self.memory / 4 { hasGrown = true }
        if server.requests > Self.requests { find("requests without end: \(server.requests)") }
        removeTree(directory)
    }

    /// A device's life, from its start to its end.
    private func live(_ port: UInt16) throws {
        alarm.set()
        let log = Logger(label: traits.name) { [notes] _ -> any LogHandler in
            if let notes { NoteHandler(notes) } else { SwiftLogNoOpLogHandler() }
        }
        let device = try StoreFuzzDevice(
            in: directory,
            StoreFuzzDevice.Traits(
                name: traits.name, number: traits.number, port: port, retention: traits.retention),
            SeededRandom(seed: random.next()), log)
        if beginning != .new { edit(device, "before") }
        device.start()
        pass()
        // What it finds while all goes on may be between two states.
        _ = try? FuzzLook(at: device)
        edit(device, "meanwhile")
        try read(device)
        pass()
        if !device.stop() { find("stopping takes more than two seconds") }
        alarm.set()
        for words in try FuzzLook(at: device).finds { find(words) }
        try check(device)
        device.leave()
    }

    private func pass() {
        alarm.set()
        usleep(UInt32(Self.half) * 1_000)
    }

    // MARK: What a user does

    private func edit(_ device: StoreFuzzDevice, _ when: String) {
        let count = required.count
        var paths = ["mine-\(count)", "a", "d/a", "dir-\(when)/x", "foreign"]
        paths.shuffle(using: &random)
        try? device.makeDirectory("dir-\(when)")
        for (index, path) in paths.prefix(2).enumerated() {
            write(device, path, "\(path), edit \(count + index) \(when)\n")
        }
        if random.isOnce(in: 3) { try? device.rename("b", "renamed-\(when)") }
        if random.isOnce(in: 3) { try? device.remove("c") }
        if random.isOnce(in: 3) { try? device.rename("d", "moved-\(when)") }
    }

    private func write(_ device: StoreFuzzDevice, _ path: String, _ text: String) {
        do throws(DocFSError) {
            // Who writes anew gives up what was there.
            let old = try device.text(at: path)
            try device.write(path, text)
            required.removeAll { $0 == old }
            required.append(text)
            notes?.add("writes \(path)")
        } catch {
            notes?.add("writes \(path): \(error.sentence)")
        }
    }

    /// Reads what is not here: the right bytes, or an error.
    private func read(_ device: StoreFuzzDevice) throws {
        alarm.set()
        for row in try device.rows().filter(\.isFile).shuffled(using: &random).prefix(3) {
            do throws(DocFSError) {
                let bytes = try device.read(row)
                let now = try device.catalog.read { (read) throws(DocFSError) in
                    try read.local(row.ino)
                }
                guard let now, now.sourceRevision == row.sourceRevision,
                    now.generation == row.generation, row.divergence == .none,
                    1..<1 << 16 ~= row.size
                else { continue }
                check(row, bytes)
            } catch {
                notes?.add("reads \(row.name): \(error.sentence)")
            }
        }
    }

    // MARK: What must hold

    private func check(_ row: LocalItem, _ bytes: [UInt8]) {
        guard let digest = row.sourceDigest, SHA256.digest(of: bytes) != digest else { return }
        find("\(ShownText.line(row.name.description)) shows bytes that are not its own")
    }

    /// After the end of the device: nothing changes any more.
    private func check(_ device: StoreFuzzDevice) throws {
        var texts: Set<String> = []
        for row in try device.rows() where row.isFile && row.state == .current {
            guard let bytes = try device.bytes(of: row) else { continue }
            texts.insert(String(decoding: bytes, as: UTF8.self))
            if row.divergence == .none, !row.isUnflushed, row.size > 0 { check(row, bytes) }
        }
        for text in required where !texts.contains(text) && !server.hasTaken(Array(text.utf8)) {
            find("an edit is lost: “\(text.dropLast())”")
        }
    }
}

/// What is said in a case, from any thread.
private final class Notes: Sendable {
    private let state = Monitor<[String]>([])
    private let begun = Posix.bootTime()

    var lines: [String] { state.withLock { $0 } }

    func add(_ words: String) {
        let time = (Posix.bootTime() - begun) / 1_000_000
        state.withLock { $0.append("\(time) ms  \(words)") }
    }
}

private struct NoteHandler: LogHandler {
    private let notes: Notes
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .debug

    init(_ notes: Notes) { self.notes = notes }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { notes.add("log: \(event.message)") }
}
