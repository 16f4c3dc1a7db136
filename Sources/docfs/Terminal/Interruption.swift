internal import Glibc
internal import Synchronization

/// Ctrl-C, seen between two steps, so that a verb ends with a consistent state and says what it
/// has done.
enum Interruption: Error {
    case interrupted

    private static let flag = Atomic(false)

    static var came: Bool { flag.load(ordering: .relaxed) }

    /// From now on SIGINT and SIGTERM are noted, and end what waits in a system call.
    static func watch() {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            Interruption.flag.store(true, ordering: .relaxed)
        }
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
    }

    static func check() throws {
        if came { throw Interruption.interrupted }
    }

    /// Sleeps; ends early with an interruption.
    static func pause(milliseconds: Int32) throws {
        poll(nil, 0, milliseconds)
        try check()
    }
}
