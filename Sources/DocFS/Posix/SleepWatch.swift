internal import CFuse

/// Follows the computer to sleep and back, where there is a logind that tells of it.
package final class SleepWatch: Sendable {
    private let receiver: @Sendable (_ isAsleep: Bool) -> Void

    private init(_ receiver: @escaping @Sendable (_ isAsleep: Bool) -> Void) {
        self.receiver = receiver
    }

    /// Tells `receiver` of sleep before it begins, and of the wake-up after it, on a thread of its
    /// own.
    ///
    /// - Parameter ended: is told why, when there is no system bus, or no more.
    package static func start(
        _ receiver: @escaping @Sendable (_ isAsleep: Bool) -> Void,
        ended: @escaping @Sendable (DocFSError) -> Void
    ) {
        let watch = SleepWatch(receiver)
        OwnThread.start(name: "sleep-watch") {
            // Blocks for as long as there is a bus, and so long does the watch live.
            let status = withExtendedLifetime(watch) {
                docfs_watch_sleep(
                    { context, sleeps in
                        Unmanaged<SleepWatch>.fromOpaque(context!).takeUnretainedValue()
                            .receiver(sleeps != 0)
                    }, Unmanaged.passUnretained(watch).toOpaque())
            }
            ended(Posix.error(for: -status))
        }
    }
}
