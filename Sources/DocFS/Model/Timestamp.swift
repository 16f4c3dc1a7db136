/// A point in time as a file carries it: seconds since 1970-01-01T00:00:00Z and nanoseconds.
///
/// Always within the years 1 to 9999, so that no arithmetic on it overflows and every calendar can
/// show it. A moment beyond becomes the nearest one within, as the kernel does with times that a
/// filesystem cannot hold (`timestamp_truncate`); ``init(checked:nanoseconds:)`` refuses it.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let seconds: Int64
    /// 0…999,999,999, counted forwards also before 1970.
    package let nanoseconds: UInt32

    /// From the first second of the year 1 to the last of 9999.
    package static let secondsRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// The moment, or the nearest one within ``secondsRange``.
    package init(seconds: Int64, nanoseconds: UInt32 = 0) {
        precondition(nanoseconds < 1_000_000_000, "nanoseconds are a fraction of a second")
        let range = Self.secondsRange
        self.seconds = min(max(seconds, range.lowerBound), range.upperBound)
        self.nanoseconds = range.contains(seconds) ? nanoseconds : 0
    }

    /// A moment that comes from outside; `nil` when it is beyond ``secondsRange``, or
    /// `nanoseconds` are not a fraction of a second.
    package init?(checked seconds: Int64, nanoseconds: Int64) {
        guard Self.secondsRange.contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
            return nil
        }
        self.seconds = seconds
        self.nanoseconds = UInt32(nanoseconds)
    }

    package static let zero = Timestamp(seconds: 0)

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
