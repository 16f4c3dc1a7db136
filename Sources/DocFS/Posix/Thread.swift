internal import CFuse
internal import Glibc

/// One POSIX thread of our own: for work that blocks, which a task must never do.
package final class Thread: Sendable {
    private let handle: pthread_t

    private init(_ handle: pthread_t) { self.handle = handle }

    /// Starts a thread that runs `body` once. Nobody needs to keep or join it.
    ///
    /// - Parameter name: what tools such as top(1) show, at most 15 bytes.
    @discardableResult
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Thread {
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        var handle = pthread_t()
        let result = pthread_create(&handle, nil, run, work.toOpaque())
        precondition(result == 0, "the system has no thread left")
        return Thread(handle)
    }

    /// Waits until the thread has ended; at most once.
    package func join() { pthread_join(handle, nil) }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
        { pointer in
            let work = Unmanaged<Work>.fromOpaque(pointer!).takeRetainedValue()
            docfs_set_thread_name(work.name)
            work.body()
            return nil
        }
}
