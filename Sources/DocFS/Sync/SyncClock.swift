/// Time as syncing knows it; a simulation brings its own.
package protocol SyncClock: Sendable {
    /// Time since some fixed moment that no clock setting moves, in nanoseconds.
    func now() -> UInt64

    /// The wall clock, for people and for file times; no decision rests on it.
    func wallTime() -> Timestamp

    /// Returns after `nanoseconds`, or earlier when the task is cancelled.
    func sleep(nanoseconds: UInt64) async
}
