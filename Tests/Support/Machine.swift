internal import Foundation

@testable internal import DocFS

/// What tests ask of the computer that they run on.
package enum Machine {
    /// Whether this process may mount filesystems and act as other users.
    package static let isRoot = geteuid() == 0

    /// Whether a FUSE filesystem can be mounted for tests (Debian package `bindfs`).
    ///
    /// Where CI promises it, its absence is a failure of the tests that use it.
    package static let hasBindfs =
        ProcessInfo.processInfo.environment["CI"] != nil
        || FileManager.default.isExecutableFile(atPath: "/usr/bin/bindfs")
            && access("/dev/fuse", R_OK | W_OK) == 0

    /// Where servers answer that `scripts/test` started (Tests/Servers); without them it does not
    /// run the tests that use them.
    package static let motoAddress = server("DOCFS_TEST_MOTO")
    package static let gatewayAddress = server("DOCFS_TEST_RGW")

    private static func server(_ variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable]
    }
}

/// Runs a program to its end, in silence.
///
/// Not by Foundation's `Process`, which waits for whatever the program leaves running in the
/// background too.
package func run(_ program: String, _ arguments: String...) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for number in [0, 1, 2] as [Int32] {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var child = pid_t()
    let code = posix_spawn(&child, program, &actions, nil, &words, environ)
    guard code == 0 else { throw Posix.error(for: code) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    guard status == 0 else { throw DocFSError.system(errno: status) }
}

/// A filesystem in memory, mounted as long as `body` runs.
package func withMemoryFileSystem(
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
