/// How long what has failed waits before it is tried again.
enum Backoff {
    /// Doubles from `first` to `last`, in nanoseconds.
    ///
    /// - Parameter count: how often it has been tried in succession; 1 or more.
    static func pause(after count: Int, from first: UInt64, to last: UInt64) -> UInt64 {
        min(last, first << UInt64(min(count - 1, 16)))
    }
}
