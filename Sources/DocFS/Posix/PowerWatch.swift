internal import CFuse

/// Follows the computer to sleep and back, and to its shutdown, where there is a logind that tells
/// of it.
package final class PowerWatch: Sendable {
    /// What the computer is about to do, or has done.
    package enum Change: Sendable {
        case wakes, sleeps, shutsDown

        fileprivate init(_ power: docfs_power) {
            switch power {
            case docfs_power_sleeps: self = .sleeps
            case docfs_power_shuts_down: self = .shutsDown
            default: self = .wakes
            }
        }
    }

    private let receiver: @Sendable (Change) -> Void

    private init(_ receiver: @escaping @Sendable (Change) -> Void) {
        self.receiver = receiver
    }

    /// Tells `receiver` of sleep and shutdown before they begin, and of the wake-up after it, on a
    /// thread of its own; logind puts them off for some seconds until it returns.
    ///
    /// - Parameter ended: is told why, when there is no system bus, or no more.
    package static func start(
        _ receiver: @escaping @Sendable (Change) -> Void,
        ended: @escaping @Sendable (DocFSError) -> Void
    ) {
        let watch = PowerWatch(receiver)
        OwnThread.start(name: "power-watch") {
            // Blocks for as long as there is a bus, and so long does the watch live.
            let status = withExtendedLifetime(watch) {
                docfs_watch_power(
                    { context, power in
                        Unmanaged<PowerWatch>.fromOpaque(context!).takeUnretainedValue()
                            .receiver(Change(power))
                    }, Unmanaged.passUnretained(watch).toOpaque())
            }
            ended(Posix.error(for: -status))
        }
    }
}
