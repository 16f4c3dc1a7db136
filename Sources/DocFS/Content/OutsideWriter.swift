/// A content file that a program outside the mount has open for writing, as it was last looked at.
struct OutsideWriter {
    let content: OpenContent
    /// When the file last changed, and when it is next asked whether it still has a writer:
    /// nanoseconds of the clock.
    var changed: UInt64
    var nextCheck: UInt64
    /// How long until the check after that, in nanoseconds.
    var pause: UInt64
    /// What was written so far may be sent.
    var isTold = false
}
