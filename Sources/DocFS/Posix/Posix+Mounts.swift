internal import CFuse
internal import Glibc

extension Posix {
    /// Takes the mount at `point` out of the tree at once, busy or not (umount2(2) MNT_DETACH); for
    /// a user who is not root through fusermount3(1).
    ///
    /// Follows no symbolic link at the end.
    package static func detachMount(at point: String) throws(DocFSError) {
        if umount2(point, Int32(MNT_DETACH | UMOUNT_NOFOLLOW)) == 0 { return }
        let error = lastError()
        guard error == .notPermitted else { throw error }
        let status = try run(["fusermount3", "-u", "-z", "-q", "--", point])
        if status != 0 { throw error }
    }

    /// Runs a program found in PATH and returns its exit status, -1 when a signal ended it.
    package static func run(_ arguments: [String]) throws(DocFSError) -> Int32 {
        try wait(for: try start(arguments, nil))
    }

    /// The same, with nothing to read; answers too what it says on standard output and standard
    /// error.
    package static func output(of arguments: [String]) throws(DocFSError)
        -> (status: Int32, text: String)
    {
        var ends: [Int32] = [-1, -1]
        try check { docfs_pipe(&ends) }
        let reader = Descriptor(ends[0])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        // Closed once the child has it, which is then the only one that writes.
        let child = try withExtendedLifetime(Descriptor(ends[1])) { () throws(DocFSError) in
            try start(arguments, &actions)
        }
        // Its status says how it went. Without its words the caller does less, never more.
        let text = try? contents(of: reader)
        return (try wait(for: child), String(decoding: text ?? [], as: UTF8.self))
    }

    private static func start(
        _ arguments: [String], _ actions: UnsafePointer<posix_spawn_file_actions_t>?
    ) throws(DocFSError) -> pid_t {
        let words = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        // What this program does not listen to is not the child's.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var child = pid_t()
        let result = posix_spawnp(
            &child, arguments[0], actions, &attributes, words + [nil], environ)
        if result != 0 { throw error(for: result) }
        return child
    }

    private static func wait(for child: pid_t) throws(DocFSError) -> Int32 {
        var status: Int32 = 0
        try check { waitpid(child, &status, 0) }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }
}
