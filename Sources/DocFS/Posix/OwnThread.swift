internal import CFuse
internal import Glibc

/// A thread of our own, for work that blocks.
package enum OwnThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new detached thread whose name (at most 15 bytes) tools show.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                _ = docfs_set_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        pthread_attr_destroy(&attributes)
        precondition(status == 0, "a thread can be made")
    }
}
