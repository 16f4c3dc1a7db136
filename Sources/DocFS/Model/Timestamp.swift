/// A point in time as a file carries it: seconds since 1970-01-01T00:00:00Z and nanoseconds.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var seconds: Int64
    /// 0…999,999,999, counted forwards also before 1970.
    package var nanoseconds: UInt32

    package init(seconds: Int64, nanoseconds: UInt32 = 0) {
        precondition(nanoseconds < 1_000_000_000, "nanoseconds are a fraction of a second")
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static let zero = Timestamp(seconds: 0)

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
