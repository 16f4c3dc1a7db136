import Foundation

@testable import DocFS

/// What tests ask of the computer that they run on.
enum Machine {
    /// Whether this process may mount filesystems and act as other users.
    static let isRoot = geteuid() == 0

    /// Whether a FUSE filesystem can be mounted for tests (Debian package `bindfs`). Where CI
    /// promises it, its absence is a failure of the tests that use it.
    static let hasBindfs =
        ProcessInfo.processInfo.environment["CI"] != nil
        || FileManager.default.isExecutableFile(atPath: "/usr/bin/bindfs")
            && access("/dev/fuse", R_OK | W_OK) == 0
}

/// Runs a program to its end.
func run(_ program: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw DocFSError.system(errno: process.terminationStatus)
    }
}

/// A filesystem in memory, mounted as long as `body` runs.
func withMemoryFileSystem(
    size: String, _ body: (String) async throws -> Void
) async throws {
    let directory = NSTemporaryDirectory() + "/docfs-mount-" + UUID().uuidString
    try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: false)
    defer { rmdir(directory) }
    try run("/bin/mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", directory)
    defer { try? run("/bin/umount", "-l", directory) }
    try await body(directory)
}
