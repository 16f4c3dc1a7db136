internal import CFuse
internal import Glibc

extension Posix {
    /// CLOCK_BOOTTIME in nanoseconds: no clock setting moves it, and it goes on in sleep.
    package static func bootTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Which start of the system this is: no two have the same; `nil` where nobody can tell.
    package static var boot: [UInt8]? {
        // Always there where /proc is, and readable by everybody.
        try? contents(ofPath: "/proc/sys/kernel/random/boot_id")
    }

    /// CLOCK_REALTIME.
    package static func wallTime() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    }
}
