import DocFS
import Glibc
import Logging
import TestSupport

/// A small container that a device has made on an honest server, and what that device has of it.
final class StoreFuzzBase {
    /// How many different ones there are.
    static let count: UInt64 = 3

    /// What servers take notice of: Amazon's, Ceph's, and one that has the least.
    private static let kinds: [S3ServerObjects.Conditions] = [
        [.replace, .remove, .copy], [.replace, .removeUnchanged], [.replace],
    ]

    let directory: String
    private(set) var objects: S3ServerObjects
    let documents = ["a", "b", "c", "d/a", "d/f/a", "e/b"]

    /// - Parameter directory: a new one for what the device has; it is there until ``remove()``.
    /// - Throws: `.busy` when the device does not come to rest.
    init(number: UInt64, directory: String) throws {
        self.directory = directory
        objects = S3ServerObjects(Self.kinds[Int(number % Self.count)])
        mkdir(directory, 0o700)
        let honest = DamagingServer(
            objects,
            DamagingServer.Plan(seed: 0, rarity: .max, spared: .max, isStubborn: false)
        ) { _ in }
        let server = try S3Server { honest.reply(to: $0) }
        let device = try StoreFuzzDevice(
            in: directory,
            StoreFuzzDevice.Traits(
                name: "alice", number: 1, port: server.port,
                retention: Retention(time: .max / 4, versions: 10)),
            SeededRandom(seed: number), Logger(label: "alice") { _ in SwiftLogNoOpLogHandler() })
        defer {
            device.leave()
            server.stop()
        }
        for path in ["d", "d/f", "e"] { try device.makeDirectory(path) }
        for path in documents { try device.write(path, "\(path), as it was\n") }
        device.start()
        try Self.waitUntilRest(device)
        try device.write("a", "a, as it is\n")
        try device.rename("e/b", "e/c")
        try device.write("e/b", "e/b, a new one\n")
        try device.write("gone", "gone\n")
        try Self.waitUntilRest(device)
        try device.remove("gone")
        try Self.waitUntilRest(device)
        guard device.stop() else { throw DocFSError.busy }
        objects = honest.objects
    }

    private static func waitUntilRest(_ device: StoreFuzzDevice) throws {
        for _ in 0..<3_000 {
            usleep(20_000)
            if device.isOnline, device.isAtRest { return }
        }
        throw DocFSError.busy
    }

    func remove() { removeTree(directory) }
}
