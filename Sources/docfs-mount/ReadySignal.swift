internal import Glibc

/// Tells the waiting command that the daemon in the background answers.
struct ReadySignal: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Lets the command return, and lets go of its terminal.
    func announce(keepsErrors: Bool) {
        var byte: UInt8 = 1
        _ = write(descriptor, &byte, 1)
        close(descriptor)
    }
}
