import DocFS
import Glibc
import TestSupport

/// A small container that devices have made by the real protocol, and what three of them have of
/// it: what the cases of a fuzzer begin with.
///
/// Alice saw all but the last records, Carol left before the first snapshot, and both have edits
/// that nobody else has; Bob has seen everything. The same number gives the same container.
final class FuzzBase {
    /// How many different ones there are.
    static let count: UInt64 = 12

    let remains: World.Remains
    /// The store cannot move objects.
    let isOfObjects: Bool
    /// For how long the container keeps bodies, in nanoseconds.
    let retention: UInt64?
    let files: ContainerFiles
    let items: [ContainerDamage.Item]
    /// Where documents lie.
    let documents: [ItemPath]
    /// What was written and not sent, by the device's name.
    let unsent: [String: [String]]

    /// - Parameter directory: a new one for what the devices have; it is there until ``remove()``.
    init(number: UInt64, directory: String) throws {
        isOfObjects = number % 2 == 1
        retention = number % 3 == 2 ? 100_000_000_000 : nil
        let making = FuzzMaking(
            number: number, isOfObjects: isOfObjects, retention: retention, directory: directory)
        unsent = try making.run()
        (remains, files, items, documents) = (
            making.remains(in: directory), try making.files(), try making.items(),
            try making.documents()
        )
        making.world.tidy()
    }

    func remove() { removeTree(remains.directory) }
}

/// How a ``FuzzBase`` comes to be.
private final class FuzzMaking {
    let world: World
    private let alice: Device
    private let bob: Device
    private let carol: Device
    private var random: SeededRandom
    private var count = 0

    private static let second: UInt64 = 1_000_000_000

    init(number: UInt64, isOfObjects: Bool, retention: UInt64?, directory: String) {
        var script = Script(steps: [], devices: 3, retention: retention)
        script.isOfObjects = isOfObjects
        world = World(
            seed: number &* 7_919 &+ 1, script: script, directory: directory + ".making",
            isTold: false)
        random = SeededRandom(seed: number)
        mkdir(world.directory, 0o700)
        var devices: [Device] = []
        for (index, name) in Script.names.prefix(3).enumerated() {
            guard
                let device = try? Device(
                    name, number: UInt64(index + 1), world: world, seed: random.next())
            else { fatalError("no room for the state of a device") }
            devices.append(device)
        }
        (alice, bob, carol) = (devices[0], devices[1], devices[2])
    }

    private func pass(seconds: UInt64) {
        world.scheduler.run(until: world.scheduler.now + seconds * Self.second)
    }

    private func text(_ path: String) -> String {
        count += 1
        return "\(path), as of \(count)\n"
    }

    private func write(_ device: Device, _ path: String) {
        let text = text(path)
        device.user("write \(path)") { () throws(DocFSError) in try device.write(path, text) }
    }

    private func user(_ device: Device, _ step: (Device) throws(DocFSError) -> Void) {
        device.user("a step") { () throws(DocFSError) in try step(device) }
    }

    /// - Returns: what was not sent.
    func run() throws -> [String: [String]] {
        for directory in ["d", "d/f", "e"] {
            user(alice) { (alice) throws(DocFSError) in try alice.makeDirectory(directory) }
        }
        for path in ["a", "b", "c", "d/a", "d/f/a", "e/b"] { write(alice, path) }
        user(alice) { (alice) throws(DocFSError) in
            try alice.describe("a", mode: 0o640, attribute: "blue")
            _ = try alice.daemon.scope.makeSymlink(
                "link", in: alice.daemon.scope.root, target: Array("d/a".utf8),
                caller: Daemon.caller)
        }
        pass(seconds: 20)
        var unsent = ["carol": leave(carol)]
        try goOnUntilShortened()
        conflict()
        unsent["alice"] = leave(alice)
        for path in ["last", "d/last"] {
            write(bob, path)
            pass(seconds: 4)
        }
        pass(seconds: 6)
        return unsent
    }

    /// A device loses its network, and its user goes on.
    private func leave(_ device: Device) -> [String] {
        device.network.cut()
        let name = "only-\(device.name)"
        let text = text(name)
        device.user("write \(name)") { () throws(DocFSError) in
            try device.write(name, text)
            try device.makeDirectory("dir-\(device.name)")
        }
        let edit = text + "more\n"
        device.user("write a") { () throws(DocFSError) in try device.write("a", edit) }
        return [text, edit]
    }

    /// Edits, until records of the beginning are kept no longer.
    private func goOnUntilShortened() throws {
        for round in 0..<20 {
            for step in 0..<8 where round == 0 || random.isOnce(in: 3) {
                let device = step % 2 == 0 ? bob : alice
                user(device) { (device) throws(DocFSError) in try take(step, on: device) }
                pass(seconds: 3)
            }
            pass(seconds: 30)
            let floor = try files().tree(ContainerFiles.floor)
            if let first = floor?[key: "floor"], first != .literal("1") { return }
        }
        throw DocFSError.corrupt("the log of a base is never shortened")
    }

    private func take(_ step: Int, on device: Device) throws(DocFSError) {
        switch step {
        case 0: try device.save("a", text("a"))
        case 1: try device.remove("b")
        case 2: try device.rename("d/a", "e/a")
        case 3: try device.rename("d/f", "f")
        case 4: try device.write("c", text("c"))
        case 5: try device.makeDirectory("g")
        case 6: try device.write("g/\(count)", text("g"))
        default: try device.remove("e/b")
        }
    }

    /// Two users write a document at once.
    private func conflict() {
        for device in [alice, bob] { device.network.cut() }
        for device in [alice, bob] { write(device, "c") }
        pass(seconds: 3)
        for device in [alice, bob] { device.network.mend() }
        pass(seconds: 20)
    }

    // MARK: What is left

    func remains(in directory: String) -> World.Remains {
        mkdir(directory, 0o700)
        for device in [alice, bob, carol] {
            copyTree(device.process.directory, "\(directory)/\(device.name)")
        }
        return World.Remains(
            store: MemoryStore(copying: world.store), ledger: world.ledger, directory: directory)
    }

    func files() throws -> ContainerFiles {
        try world.result { [store = world.store] in
            var bytes: [ItemPath: [UInt8]] = [:]
            var directories: [ItemPath] = [".docfs/log", ".docfs/snapshots"]
            var paths = [
                ContainerFiles.marker, ContainerFiles.floor, ContainerFiles.collector,
            ]
            while let directory = directories.popLast() {
                for object in (try? await store.list(directory)) ?? [] {
                    if object.kind == .directory { directories.append(object.path) }
                    if object.kind == .file { paths.append(object.path) }
                }
            }
            for path in paths { bytes[path] = try await store.small(path, atMost: 1 << 20) }
            return ContainerFiles(bytes)
        }
    }

    func items() throws -> [ContainerDamage.Item] {
        let scope = bob.daemon.record.id
        return try bob.daemon.catalog.read { (read) throws(DocFSError) in
            var items: [ContainerDamage.Item] = []
            for item in try read.remoteItems(scope: scope, limit: 1_000) {
                guard let state = try read.state(.remote, of: item, scope: scope) else { continue }
                items.append(ContainerDamage.Item(id: item.description, state: JSONTree(state)))
            }
            return items
        }
    }

    func documents() throws -> [ItemPath] {
        try bob.texts().map { ItemPath($0.path) }.sorted()
    }
}
