/// The time of this computer.
///
/// It goes on while the computer sleeps.
package struct SystemClock: SyncClock {
    package init() {}

    package func now() -> UInt64 { Posix.bootTime() }

    package func wallTime() -> Timestamp { Posix.wallTime() }

    package func sleep(nanoseconds: UInt64) async {
        // Fails only when the task is cancelled, which it can see for itself.
        try? await Task.sleep(nanoseconds: nanoseconds)
    }
}
