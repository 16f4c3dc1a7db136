import Foundation
import TestSupport

@testable import DocFS

/// A folder store on a directory that is shown through bindfs.
final class FuseBench: StoreBench {
    private let mountPoint: String
    private let inner: FolderBench
    var store: any CloudStore { inner.store }

    init() async throws {
        mountPoint = NSTemporaryDirectory() + "/docfs-fuse-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: mountPoint + "-behind", withIntermediateDirectories: false)
        try FileManager.default.createDirectory(
            atPath: mountPoint, withIntermediateDirectories: false)
        try run("/usr/bin/bindfs", mountPoint + "-behind", mountPoint)
        do {
            inner = try await FolderBench(in: mountPoint)
        } catch {
            try? run("/usr/bin/fusermount3", "-u", "-z", mountPoint)
            throw error
        }
    }

    func another() async throws -> any CloudStore { try await inner.another() }

    func writeFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws {
        try inner.writeFromOutside(path, bytes)
    }

    func renameFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws {
        try inner.renameFromOutside(path, bytes)
    }

    func hide() throws { try inner.hide() }
    func show() throws { try inner.show() }
    func staged() throws -> Int { try inner.staged() }

    func end() {
        inner.end()
        try? run("/usr/bin/fusermount3", "-u", "-z", mountPoint)
        rmdir(mountPoint)
        try? FileManager.default.removeItem(atPath: mountPoint + "-behind")
    }
}
