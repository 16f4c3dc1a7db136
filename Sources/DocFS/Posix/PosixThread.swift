internal import CFuse
internal import Glibc

/// Threads of our own, for work that blocks and must not hold up Swift's cooperative pool.
package enum PosixThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new detached thread.
    ///
    /// - Parameter name: at most 15 bytes, as pthread_setname_np(3) has them.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void)
        throws(DocFSError)
    {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { raw in
                let start = Unmanaged<Start>.fromOpaque(raw!).takeRetainedValue()
                _ = docfs_set_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw Posix.error(for: code)
        }
        pthread_detach(thread)
    }
}
