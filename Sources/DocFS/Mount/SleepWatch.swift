internal import CFuse
internal import Logging

/// Follows the computer to sleep and back, where there is a logind that tells of it.
final class SleepWatch: Sendable {
    private let receiver: @Sendable (_ isAsleep: Bool) -> Void

    private init(_ receiver: @escaping @Sendable (_ isAsleep: Bool) -> Void) {
        self.receiver = receiver
    }

    /// Tells `receiver` of sleep before it begins, and of the wake-up after, on a thread of its own.
    static func start(_ log: Logger, _ receiver: @escaping @Sendable (_ isAsleep: Bool) -> Void) {
        let watch = SleepWatch(receiver)
        OwnThread.start(name: "sleep-watch") {
            // Blocks for as long as there is a bus, and so does the watch live.
            let status = withExtendedLifetime(watch) {
                docfs_watch_sleep(
                    { context, sleeps in
                        Unmanaged<SleepWatch>.fromOpaque(context!).takeUnretainedValue()
                            .receiver(sleeps != 0)
                    }, Unmanaged.passUnretained(watch).toOpaque())
            }
            log.debug("sleep is not watched: \(-status)")
        }
    }
}
