import DocFS
import Glibc

/// A worker's process, and the pipe that it speaks into.
final class FuzzChild {
    private var process: pid_t = 0
    private var reading: Int32 = -1
    private var bytes: ArraySlice<UInt8> = []
    private var isSilent = false

    /// Milliseconds without a word after which a worker counts as blocked: far more than the
    /// processor time that its case may take.
    private static let patience: Int32 = 60_000

    /// Starts this program once more.
    ///
    /// - Parameter isTraced: a crash tells where it was, which takes seconds.
    init(_ arguments: [String], isTraced: Bool) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw DocFSError.system(errno: errno) }
        reading = ends[0]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        if !isTraced { setenv("SWIFT_BACKTRACE", "enable=no", 1) }
        var words = (["simulate"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let error = posix_spawn(&process, "/proc/self/exe", &actions, nil, &words, environ)
        close(ends[1])
        guard error == 0 else { throw DocFSError.system(errno: error) }
    }

    deinit { close(reading) }

    /// The next line; `nil` when there will be none.
    func line() -> String? {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes = bytes[(end + 1)...] }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            var waiting = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Self.patience) > 0 else {
                isSilent = true
                return nil
            }
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(reading, &piece, piece.count)
            if count <= 0 { return nil }
            bytes = ArraySlice(Array(bytes) + piece.prefix(count))
        }
    }

    /// Ends the worker between two cases.
    func kill() {
        Glibc.kill(process, SIGKILL)
        _ = end()
    }

    /// Waits for the worker's end, and removes what it has left.
    ///
    /// - Returns: what it died of; `nil` when it ended by itself.
    func end() -> String? {
        if isSilent { Glibc.kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let own = "docfs-simulate.\(process)"
        for (name, _) in entries("/dev/shm") where name == own || name.hasPrefix(own + ".") {
            removeTree("/dev/shm/\(name)")
            unlink("/dev/shm/\(name)")
        }
        if isSilent { return "blocked: not a word in \(Self.patience / 1000) s" }
        let signal = status & 0x7F
        if signal == ProcessorAlarm.signal {
            return "more than \(ProcessorAlarm.time) s of processor time"
        }
        if signal != 0 {
            return "killed by signal \(signal) (\(String(cString: strsignal(signal))))"
        }
        return status == 0 ? nil : "its process ends with status \(status >> 8)"
    }
}
