internal import CFuse
internal import Glibc

/// One side of utimensat(2).
package enum TimeChange: Hashable, Sendable {
    case keep
    case now
    case set(Timestamp)

    var timespec: Glibc.timespec {
        switch self {
        case .keep: Glibc.timespec(tv_sec: 0, tv_nsec: docfs_utime_omit)
        case .now: Glibc.timespec(tv_sec: 0, tv_nsec: docfs_utime_now)
        case .set(let time):
            Glibc.timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
        }
    }
}
