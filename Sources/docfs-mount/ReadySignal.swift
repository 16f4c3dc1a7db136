internal import Glibc

/// Tells the waiting command that the daemon in the background answers.
struct ReadySignal: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Lets go of the terminal and of the directory that the command was called in, and lets the
    /// command return.
    func announce() {
        let null = open("/dev/null", O_RDWR)
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(null, standard) }
        close(null)
        _ = chdir("/")
        var byte: UInt8 = 1
        _ = write(descriptor, &byte, 1)
        close(descriptor)
    }
}
