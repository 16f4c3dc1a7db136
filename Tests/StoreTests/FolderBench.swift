import Foundation

@testable import DocFS

/// A folder store in a directory of its own, on disk.
final class FolderBench: StoreBench {
    let directory: String
    let folder: FolderStore
    let most: FolderTraits
    var store: any CloudStore { folder }

    /// - Parameter parent: where the directory is made.
    init(in parent: String = NSTemporaryDirectory(), most: FolderTraits = FolderTraits())
        async throws
    {
        directory = parent + "/docfs-store-" + UUID().uuidString
        self.most = most
        folder = FolderStore(path: directory, most: most)
        try await folder.attach(create: true)
    }

    func another() async throws -> any CloudStore {
        let other = FolderStore(path: directory, most: most)
        try await other.attach(create: false)
        return other
    }

    /// The path on disk, as bytes for names that are no text.
    func disk(_ path: ItemPath) -> String {
        path.isRoot ? directory : directory + "/" + path.description
    }

    func writeFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws {
        let name = disk(path)
        let number = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard number >= 0 else { throw Posix.lastError() }
        defer { close(number) }
        try bytes.withUnsafeBytes { try Posix.write(number, $0, at: 0) }
    }

    func renameFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws {
        let temporary = directory + "-temporary"
        try Data(bytes).write(to: URL(fileURLWithPath: temporary))
        guard rename(temporary, disk(path)) == 0 else { throw Posix.lastError() }
    }

    func hide() throws {
        try FileManager.default.moveItem(atPath: directory, toPath: directory + "-away")
    }

    func show() throws {
        try FileManager.default.moveItem(atPath: directory + "-away", toPath: directory)
    }

    func staged() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: directory + "/.docfs/tmp").count
    }

    func end() {
        try? FileManager.default.removeItem(atPath: directory)
        try? FileManager.default.removeItem(atPath: directory + "-away")
    }
}
