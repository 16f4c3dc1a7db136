/// How a position in a scope's listing travels to the kernel and back.
///
/// The FUSE room puts `.` and `..` before the names of a directory, so three positions of its own
/// come first: 0 the start, 1 after `.`, 2 after `..`. A scope's cookies are opaque and often a
/// disk's own `d_off`, anything from 1 to 2^63-1, so they cannot be shifted: they travel as they
/// are, and only 1 and 2 are exchanged for two values that no filesystem of Linux gives out (ext4
/// uses the top 2^32 values for nothing but its end, 2^63-1).
package enum ListingCookie {
    /// After `.`, with `..` to come.
    package static let afterSelf: UInt64 = 1
    /// After `..`: where the scope's own listing starts.
    package static let afterParent: UInt64 = 2

    private static let standInForOne: UInt64 = 1 << 63 - 3
    private static let standInForTwo: UInt64 = 1 << 63 - 2

    /// The kernel's offset for a scope's cookie after an entry.
    package static func offset(for cookie: UInt64) -> UInt64 {
        switch cookie {
        case 1: standInForOne
        case 2: standInForTwo
        default: cookie
        }
    }

    /// The scope's cookie for a kernel's offset of at least ``afterParent``.
    package static func cookie(for offset: UInt64) -> UInt64 {
        switch offset {
        case afterParent: 0
        case standInForOne: 1
        case standInForTwo: 2
        default: offset
        }
    }
}
